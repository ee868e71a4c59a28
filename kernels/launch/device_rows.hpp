#pragma once

#include <cstddef>

#include "kernels/trajectory/sample_view.hpp"

namespace carom {

/// Rows in the memory of a device; a derived class frees the memory.
struct DeviceRows {
  SampleView view;  ///< on the device
  RowShape shape;
  std::size_t rows = 0;
  int device = 0;
  double kernel_seconds = 0.0;  ///< of kernels, without the rows that the host repeated

  DeviceRows() = default;
  virtual ~DeviceRows() = default;
  DeviceRows(const DeviceRows&) = delete;
  DeviceRows& operator=(const DeviceRows&) = delete;

  /// @param out as many rows in host memory. @throws RunError if the device fails
  virtual void copy_to(const SampleView& out) const = 0;
};

}  // namespace carom
