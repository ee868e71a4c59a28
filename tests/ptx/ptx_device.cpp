// Runs the translated kernels on the device that the CPU plays, in place of what the host's
// compiler made of them.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "tests/ptx/count_warps.hpp"
#include "tests/ptx/ptx_device.hpp"
#include "tests/ptx/ptx_runtime.hpp"

namespace ptx {

int slip = -1;

namespace {

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "translated PTX: %s\n", what);
  std::abort();
}

std::set<std::string>& names_of_started() {
  static std::set<std::string> names;
  return names;
}

emulated::Translation find_kernel(const void* host, std::span<const std::size_t> bytes) {
  const std::span kernels(all_kernels.kernel, all_kernels.count);
  const auto found = std::ranges::find(kernels, host, &Kernel::host);
  if (found == kernels.end()) fail("a kernel is started that was not translated");
  if (!std::ranges::equal(bytes, std::span(found->parameter_bytes, found->parameters))) {
    fail("nvcc has other parameters of a kernel than the host's compiler");
  }
  names_of_started().insert(found->name);
  return [&kernel = *found](const u8* const* parameter) {
#if defined(CAROM_COUNT_PTX)
    begin_thread(kernel, reinterpret_cast<u64>(__builtin_frame_address(0)));
#endif
    kernel.run(parameter, nullptr);
  };
}

/// What lane `from` of the segment gives, or the lane's own number if `from` is beyond `last`.
u32 shuffle(const char* kind, u32 mask, u32 number, u32 from, u32 last, bool& inside) {
  const auto& given = emulated::exchange_in_warp(kind, mask, number);
  inside = from <= last;
  return static_cast<u32>(given[inside ? from : emulated::lane()]);
}

/// The last lane of the segment that the upper bits of shfl's last operand cut.
u32 last_lane(u32 clamp) {
  const u32 segment = clamp >> 8 & 31;
  return (emulated::lane() & segment) | (clamp & 31 & ~segment);
}

const bool taken = (emulated::take_translations(find_kernel), true);

}  // namespace

std::set<std::string> started_kernels() { return names_of_started(); }

u32 thread_index() { return threadIdx.x; }
u32 block_index() { return blockIdx.x; }
u32 block_size() { return blockDim.x; }
u32 grid_size() { return gridDim.x; }
u64 shared_memory() { return reinterpret_cast<u64>(carom::shared_memory); }
u32 ballot(u32 mask, bool vote) { return __ballot_sync(mask, vote); }
u32 match_any(u32 mask, u64 number) { return __match_any_sync(mask, number); }
void wait_for_warp(u32 mask) { emulated::exchange_in_warp("bar", mask, 0); }
u32 shuffle_down(u32 mask, u32 number, u32 distance, u32 clamp, bool& inside) {
  return shuffle("shfl_down", mask, number, emulated::lane() + (distance & 31), last_lane(clamp),
                 inside);
}
u32 shuffle_index(u32 mask, u32 number, u32 lane, u32 clamp, bool& inside) {
  const u32 segment = clamp >> 8 & 31;
  return shuffle("shfl_idx", mask, number, (emulated::lane() & segment) | (lane & 31 & ~segment),
                 last_lane(clamp), inside);
}
u32 shuffle_xor(u32 mask, u32 number, u32 other, u32 clamp, bool& inside) {
  return shuffle("shfl_bfly", mask, number, emulated::lane() ^ (other & 31), last_lane(clamp),
                 inside);
}

}  // namespace ptx
