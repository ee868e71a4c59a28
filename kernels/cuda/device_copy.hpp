#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"

namespace carom {

/// A copy of a plan, and of all arrays that it points to, in the memory of the current device.
template <class Plan>
class DeviceCopy {
 public:
  DeviceCopy() = default;
  /// @param place see assign()
  template <class Place>
  DeviceCopy(const Plan& host, Place&& place) {
    assign(host, place);
  }

  /// Copies another plan; its arrays take the memory of those before if they fit.
  /// @param place called as place(plan, array), calls array(pointer, count) for every array
  template <class Place>
  void assign(const Plan& host, Place&& place) {
    plan_ = host;
    Layout sizes;
    Plan measured = host;
    place(measured, sizes);
    if (memory_.count() < sizes.bytes()) {
      memory_ = {};  // freed before the new allocation
      memory_ = DeviceBuffer<unsigned char>(sizes.bytes());
    }
    if (sizes.bytes() == 0) return;
    std::vector<unsigned char> bytes(sizes.bytes());
    Layout copies(bytes.data(), memory_.data());
    place(plan_, copies);
    CAROM_CUDA_CHECK(
        cudaMemcpy(memory_.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    // The copy may be unfinished, and other streams do not wait for the default stream.
    CAROM_CUDA_CHECK(cudaDeviceSynchronize());
  }

  const Plan& plan() const { return plan_; }

 private:
  /// Places arrays one after the other; without memory, it only adds up their sizes.
  class Layout {
   public:
    Layout() = default;
    Layout(unsigned char* bytes, unsigned char* device) : bytes_(bytes), device_(device) {}

    /// Copies an array and the arrays that its entries point to; `pointer` then points to the copy
    /// on the device.
    template <class T>
    void operator()(T*& pointer, std::size_t count) {
      if (pointer == nullptr) return;
      constexpr std::size_t alignment = 64;  // of pivot trees' nodes
      used_ = (used_ + alignment - 1) / alignment * alignment;
      const std::size_t start = used_;
      used_ += count * sizeof(T);
      if constexpr (requires(std::remove_const_t<T> entry) { entry.for_each_array(*this); }) {
        for (std::size_t i = 0; i < count; ++i) {
          std::remove_const_t<T> entry = pointer[i];
          entry.for_each_array(*this);
          copy(&entry, sizeof(T), start + i * sizeof(T));
        }
      } else {
        copy(pointer, count * sizeof(T), start);
      }
      pointer = reinterpret_cast<T*>(device_ + start);
    }

    std::size_t bytes() const { return used_; }

   private:
    void copy(const void* from, std::size_t size, std::size_t to) {
      if (bytes_ != nullptr && size > 0) std::memcpy(bytes_ + to, from, size);
    }

    unsigned char* bytes_ = nullptr;
    unsigned char* device_ = nullptr;
    std::size_t used_ = 0;
  };

  Plan plan_;
  DeviceBuffer<unsigned char> memory_;
};

}  // namespace carom
