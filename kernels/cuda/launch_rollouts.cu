#include "kernels/launch/launch_rollouts.hpp"

#include <cstring>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_copy.hpp"
#include "kernels/cuda/items_kernel.hpp"
#include "kernels/cuda/rollout_buffers.hpp"
#include "kernels/cuda/start_for_rows.hpp"
#include "kernels/mechanisms/planar.hpp"
#include "kernels/rollout/rollout.hpp"
#include "kernels/rollout/set_valued_impact.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {
namespace {

template <class Largest>
using Program =
    Rollout<PlanarMechanism, SetValuedImpact<Largest, Effort::fast>, Largest, Effort::fast>;

}  // namespace

struct CudaRollouts::State {
  int device = 0;
  std::string name;
  Stream stream;
  PlanarView host_mechanism;
  DeviceCopy<PlanarView> mechanism;
  DeviceCopy<ImpactPlan> law;
  DeviceCopy<RolloutPlan> plan;
  RolloutBuffers rows;

  /// Calls run(Largest{}) with the smallest size that holds all pairs that can act at a time.
  template <class Run>
  void with_largest(Run&& run) const {
    const int acting = std::min(host_mechanism.pairs, max_acting);
    with_capacity(ProblemShape{acting, host_mechanism.coordinates, 1, 2}, run);
  }

  void start(const RolloutPlan& on_device, std::uint64_t count) const {
    with_largest([&]<class Largest>(Largest) {
      start_for_rows(run_items_kernel<Program<Largest>, RolloutView>, count, stream,
                     Program<Largest>{{{{mechanism.plan()}, on_device}}, {law.plan()}},
                     std::uint64_t{0}, count, rows.view());
    });
  }
};

CudaRollouts::CudaRollouts(int device, const PlanarView& mechanism, const ImpactPlan& law) {
  const std::string name = open_device(device);
  state_ = std::make_unique<State>();
  state_->device = device;
  state_->name = name;
  state_->host_mechanism = mechanism;
  const auto place = [](auto& its, auto& array) { its.for_each_array(array); };
  state_->mechanism.assign(mechanism, place);
  state_->law.assign(law, place);
  // Without rows: throws unless the device can run the kernel, and has room for its threads.
  state_->start({}, 0);
  CAROM_CUDA_CHECK(cudaStreamSynchronize(state_->stream.handle));
}

CudaRollouts::~CudaRollouts() = default;

void CudaRollouts::launch(const RolloutPlan& plan, std::uint64_t count, const RolloutView& out) {
  State& its = *state_;
  CAROM_CUDA_CHECK(cudaSetDevice(its.device));
  const int pairs = its.host_mechanism.pairs;
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
