#include "carom/device_impact_law.hpp"

#include <optional>

#include "carom/error.hpp"
#include "host/sampling/host_worlds.hpp"
#include "host/sampling/sampler_state.hpp"
#include "host/sampling/worlds_setup.hpp"
#include "kernels/launch/launch_worlds.hpp"

namespace carom {

struct DeviceImpactLaw::State {
  ImpactLawOptions options;
  int device;
  ImpactBatch shape;  ///< of the worlds that `worlds` serves
  std::optional<WorldsSetup> setup;
  std::unique_ptr<CudaWorlds> worlds;

  bool serves(const ImpactBatch& batch) const {
    return worlds && batch.velocities == shape.velocities && batch.contacts == shape.contacts &&
           batch.tangent_dimension == shape.tangent_dimension &&
           batch.friction_directions == shape.friction_directions &&
           (batch.active == nullptr) == (shape.active == nullptr);
  }
};

DeviceImpactLaw::DeviceImpactLaw(const ImpactLawOptions& options, int device)
    : state_(std::make_unique<State>()) {
  state_->options = resolved(options);
  if (options.strict) throw InputError("strict is set (must not be on a device)");
  require_cuda_device(device);
  state_->device = device;
}

DeviceImpactLaw::~DeviceImpactLaw() = default;
DeviceImpactLaw::DeviceImpactLaw(DeviceImpactLaw&&) noexcept = default;
DeviceImpactLaw& DeviceImpactLaw::operator=(DeviceImpactLaw&&) noexcept = default;

RowShape DeviceImpactLaw::shape(const ImpactBatch& batch) const {
  return rows_of(batch, state_->options);
}

DeviceSamples DeviceImpactLaw::rows(const ImpactBatch& batch, std::uint64_t first) const {
  return DeviceSamples::State::samples(allocate_rows(state_->device, batch.size, shape(batch)),
                                       first);
}

void DeviceImpactLaw::operator()(std::uint64_t step, const ImpactBatch& batch,
                                 const RowPointers& out, std::uint64_t first, void* stream,
                                 bool waits) {
  State& its = *state_;
  require_batch(its.options, batch, first);
  if (batch.size == 0) return;
  if (!its.serves(batch)) {
    its.worlds.reset();
    its.setup.emplace(its.options, batch);
    its.worlds = std::make_unique<CudaWorlds>(its.device, its.setup->plan(step, batch, first));
    its.shape = batch;
  }
  its.worlds->launch(its.setup->plan(step, batch, first), out, stream);
  if (!waits) return;
  const SamplingOptions options = sampling_options(its.options);
  its.worlds->mend(out, stream, [&](const WorldsPlan& plan, const SampleView& row) {
    run_on_host(options, plan, 0, 1, row);
  });
}

}  // namespace carom
