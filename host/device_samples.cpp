#include "carom/device_samples.hpp"

#include <utility>

#include "kernels/device_rows.hpp"
#include "kernels/launch.hpp"

namespace carom {

DeviceSamples::DeviceSamples(std::unique_ptr<DeviceRows> rows, std::uint64_t first)
    : rows_(std::move(rows)), first_(first) {}
DeviceSamples::DeviceSamples(DeviceSamples&&) noexcept = default;
DeviceSamples& DeviceSamples::operator=(DeviceSamples&&) noexcept = default;
DeviceSamples::~DeviceSamples() = default;

std::uint64_t DeviceSamples::first() const { return first_; }
std::size_t DeviceSamples::size() const { return rows_->rows; }
int DeviceSamples::velocities() const { return rows_->shape.velocities; }
int DeviceSamples::contacts() const { return rows_->shape.contacts; }
int DeviceSamples::tangent_dimension() const { return rows_->shape.tangent_dimension; }
int DeviceSamples::device() const { return rows_->device; }
double DeviceSamples::kernel_seconds() const { return rows_->kernel_seconds; }

double* DeviceSamples::velocity() const { return rows_->view.velocity; }
Status* DeviceSamples::status() const { return rows_->view.status; }
double* DeviceSamples::energy() const { return rows_->view.energy; }
double* DeviceSamples::impulse() const { return rows_->view.impulse; }
std::uint32_t* DeviceSamples::lcp_count() const { return rows_->view.lcp_count; }
std::uint8_t* DeviceSamples::final_step() const { return rows_->view.final_step; }
std::uint32_t* DeviceSamples::pivot_count() const { return rows_->view.pivot_count; }
std::uint32_t* DeviceSamples::retry_count() const { return rows_->view.retry_count; }
std::uint32_t* DeviceSamples::table_count() const { return rows_->view.table_count; }
std::uint16_t* DeviceSamples::solution_count() const { return rows_->view.solution_count; }

SampleSet DeviceSamples::to_host() const {
  SampleSet samples;
  samples.first = first_;
  samples.velocities = velocities();
  samples.contacts = contacts();
  samples.tangent_dimension = tangent_dimension();
  samples.resize(size());
  if (solution_count() != nullptr) samples.solution_count.resize(size() * solution_bins);
  rows_->copy_to(view_of(samples));
  return samples;
}

}  // namespace carom
