#pragma once

#include <cstdint>
#include <memory>

#include "carom/device_samples.hpp"
#include "carom/impact_batch.hpp"
#include "carom/impact_law.hpp"
#include "carom/row_columns.hpp"

namespace carom {

/// The ImpactLaw of worlds whose arrays lie in the memory of a CUDA device, where their outcomes
/// stay. Nothing is copied to the host but worlds that double precision cannot decide, those with
/// more than 12 active contacts in the plane, 8 in space (16 under law propagative) or 48
/// velocities, and those that ImpactLaw prepares one by one. The bits are those of ImpactLaw.
///
/// Calls are for one thread at a time, and on one stream at a time.
class DeviceImpactLaw {
 public:
  /// @param options of any law
  /// @throws InputError if an option breaks a rule, or is `strict`, which needs the host; if there
  /// is no such device; RunError if the device cannot be used
  explicit DeviceImpactLaw(const ImpactLawOptions& options, int device = 0);
  ~DeviceImpactLaw();
  DeviceImpactLaw(DeviceImpactLaw&&) noexcept;
  DeviceImpactLaw& operator=(DeviceImpactLaw&&) noexcept;

  /// Sizes of the rows of a batch.
  RowShape shape(const ImpactBatch& batch) const;

  /// New memory for the outcomes of a batch: its columns() are an `out` below.
  /// @param first index of the first problem. @throws RunError if the device's memory is short
  DeviceSamples rows(const ImpactBatch& batch, std::uint64_t first = 0) const;

  /// Puts the outcomes of a batch on a stream. The first call of a shape (velocities, contacts, d,
  /// k, whether `active` is given) allocates; the others do not, unless the batch is larger.
  /// @param batch with device pointers; its impulse_step spans device memory, too
  /// @param out device pointers, rows 0, 1, ...; what is null is not wanted. `velocity` may be the
  /// batch's pre_impact_velocity
  /// @param stream a cudaStream_t of the device; null: the default stream
  /// @param waits whether the call waits for the kernels and has the rows that need the host solved
  /// by the CPU. If not, they keep their velocity and have the status 255.
  /// @throws InputError if sizes break a rule; RunError if the device fails
  void operator()(std::uint64_t step, const ImpactBatch& batch, const RowPointers& out,
                  std::uint64_t first = 0, void* stream = nullptr, bool waits = true);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carom
