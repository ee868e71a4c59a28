#pragma once

#include <cstdint>
#include <memory>

#include "carom/sample_set.hpp"

namespace carom {

/// The rows of a SampleSet in the memory of a CUDA device, where they were computed
/// (Sampler::sample_on_device). Every pointer is one into the device's memory; the numbers there
/// are the caller's to change, and stay while this object lives. Shapes and units are those of
/// SampleSet.
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
  /// Time from the first launch to the last kernel's end by the device's clock (CUDA events), s.
  /// The CPU repeats the few rows that double precision cannot decide: its time is not counted.
  double kernel_seconds() const;

  /// Pointers of the device, one per column.
  const RowPointers& columns() const;

  /// A copy of all rows in the host's memory. @throws RunError if the device fails
  SampleSet to_host() const;

  struct State;  ///< opaque; Carom's own code defines it

 private:
  explicit DeviceSamples(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace carom
