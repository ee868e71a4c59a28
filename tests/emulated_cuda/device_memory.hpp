#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

namespace emulated {

[[noreturn]] inline void fail(const char* what) {
  std::fprintf(stderr, "emulated CUDA device: %s\n", what);
  std::abort();
}

/// Allocations in pages of their own, which end where nobody may touch anything.
class Memory {
 public:
  void* allocate(std::size_t bytes) {
    if (bytes > limit_ - in_use_) return nullptr;
    const std::size_t room = (bytes + page - 1) / page * page;
    void* const pages = mmap(nullptr, room + page, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) return nullptr;
    constexpr std::size_t alignment = 256;  // of CUDA
    const std::size_t taken = (bytes + alignment - 1) / alignment * alignment;
    auto* const start = static_cast<unsigned char*>(pages) + (room - taken);
    constexpr int garbage = 0xa5;
    std::memset(start, garbage, taken);
    mprotect(pages, room + page, PROT_NONE);
    blocks_[start] = {pages, room, bytes};
    in_use_ += bytes;
    return start;
  }
  void free(void* start) {
    const auto block = blocks_.find(start);
    if (block == blocks_.end()) fail("memory is freed that was not allocated");
    munmap(block->second.pages, block->second.room + page);
    in_use_ -= block->second.bytes;
    blocks_.erase(block);
  }
  /// Lets this process touch device memory, or not.
  void open(bool open) const {
    for (const auto& [start, block] : blocks_) {
      mprotect(block.pages, block.room, open ? PROT_READ | PROT_WRITE : PROT_NONE);
    }
  }
  bool has(const void* address, std::size_t bytes) const {
    auto block = blocks_.upper_bound(const_cast<void*>(address));
    if (block == blocks_.begin()) return false;
    --block;
    const auto* const at = static_cast<const unsigned char*>(address);
    return at + bytes <= static_cast<const unsigned char*>(block->first) + block->second.bytes;
  }

  std::size_t limit_ = std::size_t{4} << 30;
  std::size_t in_use_ = 0;
  std::size_t sent_ = 0;  ///< by the host

 private:
  static constexpr std::size_t page = 4096;
  struct Block {
    void* pages;
    std::size_t room;
    std::size_t bytes;
  };
  std::map<void*, Block> blocks_;
};

}  // namespace emulated
