#include "carom/device_samples.hpp"

#include <utility>

#include "host/sampling/sampler_state.hpp"

namespace carom {

DeviceSamples::DeviceSamples(std::unique_ptr<State> state) : state_(std::move(state)) {}
DeviceSamples::DeviceSamples(DeviceSamples&&) noexcept = default;
DeviceSamples& DeviceSamples::operator=(DeviceSamples&&) noexcept = default;
DeviceSamples::~DeviceSamples() = default;

std::uint64_t DeviceSamples::first() const { return state_->first; }
std::size_t DeviceSamples::size() const { return state_->rows->rows; }
const RowShape& DeviceSamples::shape() const { return state_->rows->shape; }
int DeviceSamples::device() const { return state_->rows->device; }
double DeviceSamples::kernel_seconds() const { return state_->rows->kernel_seconds; }
const RowPointers& DeviceSamples::columns() const { return state_->rows->view; }

SampleSet DeviceSamples::to_host() const {
  SampleSet samples;
  samples.first = first();
  samples.resize(shape(), size());
  state_->rows->copy_to(view_of(samples));
  return samples;
}

}  // namespace carom
