#include "carom/device_samples.hpp"

#include <utility>

#include "kernels/launch/device_rows.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {

DeviceSamples::DeviceSamples(std::unique_ptr<DeviceRows> rows, std::uint64_t first)
    : rows_(std::move(rows)), first_(first) {}
DeviceSamples::DeviceSamples(DeviceSamples&&) noexcept = default;
DeviceSamples& DeviceSamples::operator=(DeviceSamples&&) noexcept = default;
DeviceSamples::~DeviceSamples() = default;

std::uint64_t DeviceSamples::first() const { return first_; }
std::size_t DeviceSamples::size() const { return rows_->rows; }
const RowShape& DeviceSamples::shape() const { return rows_->shape; }
int DeviceSamples::device() const { return rows_->device; }
double DeviceSamples::kernel_seconds() const { return rows_->kernel_seconds; }
const RowPointers& DeviceSamples::columns() const { return rows_->view; }

SampleSet DeviceSamples::to_host() const {
  SampleSet samples;
  samples.first = first_;
  samples.resize(shape(), size());
  rows_->copy_to(view_of(samples));
  return samples;
}

}  // namespace carom
