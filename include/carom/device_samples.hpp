#pragma once

#include <cstdint>
#include <memory>

#include "carom/sample_set.hpp"

namespace carom {

/// The rows of a SampleSet in the memory of a CUDA device, where they were computed
/// (Sampler::sample_on_device). Every pointer is one of the device; what it points to is the
/// caller's to change, and there while this object lives. Shapes and units are those of SampleSet.
class DeviceSamples {
 public:
  DeviceSamples(DeviceSamples&&) noexcept;
  DeviceSamples& operator=(DeviceSamples&&) noexcept;
  ~DeviceSamples();

  std::uint64_t first() const;
  std::size_t size() const;
  const RowShape& shape() const;
  int device() const;  ///< number of the CUDA device
  /// From the first launch to the last kernel's end by the device's clock (CUDA events), s; the few
  /// rows that double precision cannot decide are not in it, the CPU repeats them.
  double kernel_seconds() const;

  /// Pointers of the device, one per column.
  const RowPointers& columns() const;

  /// A copy in the host's memory. @throws RunError if the device fails
  SampleSet to_host() const;

  struct State;  ///< Carom's own

 private:
  explicit DeviceSamples(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace carom
