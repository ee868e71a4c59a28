#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/laws/plan_list.hpp"

namespace carom {

/// A copy of a plan, and of all arrays that it points to, in the memory of the current device.
class DevicePlan {
 public:
  DevicePlan() = default;
  DevicePlan(const SamplingPlan& host, std::size_t problems) : plan_(host) {
    Layout sizes;
    SamplingPlan measured = host;
    place(measured, problems, sizes);
    memory_ = DeviceBuffer<unsigned char>(sizes.bytes());
    std::vector<unsigned char> bytes(sizes.bytes());
    Layout copies(bytes.data(), memory_.data());
    place(plan_, problems, copies);
    CAROM_CUDA_CHECK(
        cudaMemcpy(memory_.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    // The copy may be unfinished, and other streams do not wait for the default stream.
    CAROM_CUDA_CHECK(cudaDeviceSynchronize());
  }

  const SamplingPlan& plan() const { return plan_; }

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

  static void place(SamplingPlan& plan, std::size_t problems, Layout& layout) {
    layout(plan.problems, plan.stride * problems);
    visit_plan(plan.law, [&](auto& law) { law.for_each_array(plan.shape, problems, layout); });
  }

  SamplingPlan plan_;
  DeviceBuffer<unsigned char> memory_;
};

}  // namespace carom
