#pragma once

#include <cstddef>

#include "kernels/cuda/cuda_check.hpp"

namespace carom {

enum class MemoryKind { device, pinned_host };

/// Owns an array in device memory, or in page-locked host memory, to which copies run at full speed
/// and concurrently with kernels.
template <class T, MemoryKind kind = MemoryKind::device>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    if (count == 0) return;
    void* memory = nullptr;
    if constexpr (kind == MemoryKind::device) {
      CAROM_CUDA_CHECK(cudaMalloc(&memory, bytes()));
    } else {
      CAROM_CUDA_CHECK(cudaMallocHost(&memory, bytes()));
    }
    data_ = static_cast<T*>(memory);
  }
  ~DeviceBuffer() {
    if constexpr (kind == MemoryKind::device) {
      cudaFree(data_);
    } else {
      cudaFreeHost(data_);
    }
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept : data_(other.data_), count_(other.count_) {
    other.data_ = nullptr;
    other.count_ = 0;
  }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    DeviceBuffer moved(static_cast<DeviceBuffer&&>(other));
    T* const data = data_;
    const std::size_t count = count_;
    data_ = moved.data_;
    count_ = moved.count_;
    moved.data_ = data;
    moved.count_ = count;
    return *this;
  }

  T* data() const { return data_; }
  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace carom
