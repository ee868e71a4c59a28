// The emulated device itself: exchanges of warps, and what it tells of that a GPU would not.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/start_kernel.hpp"

namespace carom {
namespace {

struct Seen {
  unsigned ballot;
  unsigned match;
  std::uint64_t of_one;
  std::uint64_t across;
  std::uint64_t down;
};

void look_around(Seen* seen) {
  const unsigned lane = threadIdx.x % 32;
  Seen& mine = seen[blockIdx.x * blockDim.x + threadIdx.x];
  mine.ballot = __ballot_sync(0xffffffffu, lane % 3 == 0);
  mine.match = __match_any_sync(0xffffffffu, lane / 8);
  mine.of_one = __shfl_sync(0xffffffffu, 100 + lane, 7);
  mine.across = __shfl_xor_sync(0xffffffffu, 100 + lane, 5);
  mine.down = __shfl_down_sync(0xffffffffu, 100 + lane, 4);
}

TEST(EmulatedCuda, WarpsExchangeAsCudasDo) {
  constexpr unsigned threads = 64;
  constexpr unsigned blocks = 2;
  const Stream stream;
  const DeviceBuffer<Seen> seen(threads * blocks);
  start_kernel(look_around, {blocks, threads}, stream, seen.data());
  std::vector<Seen> here(threads * blocks);
  CAROM_CUDA_CHECK(cudaMemcpyAsync(here.data(), seen.data(), seen.bytes(), cudaMemcpyDeviceToHost,
                                   stream.handle));
  for (unsigned i = 0; i < here.size(); ++i) {
    const unsigned lane = i % 32;
    EXPECT_EQ(here[i].ballot, 0x49249249u);
    EXPECT_EQ(here[i].match, 0xffu << (lane / 8 * 8));
    EXPECT_EQ(here[i].of_one, 107u);
    EXPECT_EQ(here[i].across, 100 + (lane ^ 5));
    EXPECT_EQ(here[i].down, lane + 4 < 32 ? 104 + lane : 100 + lane);
  }
}

void write_beyond_shared_memory(std::size_t place) { shared_memory[place + threadIdx.x] = 1.0; }

TEST(EmulatedCudaDeathTest, LetsNoKernelLeaveItsSharedMemory) {
  const Stream stream;
  const Grid grid = {1, 32, 64 * sizeof(double)};
  start_kernel(write_beyond_shared_memory, grid, stream, std::size_t{32});
  cudaStreamSynchronize(stream.handle);
  EXPECT_DEATH(
      {
        start_kernel(write_beyond_shared_memory, grid, stream, std::size_t{33});
        cudaStreamSynchronize(stream.handle);
      },
      "beyond its shared memory");
}

void exchange_in_half_a_warp(int) {
  if (threadIdx.x < 16) __ballot_sync(0xffffffffu, true);
}

TEST(EmulatedCudaDeathTest, TellsOfExchangesToWhichNotAllCome) {
  EXPECT_DEATH(
      {
        const Stream stream;
        start_kernel(exchange_in_half_a_warp, {1, 32}, stream, 0);
        cudaStreamSynchronize(stream.handle);
      },
      "a lane has ended while others exchange");
}

TEST(EmulatedCudaDeathTest, LetsNoHostTouchItsMemory) {
  const DeviceBuffer<double> memory(4);
  EXPECT_DEATH(*memory.data() = 1.0, "");
}

void write_beyond(double* memory, int count) { memory[count + threadIdx.x] = 1.0; }

TEST(EmulatedCudaDeathTest, LetsNoKernelLeaveItsMemory) {
  const Stream stream;
  const DeviceBuffer<double> memory(512);
  EXPECT_DEATH(
      {
        start_kernel(write_beyond, {1, 32}, stream, memory.data(), 512);
        cudaStreamSynchronize(stream.handle);
      },
      "");
}

}  // namespace
}  // namespace carom
