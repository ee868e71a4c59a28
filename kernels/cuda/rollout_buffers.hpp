#pragma once

#include "kernels/cuda/device_stream.hpp"
#include "kernels/cuda/row_buffers.hpp"
#include "kernels/rollout/rollout_plan.hpp"

namespace carom {

/// Memory of the current device for the rows of rollouts, launch after launch.
class RolloutBuffers {
 public:
  /// Makes room for at least this many rows.
  void reserve(std::uint64_t rows, const RolloutShape& shape) {
    if (rows <= capacity_ && shape == shape_) return;
    capacity_ = 0;
    columns_ = {};  // freed before the new allocation
    for_each_rollout_column(
        [&]<class T>(const RolloutColumnInfo& info, DeviceBuffer<T>& column) {
          column = DeviceBuffer<T>(rows * info.numbers(shape));
        },
        columns_);
    capacity_ = rows;
    shape_ = shape;
  }

  RolloutView view() const {
    RolloutView view;
    for_each_rollout_column([](const RolloutColumnInfo&, auto& pointer,
                               const auto& column) { pointer = column.data(); },
                            view, columns_);
    return view;
  }

  /// Copies the first rows to the host, in the stream's order.
  void fetch(const RolloutView& out, std::uint64_t rows, const Stream& stream) const {
    for_each_rollout_column(
        [&]<class T>(const RolloutColumnInfo& info, T* to, const T* from) {
          fetch_array(to, from, rows * info.numbers(shape_), stream);
        },
        out, view());
  }

  template <class T>
  static void fetch_array(T* to, const T* from, std::uint64_t numbers, const Stream& stream) {
    if (numbers == 0) return;
    CAROM_CUDA_CHECK(
        cudaMemcpyAsync(to, from, numbers * sizeof(T), cudaMemcpyDeviceToHost, stream.handle));
  }

 private:
  RolloutColumns<BufferOf<MemoryKind::device>::Column> columns_;
  RolloutShape shape_;
  std::uint64_t capacity_ = 0;  ///< rows
};

}  // namespace carom
