#pragma once

// As much of CUDA's runtime and device functions as Carom's launchers and kernels use, for a device
// that the CPU plays: see emulated_device.hpp. Names and meanings are CUDA's.
// NOLINTBEGIN

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <utility>

#include "tests/emulated_cuda/emulated_device.hpp"

/// Tests of what a device alone could not show look for it.
#define CAROM_EMULATED_CUDA 1

#define __global__
#define __launch_bounds__(...)
#define __device__
#define __host__
#define __shared__

enum cudaError_t { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
inline constexpr unsigned cudaStreamNonBlocking = 1;

struct EmulatedStream;
struct EmulatedEvent;
using cudaStream_t = EmulatedStream*;
using cudaEvent_t = EmulatedEvent*;

struct cudaDeviceProp {
  char name[256];
  int major;
  int minor;
};
struct cudaFuncAttributes {
  int numRegs;
};
struct dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel*) {
  *attributes = {};
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel*) {
  *grid = 4;
  *block = 128;
  return cudaSuccess;
}

template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute, int bytes) {
  return static_cast<std::size_t>(bytes) <= emulated::most_shared_bytes() ? cudaSuccess : cudaErrorInvalidValue;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel*, int, std::size_t) {
  *blocks = 4;
  return cudaSuccess;
}

namespace carom {
/// What the kernels declare as the shared memory of the block that runs.
extern double shared_memory[];
}  // namespace carom

// What a thread knows of itself.
extern dim3 threadIdx;
extern dim3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;

namespace emulated {

/// What runs in a kernel's place; empty: nothing does.
Translation translation_of(const void* kernel, std::span<const std::size_t> bytes);

/// Puts a kernel on a stream, where it runs when somebody waits for it.
void enqueue_kernel(cudaStream_t stream, unsigned blocks, unsigned threads,
                    std::size_t its_shared_bytes, std::function<void()> thread);

/// Gives a number to the other lanes of the warp and returns what all of them gave. Ends the
/// program unless all lanes of the warp come here together, with the same `kind` of exchange.
const std::array<std::uint64_t, 32>& exchange_in_warp(const char* kind, unsigned mask,
                                                      std::uint64_t number);
/// The lane that runs.
unsigned lane();

}  // namespace emulated

inline unsigned atomicAdd(unsigned* word, unsigned number) {
  return std::exchange(*word, *word + number);
}
inline int __ffs(int bits) { return __builtin_ffs(bits); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
inline void __syncwarp() { emulated::exchange_in_warp("syncwarp", 0xffffffffu, 0); }
inline unsigned __ballot_sync(unsigned mask, bool vote) {
  const auto& votes = emulated::exchange_in_warp("ballot", mask, vote ? 1 : 0);
  unsigned bits = 0;
  for (unsigned i = 0; i < votes.size(); ++i) bits |= static_cast<unsigned>(votes[i] & 1) << i;
  return bits;
}
inline unsigned __match_any_sync(unsigned mask, std::uint64_t number) {
  const auto& numbers = emulated::exchange_in_warp("match_any", mask, number);
  unsigned bits = 0;
  for (unsigned i = 0; i < numbers.size(); ++i) bits |= (numbers[i] == number ? 1u : 0u) << i;
  return bits;
}
/// What lane `from` gives.
template <class T>
T shuffle(const char* kind, unsigned mask, T number, unsigned from) {
  std::uint64_t bits = 0;
  static_assert(sizeof number <= sizeof bits);
  std::memcpy(&bits, &number, sizeof number);
  const auto& given = emulated::exchange_in_warp(kind, mask, bits);
  std::memcpy(&number, &given[from % 32], sizeof number);
  return number;
}
template <class T>
T __shfl_sync(unsigned mask, T number, int lane) {
  return shuffle("shfl", mask, number, static_cast<unsigned>(lane));
}
template <class T>
T __shfl_xor_sync(unsigned mask, T number, int other) {
  return shuffle("shfl_xor", mask, number, emulated::lane() ^ static_cast<unsigned>(other));
}
inline std::uint64_t __shfl_down_sync(unsigned mask, std::uint64_t number, int distance) {
  const auto& numbers = emulated::exchange_in_warp("shfl_down", mask, number);
  const unsigned from = emulated::lane() + static_cast<unsigned>(distance);
  return from < numbers.size() ? numbers[from] : number;
}

// NOLINTEND
