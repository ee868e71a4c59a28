#pragma once

#include <cstdint>
#include <memory>

#include "carom/sample_set.hpp"

namespace carom {

struct DeviceRows;

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
  int velocities() const;         ///< nv
  int contacts() const;           ///< m
  int tangent_dimension() const;  ///< d
  int device() const;             ///< number of the CUDA device
  /// From the first launch to the last kernel's end by the device's clock (CUDA events), s; the few
  /// rows that double precision cannot decide are not in it, the CPU repeats them.
  double kernel_seconds() const;

  double* velocity() const;
  Status* status() const;
  double* energy() const;
  double* impulse() const;
  std::uint32_t* lcp_count() const;
  std::uint8_t* final_step() const;
  std::uint32_t* pivot_count() const;
  std::uint32_t* retry_count() const;
  std::uint32_t* table_count() const;
  std::uint16_t* solution_count() const;  ///< null unless all are found

  /// A copy in the host's memory. @throws RunError if the device fails
  SampleSet to_host() const;

 private:
  friend class Sampler;
  DeviceSamples(std::unique_ptr<DeviceRows> rows, std::uint64_t first);

  std::unique_ptr<DeviceRows> rows_;
  std::uint64_t first_ = 0;
};

}  // namespace carom
