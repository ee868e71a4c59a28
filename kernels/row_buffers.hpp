#pragma once

#include "carom/selection.hpp"
#include "kernels/device_buffer.hpp"
#include "kernels/device_rows.hpp"
#include "kernels/sample_view.hpp"

namespace carom {

/// Memory for the rows of a launch.
template <MemoryKind kind>
struct RowBuffers {
  DeviceBuffer<double, kind> velocity;
  DeviceBuffer<double, kind> impulse;
  DeviceBuffer<double, kind> energy;
  DeviceBuffer<std::uint32_t, kind> lcp_count;
  DeviceBuffer<std::uint32_t, kind> pivot_count;
  DeviceBuffer<std::uint32_t, kind> retry_count;
  DeviceBuffer<std::uint32_t, kind> table_count;
  DeviceBuffer<Status, kind> status;
  DeviceBuffer<std::uint8_t, kind> final_step;
  DeviceBuffer<std::uint16_t, kind> solution_count;

  RowBuffers(std::size_t rows, const ProblemShape& shape, bool counts_solutions)
      : velocity(rows * static_cast<std::size_t>(shape.velocities)),
        impulse(rows * static_cast<std::size_t>(shape.impulses())),
        energy(rows),
        lcp_count(rows),
        pivot_count(rows),
        retry_count(rows),
        table_count(rows),
        status(rows),
        final_step(rows),
        solution_count(counts_solutions ? rows * solution_bins : 0) {}

  SampleView view() const {
    return {velocity.data(),    impulse.data(),       energy.data(),      lcp_count.data(),
            pivot_count.data(), retry_count.data(),   table_count.data(), status.data(),
            final_step.data(),  solution_count.data()};
  }
};

/// Calls copy(to, from, bytes) for each array of `count` rows.
template <class Copy>
void for_each_array(const SampleView& to, const SampleView& from, std::size_t count,
                    const ProblemShape& shape, Copy&& copy) {
  copy(to.velocity, from.velocity,
       count * static_cast<std::size_t>(shape.velocities) * sizeof(double));
  copy(to.impulse, from.impulse,
       count * static_cast<std::size_t>(shape.impulses()) * sizeof(double));
  copy(to.energy, from.energy, count * sizeof(double));
  copy(to.lcp_count, from.lcp_count, count * sizeof(std::uint32_t));
  copy(to.pivot_count, from.pivot_count, count * sizeof(std::uint32_t));
  copy(to.retry_count, from.retry_count, count * sizeof(std::uint32_t));
  copy(to.table_count, from.table_count, count * sizeof(std::uint32_t));
  copy(to.status, from.status, count * sizeof(Status));
  copy(to.final_step, from.final_step, count * sizeof(std::uint8_t));
  if (to.solution_count != nullptr) {
    copy(to.solution_count, from.solution_count, count * solution_bins * sizeof(std::uint16_t));
  }
}

/// Rows of one call that stay on the device.
struct RowsOnDevice final : DeviceRows {
  RowBuffers<MemoryKind::device> buffers;

  RowsOnDevice(int its_device, std::size_t count, const ProblemShape& its_shape,
               bool counts_solutions)
      : buffers(count, its_shape, counts_solutions) {
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
