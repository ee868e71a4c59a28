#include "host/roll/rollout_mover.hpp"

#include <fmt/format.h>

#include "carom/error.hpp"
#include "host/roll/roll_plan.hpp"
#include "host/roll/rollout_device.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {

RolloutMover::RolloutMover(const RigidMechanism& mechanism, const SamplingOptions& sampling)
    : mechanism_(mechanism), law_(sampling, mechanism.restitution()), threads_(sampling.threads) {
  const auto nv = mechanism.system().velocities.size();
  const bool fits = nv <= LargestDeviceCapacity::velocities;
  // Impacts took an H100 longer than the processor beside it: a device is only taken if asked for.
  if (sampling.backend != Backend::cuda) return;
  if (law_.plan() != nullptr && fits) {
    cuda_ = mechanism.with_view([&](const auto& view) {
      return open_rollout_device<CudaRollouts>(sampling, view, *law_.plan());
    });
  } else {
    throw InputError(
        fits ? "backend is cuda (must be auto or cpu: in time, only the set-valued law without "
               "restitution runs on a device)"
             : fmt::format("backend is cuda (must be auto or cpu: a device moves at most {} "
                           "velocities, of which there are {})",
                           LargestDeviceCapacity::velocities, nv));
  }
}

std::uint64_t RolloutMover::chunk() const {
  constexpr std::uint64_t on_cpu = 256;
  constexpr std::uint64_t on_device = std::uint64_t{1} << 14;
  return cuda_ ? on_device : on_cpu;
}

void RolloutMover::move(const RolloutPlan& plan, std::uint64_t count,
                        const RolloutView& out) const {
  if (cuda_) cuda_->launch(plan, count, out);
  const RolloutLaw law = law_.law();
  const auto run = [&](std::uint64_t first, std::uint64_t some) {
    mechanism_.with_view([&](const auto& view) {
      item_runner().rollouts(view)(view, plan, law, first, some, out.from(first, plan.shape));
    });
  };
  on_threads(threads_, count, [&](std::uint64_t first, std::uint64_t some) {
    if (!cuda_) return run(first, some);
    for (std::uint64_t i = first; i < first + some; ++i) {
      if (out.status[i] == undecided_rollout) run(i, 1);
    }
  });
}

}  // namespace carom
