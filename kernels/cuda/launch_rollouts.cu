#include "kernels/launch/launch_rollouts.hpp"

#include <cstring>
#include <variant>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_copy.hpp"
#include "kernels/cuda/items_kernel.hpp"
#include "kernels/cuda/rollout_buffers.hpp"
#include "kernels/cuda/start_for_rows.hpp"
#include "kernels/mechanisms/planar.hpp"
#include "kernels/mechanisms/spatial.hpp"
#include "kernels/rollout/rollout.hpp"
#include "kernels/rollout/set_valued_impact.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {
namespace {

template <class Mechanism, class Largest>
using Program = Rollout<Mechanism, SetValuedImpact<Largest, Effort::fast>, Largest, Effort::fast>;

/// Calls run(Largest{}) with the smallest size that holds all pairs that can act at a time; in
/// space, with the largest one, of which there is one kernel.
template <class Mechanism, class Run>
void with_largest(const Mechanism& mechanism, Run&& run) {
  if constexpr (Mechanism::tangent_dimension == 1) {
    const int acting = std::min(mechanism.pairs(), LargestDeviceCapacity::contacts);
    const ProblemShape shape{acting, mechanism.velocities(), 1, 2};
    with_size_up_to<LargestDeviceCapacity, false>(shape, run);
  } else {
    run(LargestDeviceCapacity{});
  }
}

}  // namespace

struct CudaRollouts::State {
  int device;
  std::string name;
  Stream stream;  ///< of the device, which is open by then
  std::variant<DeviceCopy<PlanarView>, DeviceCopy<SpatialView>> mechanism;
  int pairs;
  DeviceCopy<ImpactPlan> law;
  DeviceCopy<RolloutPlan> plan;
  RolloutBuffers rows;

  template <class View>
  State(int its_device, const View& view, const ImpactPlan& its_law)
      : device(its_device), name(open_device(its_device)), pairs(view.pairs) {
    const auto place = [](auto& its, auto& array) { its.for_each_array(array); };
    mechanism.template emplace<DeviceCopy<View>>().assign(view, place);
    law.assign(its_law, place);
    // Without rows: throws unless the device can run the kernel, and has room for its threads.
    start({}, 0);
    CAROM_CUDA_CHECK(cudaStreamSynchronize(stream.handle));
  }

  void start(const RolloutPlan& on_device, std::uint64_t count) const {
    std::visit(
        [&](const auto& copy) {
          start_with(mechanism_of(copy.plan(), on_device.reach()), on_device, count);
        },
        mechanism);
  }

  template <class Mechanism>
  void start_with(const Mechanism& its, const RolloutPlan& on_device, std::uint64_t count) const {
    with_largest(its, [&]<class Largest>(Largest) {
      using One = Program<Mechanism, Largest>;
      start_for_rows(run_items_kernel<One, RolloutView>, count, stream,
                     One{{{its, on_device}}, {law.plan()}}, std::uint64_t{0}, count, rows.view());
    });
  }
};

CudaRollouts::CudaRollouts(int device, const PlanarView& mechanism, const ImpactPlan& law)
    : state_(std::make_unique<State>(device, mechanism, law)) {}

CudaRollouts::CudaRollouts(int device, const SpatialView& mechanism, const ImpactPlan& law)
    : state_(std::make_unique<State>(device, mechanism, law)) {}

CudaRollouts::~CudaRollouts() = default;

void CudaRollouts::launch(const RolloutPlan& plan, std::uint64_t count, const RolloutView& out) {
  State& its = *state_;
  CAROM_CUDA_CHECK(cudaSetDevice(its.device));
  const int pairs = its.pairs;
  its.plan.assign(
      plan, [&](RolloutPlan& copy, auto& array) { copy.for_each_array(count, pairs, array); });
  its.rows.reserve(count, plan.shape);
  const RolloutPlan& on_device = its.plan.plan();
  its.start(on_device, count);
  its.rows.fetch(out, count, its.stream);
  std::vector<std::uint8_t> held(plan.held == nullptr ? 0 : count * static_cast<unsigned>(pairs));
  RolloutBuffers::fetch_array(held.data(), on_device.held, held.size(), its.stream);
  CAROM_CUDA_CHECK(cudaStreamSynchronize(its.stream.handle));
  for (std::uint64_t i = 0; i < count && !held.empty(); ++i) {
    if (out.status[i] == undecided_rollout) continue;
    std::memcpy(plan.held + i * static_cast<unsigned>(pairs),
                &held[i * static_cast<unsigned>(pairs)], static_cast<unsigned>(pairs));
  }
}

const std::string& CudaRollouts::device_name() const { return state_->name; }

}  // namespace carom
