#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "carom/device_impact_law.hpp"
#include "kernels/cuda/device_stream.hpp"
#include "kernels/cuda/row_buffers.hpp"

namespace carom::test {

template <class T>
DeviceBuffer<T> on_device(const T* from, std::size_t count) {
  DeviceBuffer<T> buffer(count);
  if (count > 0) {
    CAROM_CUDA_CHECK(cudaMemcpy(buffer.data(), from, buffer.bytes(), cudaMemcpyHostToDevice));
  }
  return buffer;
}

/// A batch with its arrays in device memory.
class DeviceBatch {
 public:
  explicit DeviceBatch(const ImpactBatch& host) : batch(host) {
    const auto nv = static_cast<std::size_t>(host.velocities);
    const auto m = static_cast<std::size_t>(host.contacts);
    const auto d = static_cast<std::size_t>(host.tangent_dimension);
    const auto of = [&](bool one) { return one ? std::size_t{1} : host.size; };
    place(batch.mass_matrix, of(host.one_mass_matrix) * nv * nv);
    place(batch.normal_jacobian, of(host.one_normal_jacobian) * m * nv);
    place(batch.tangent_jacobian, of(host.one_tangent_jacobian) * m * d * nv);
    place(batch.friction, of(host.one_friction) * m);
    place(batch.pre_impact_velocity, host.size * nv);
    if (host.restitution != nullptr) place(batch.restitution, of(host.one_restitution) * m);
    if (host.active != nullptr) {
      active_ = on_device(host.active, host.size * m);
      batch.active = active_.data();
    }
    const double* step = host.impulse_step.data();
    if (!host.impulse_step.empty()) {
      place(step, host.impulse_step.size());
      batch.impulse_step = {step, host.impulse_step.size()};
    }
  }

  ImpactBatch batch;

 private:
  void place(const double*& pointer, std::size_t count) {
    arrays_.push_back(on_device(pointer, count));
    pointer = arrays_.back().data();
  }

  std::vector<DeviceBuffer<double>> arrays_;
  DeviceBuffer<std::uint8_t> active_;
};

/// Rows of a law's outcomes, computed on the device.
inline SampleSet device_outcomes(const ImpactLawOptions& options, std::uint64_t step,
                                 const ImpactBatch& host, const RowShape& shape,
                                 bool waits = true) {
  const DeviceBatch given(host);
  const RowBuffers<MemoryKind::device> rows(host.size, shape);
  const Stream stream;
  constexpr std::uint64_t first = 7;
  DeviceImpactLaw law(options);
  law(step, given.batch, rows.view(), first, stream.handle, waits);
  CAROM_CUDA_CHECK(cudaStreamSynchronize(stream.handle));
  SampleSet outcomes;
  outcomes.first = first;
  outcomes.resize(shape, host.size);
  for_each_column(
      [&](const ColumnInfo&, auto& to, const auto* from) {
        if (to.empty()) return;
        CAROM_CUDA_CHECK(
            cudaMemcpy(to.data(), from, to.size() * sizeof to[0], cudaMemcpyDeviceToHost));
      },
      outcomes, rows.view());
  return outcomes;
}

}  // namespace carom::test
