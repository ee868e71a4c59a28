#pragma once

#include <cstdint>

#include "kernels/cuda/device_buffer.hpp"

namespace carom {

/// A stream of its own, which does not wait for the default stream, or the caller's.
struct Stream {
  cudaStream_t handle = nullptr;
  bool owned = true;
  Stream() { CAROM_CUDA_CHECK(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
  explicit Stream(cudaStream_t of_caller) : handle(of_caller), owned(false) {}
  ~Stream() {
    if (owned) cudaStreamDestroy(handle);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

/// Owns an event that times the work of a stream.
struct Event {
  cudaEvent_t handle = nullptr;
  Event() { CAROM_CUDA_CHECK(cudaEventCreate(&handle)); }
  ~Event() { cudaEventDestroy(handle); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(const Stream& stream) const {
    CAROM_CUDA_CHECK(cudaEventRecord(handle, stream.handle));
  }
  /// Time between two completed events by the device's clock, s.
  double seconds_since(const Event& earlier) const {
    float milliseconds = 0.0F;
    CAROM_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, earlier.handle, handle));
    return 1e-3 * static_cast<double>(milliseconds);
  }
};

/// A stream on which kernels run one after the other, with a list of rows that one kernel leaves to
/// the next.
struct Queue {
  Stream stream;
  DeviceBuffer<std::uint32_t> list;
  DeviceBuffer<unsigned> listed;

  /// @param capacity greatest number of rows on the list; 0: no list
  explicit Queue(std::size_t capacity) : list(capacity), listed(capacity > 0 ? 1 : 0) {}
  void empty_list() const {
    CAROM_CUDA_CHECK(cudaMemsetAsync(listed.data(), 0, listed.bytes(), stream.handle));
  }
};

}  // namespace carom
