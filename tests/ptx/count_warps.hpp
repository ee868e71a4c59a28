#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/ptx/ptx_runtime.hpp"

namespace ptx {

/// Loads or stores of a kind. Lanes access together if they come to the same place in the code for
/// the same time since the warp met: a GPU serves them at once at best.
struct AccessCount {
  u64 warps = 0;    ///< accesses of a warp
  u64 lanes = 0;    ///< of its lanes
  u64 bytes = 0;    ///< of its lanes
  u64 sectors = 0;  ///< of 32 bytes, of warps
  u64 lines = 0;    ///< of 128 bytes, of warps; of shared memory, accesses to its busiest bank
};

/// What the threads of a kernel did so far.
struct KernelCount {
  u64 threads = 0;
  /// Of a function: how often each piece of code ran, as sum over the lanes, and as sum of the
  /// turns that warps took: between two of its meetings, a warp takes as many as the lane that runs
  /// the piece most often, at least.
  struct Pieces {
    std::vector<u64> lanes, warps;
  };
  std::map<int, Pieces> functions;
  std::vector<u64> turns;                       ///< of each warp: instructions
  std::map<std::string, AccessCount> accesses;  ///< such as "local load"
  u64 shared_bytes = 0;                         ///< of a block
  u64 local_words = 0;  ///< of 4 bytes, that its threads touched of their local memory
};

/// Called at the start of each thread. @param frame an address of the thread's stack, at the same
/// distance from the stack's end in all threads
void begin_thread(const Kernel& kernel, u64 frame);

/// Kernels by their names.
std::map<std::string, KernelCount> counted_kernels();

}  // namespace ptx
