// What warps of the translated kernels do: instructions, and cache lines that they touch.
#include "tests/ptx/count_warps.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ptx {
namespace {

constexpr unsigned lanes = 32;
constexpr u64 word_bytes = 4;  // of local memory: the same word of all lanes is a line
constexpr u64 sector_bytes = 32;
constexpr u64 line_bytes = 128;  // and what all banks of shared memory give at once

bool is_shared(u64 address) {
  return address - reinterpret_cast<u64>(carom::shared_memory) < emulated::shared_bytes;
}

struct Site {
  u32 bytes = 0;
  bool writes = false;
  std::vector<u64> addresses;
};

struct Lane {
  bool begun = false;
  u64 frame = 0;
  // Since the warp met last.
  std::unordered_map<int, Function> functions;
  std::unordered_map<u64, Site> sites;
  std::vector<u64> touched;  ///< those of the sites with addresses
  std::unordered_set<u64> local_words;

  bool is_local(u64 address) const {
    return address < frame && frame - address < emulated::stack_bytes;
  }
};

/// The warp that runs, until the first thread of the next one.
struct Warp {
  const Kernel* kernel = nullptr;
  u32 block = 0;
  u32 first_thread = 0;
  u64 turns = 0;
  std::array<Lane, lanes> lane;
};

Warp current;
std::map<std::string, KernelCount> counts;

/// Adds the pieces that lanes ran since they met last. The warp took as many turns of a piece as
/// the lane that ran it most often.
void add_pieces(KernelCount& count) {
  std::map<std::pair<int, u32>, u64> most;
  for (Lane& lane : current.lane) {
    for (auto& [number, function] : lane.functions) {
      KernelCount::Pieces& sum = count.functions[number];
      sum.lanes.resize(function.pieces.size());
      sum.warps.resize(function.pieces.size());
      for (const u32 piece : function.touched) {
        const u64 times = std::exchange(function.pieces[piece], 0);
        sum.lanes[piece] += times;
        u64& longest = most[{number, piece}];
        if (times <= longest) continue;
        sum.warps[piece] += times - longest;
        current.turns += (times - longest) * function.instructions[piece];
        longest = times;
      }
      function.touched.clear();
    }
  }
}

/// Adds the same access of all lanes, each for the time `turn`.
void add_access(KernelCount& count, u64 site, std::size_t turn) {
  std::set<u64> sectors, lines;
  std::array<std::set<u64>, lanes> banks;
  AccessCount* sum = nullptr;
  for (unsigned i = 0; i < lanes; ++i) {
    const Lane& lane = current.lane[i];
    const auto found = lane.sites.find(site);
    if (found == lane.sites.end() || found->second.addresses.size() <= turn) continue;
    const auto& [bytes, writes, addresses] = found->second;
    const u64 at = addresses[turn];
    const bool local = lane.is_local(at);
    const bool shared = is_shared(at);
    if (sum == nullptr) {
      const char* const space = local ? "local" : shared ? "shared" : "global";
      sum = &count.accesses[std::string(space) + (writes ? " store" : " load")];
      ++sum->warps;
    }
    ++sum->lanes;
    sum->bytes += bytes;
    if (local) {
      const u64 word = (lane.frame - at) / word_bytes;
      for (u64 w = 0; w < (bytes + word_bytes - 1) / word_bytes; ++w) {
        lines.insert(word - w);
        sectors.insert((word - w) * (line_bytes / sector_bytes) + i * word_bytes / sector_bytes);
      }
    } else if (shared) {
      for (u64 w = at / word_bytes; w <= (at + bytes - 1) / word_bytes; ++w) {
        banks[w % banks.size()].insert(w);
      }
    } else {
      for (u64 s = at / sector_bytes; s <= (at + bytes - 1) / sector_bytes; ++s) {
        sectors.insert(s);
        lines.insert(s * sector_bytes / line_bytes);
      }
    }
  }
  sum->sectors += sectors.size();
  sum->lines += lines.size() + std::ranges::max(banks, {}, &std::set<u64>::size).size();
}

void add_accesses(KernelCount& count) {
  std::map<u64, std::size_t> turns;
  for (Lane& lane : current.lane) {
    for (const u64 site : lane.touched) {
      const Site& accesses = lane.sites[site];
      turns[site] = std::max(turns[site], accesses.addresses.size());
      for (const u64 at : accesses.addresses) {
        if (!lane.is_local(at)) continue;
        for (u64 b = 0; b < accesses.bytes; b += word_bytes) {
          lane.local_words.insert((at + b) / word_bytes);
        }
      }
    }
  }
  for (const auto& [site, most] : turns) {
    for (std::size_t turn = 0; turn < most; ++turn) add_access(count, site, turn);
  }
  for (Lane& lane : current.lane) {
    for (const u64 site : lane.touched) lane.sites[site].addresses.clear();
    lane.touched.clear();
  }
}

/// All lanes of the warp are at the same place.
void meet() {
  if (current.kernel == nullptr) return;
  KernelCount& count = counts[current.kernel->name];
  add_pieces(count);
  add_accesses(count);
}

void finish_warp() {
  if (current.kernel == nullptr) return;
  meet();
  KernelCount& count = counts[current.kernel->name];
  count.threads += static_cast<u64>(std::ranges::count(current.lane, true, &Lane::begun));
  count.turns.push_back(current.turns);
  for (const Lane& lane : current.lane) count.local_words += lane.local_words.size();
  current = {};
}

const bool told = (emulated::when_a_warp_meets(meet), true);

}  // namespace

void begin_thread(const Kernel& kernel, u64 frame) {
  const u32 first_thread = threadIdx.x / lanes * lanes;
  const bool same_warp = current.kernel == &kernel && current.block == blockIdx.x &&
                         current.first_thread == first_thread;
  if (!same_warp || current.lane[emulated::lane()].begun) {
    finish_warp();
    current.kernel = &kernel;
    current.block = blockIdx.x;
    current.first_thread = first_thread;
    counts[kernel.name].shared_bytes = emulated::shared_bytes_of_block();
  }
  Lane& lane = current.lane[emulated::lane()];
  lane.begun = true;
  lane.frame = frame;
}

Function& function_of_lane(int function, const u32* instructions, std::size_t pieces) {
  Function& mine = current.lane[emulated::lane()].functions[function];
  mine.instructions = instructions;
  mine.pieces.resize(pieces);
  return mine;
}

void touch(int function, int site, u64 address, u32 bytes, bool writes) {
  Lane& lane = current.lane[emulated::lane()];
  const u64 number = u64(function) << 32 | u64(site);
  Site& mine = lane.sites[number];
  if (mine.addresses.empty()) lane.touched.push_back(number);
  mine.bytes = bytes;
  mine.writes = writes;
  mine.addresses.push_back(address);
}

std::map<std::string, KernelCount> counted_kernels() {
  finish_warp();
  return counts;
}

}  // namespace ptx
