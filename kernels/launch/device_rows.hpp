#pragma once

#include <cstddef>

#include "kernels/trajectory/sample_view.hpp"

namespace carom {

/// Rows in the memory of a device; whoever makes them knows how to free them.
struct DeviceRows {
  SampleView view;  ///< on the device
  RowShape shape;
  std::size_t rows = 0;
  int device = 0;
  double kernel_seconds = 0.0;  ///< from launches to their ends, without what the host mended

  DeviceRows() = default;
  virtual ~DeviceRows() = default;
  DeviceRows(const DeviceRows&) = delete;
  DeviceRows& operator=(const DeviceRows&) = delete;

  /// @param out as many rows of the host. @throws RunError if the device fails
  virtual void copy_to(const SampleView& out) const = 0;
};

}  // namespace carom
