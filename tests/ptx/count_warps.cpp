// What warps of the translated kernels do: instructions, and cache lines that they touch.
#include "tests/ptx/count_warps.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

namespace ptx {
namespace {

constexpr unsigned lanes = 32;
constexpr u64 stack_bytes = u64{1} << 19;  // of a thread of the emulated device
constexpr u64 word_bytes = 4;              // of local memory: the same word of all lanes is a line
constexpr u64 sector_bytes = 32;
constexpr u64 line_bytes = 128;

struct Site {
  u32 bytes = 0;
  bool writes = false;
  std::vector<u64> addresses;
};

struct Function {
  const u32* instructions = nullptr;  ///< of each piece
  std::vector<u64> pieces;
};

struct Lane {
  bool begun = false;
  u64 frame = 0;
  std::unordered_map<int, Function> functions;
  std::unordered_map<u64, Site> sites;

  bool is_local(u64 address) const { return address < frame && frame - address < stack_bytes; }
};

/// The warp that runs, until the first thread of the next one.
struct Warp {
  const Kernel* kernel = nullptr;
  u32 block = 0;
  u32 first_thread = 0;
  std::array<Lane, lanes> lane;
};

Warp current;
std::map<std::string, KernelCount> counts;

void add_pieces(KernelCount& count) {
  std::map<int, Function> most;
  for (const Lane& lane : current.lane) {
    for (const auto& [number, function] : lane.functions) {
      const std::size_t size = function.pieces.size();
      Function& longest = most[number];
      std::vector<u64>& sum = count.functions[number].lanes;
      longest.instructions = function.instructions;
      longest.pieces.resize(size);
      sum.resize(size);
      for (std::size_t i = 0; i < size; ++i) {
        longest.pieces[i] = std::max(longest.pieces[i], function.pieces[i]);
        sum[i] += function.pieces[i];
      }
    }
  }
  u64& turns = count.turns.emplace_back(0);
  for (const auto& [number, longest] : most) {
    std::vector<u64>& sum = count.functions[number].warps;
    sum.resize(longest.pieces.size());
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] += longest.pieces[i];
      turns += longest.pieces[i] * longest.instructions[i];
    }
  }
}

/// The same access of all lanes, each for the time `turn`.
void add_access(KernelCount& count, u64 site, std::size_t turn) {
  std::set<u64> sectors, lines;
  AccessCount* sum = nullptr;
  for (unsigned i = 0; i < lanes; ++i) {
    const Lane& lane = current.lane[i];
    const auto found = lane.sites.find(site);
    if (found == lane.sites.end() || found->second.addresses.size() <= turn) continue;
    const auto& [bytes, writes, addresses] = found->second;
    const u64 at = addresses[turn];
    const bool local = lane.is_local(at);
    if (sum == nullptr) {
      sum =
          &count.accesses[std::string(local ? "local" : "global") + (writes ? " store" : " load")];
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
    } else {
      for (u64 s = at / sector_bytes; s <= (at + bytes - 1) / sector_bytes; ++s) {
        sectors.insert(s);
        lines.insert(s * sector_bytes / line_bytes);
      }
    }
  }
  sum->sectors += sectors.size();
  sum->lines += lines.size();
}

void add_accesses(KernelCount& count) {
  std::map<u64, std::size_t> turns;
  for (const Lane& lane : current.lane) {
    std::set<u64> words;
    for (const auto& [site, accesses] : lane.sites) {
      turns[site] = std::max(turns[site], accesses.addresses.size());
      for (const u64 at : accesses.addresses) {
        if (!lane.is_local(at)) continue;
        for (u64 b = 0; b < accesses.bytes; b += word_bytes) words.insert((at + b) / word_bytes);
      }
    }
    count.local_words += words.size();
  }
  for (const auto& [site, most] : turns) {
    for (std::size_t turn = 0; turn < most; ++turn) add_access(count, site, turn);
  }
}

void finish_warp() {
  if (current.kernel == nullptr) return;
  KernelCount& count = counts[current.kernel->name];
  count.threads += static_cast<u64>(std::ranges::count(current.lane, true, &Lane::begun));
  add_pieces(count);
  add_accesses(count);
  current = {};
}

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
  }
  Lane& lane = current.lane[emulated::lane()];
  lane.begun = true;
  lane.frame = frame;
}

u64* piece_counts(int function, const u32* instructions, std::size_t pieces) {
  Function& mine = current.lane[emulated::lane()].functions[function];
  mine.instructions = instructions;
  mine.pieces.resize(pieces);
  return mine.pieces.data();
}

void touch(int function, int site, u64 address, u32 bytes, bool writes) {
  Site& mine = current.lane[emulated::lane()].sites[u64(function) << 32 | u64(site)];
  mine.bytes = bytes;
  mine.writes = writes;
  mine.addresses.push_back(address);
}

std::map<std::string, KernelCount> counted_kernels() {
  finish_warp();
  return counts;
}

}  // namespace ptx
