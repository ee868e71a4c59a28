#pragma once

#include <cstdint>
#include <memory>

#include "carom/sample_set.hpp"

namespace carom {

/// The rows of a SampleSet in the memory of a CUDA device, where they were computed
/// (Sampler::sample_on_device). All pointers are device pointers; the caller may change the data,
/// which lives as long as this object. Shapes and units are those of SampleSet.
class DeviceSamples {
 public:
  DeviceSamples(DeviceSamples&&) noexcept;
  DeviceSamples& operator=(DeviceSamples&&) noexcept;
  ~DeviceSamples();

  /// Index of the first row.
  std::uint64_t first() const;
  /// Number of rows.
  std::size_t size() const;
  /// Sizes of a row.
  const RowShape& shape() const;
  /// Number of the CUDA device.
  int device() const;
  /// Time from the first launch to the end of the last kernel by the device's clock (CUDA events),
  /// s. It excludes the few rows that double precision cannot decide, which the CPU repeats.
  double kernel_seconds() const;

  /// Device pointers, one per column.
  const RowPointers& columns() const;

  /// A copy of all rows in host memory. @throws RunError if the device fails
  SampleSet to_host() const;

  struct State;  ///< opaque; Carom's own code defines it

 private:
  explicit DeviceSamples(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace carom
