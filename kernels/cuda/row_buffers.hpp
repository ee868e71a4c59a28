#pragma once

#include "kernels/cuda/device_buffer.hpp"
#include "kernels/launch/device_rows.hpp"
#include "kernels/trajectory/sample_view.hpp"

namespace carom {

template <MemoryKind kind>
struct BufferOf {
  template <class T>
  using Column = DeviceBuffer<T, kind>;
};

/// Memory for the rows of a launch.
template <MemoryKind kind>
struct RowBuffers {
  RowColumns<BufferOf<kind>::template Column> columns;

  RowBuffers(std::size_t rows, const RowShape& shape) {
    for_each_column(
        [&]<class T>(const ColumnInfo& info, DeviceBuffer<T, kind>& column) {
          column = DeviceBuffer<T, kind>(rows * shape.numbers(info.shape));
        },
        columns);
  }

  SampleView view() const {
    SampleView view;
    for_each_column(
        [](const ColumnInfo&, auto& pointer, const auto& column) { pointer = column.data(); }, view,
        columns);
    return view;
  }
};

/// Calls copy(to, from, bytes) for each array of `count` rows.
template <class Copy>
void for_each_array(const SampleView& to, const SampleView& from, std::size_t count,
                    const RowShape& shape, Copy&& copy) {
  for_each_column(
      [&]<class T>(const ColumnInfo& info, T* target, const T* source) {
        const std::size_t numbers = shape.numbers(info.shape);
        if (numbers > 0) copy(target, source, count * numbers * sizeof(T));
      },
      to, from);
}

/// Rows of one call that stay on the device.
struct RowsOnDevice final : DeviceRows {
  RowBuffers<MemoryKind::device> buffers;

  RowsOnDevice(int its_device, std::size_t count, const RowShape& its_shape)
      : buffers(count, its_shape) {
    view = buffers.view();
    shape = its_shape;
    rows = count;
    device = its_device;
  }

  void copy_to(const SampleView& out) const override {
    CAROM_CUDA_CHECK(cudaSetDevice(device));
    for_each_array(out, view, rows, shape, [](void* to, const void* from, std::size_t bytes) {
      CAROM_CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
    });
  }
};

}  // namespace carom
