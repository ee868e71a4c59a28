#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/impact/impact_plan.hpp"
#include "kernels/mechanisms/planar_view.hpp"
#include "kernels/mechanisms/spatial_view.hpp"
#include "kernels/rollout/rollout_plan.hpp"

namespace carom {

/// A CUDA device with a mechanism and the law of its impacts in its memory. Built without CUDA, the
/// constructor throws.
class CudaRollouts {
 public:
  /// @throws RunError if the device fails; InputError if there is no such device
  CudaRollouts(int device, const PlanarView& mechanism, const ImpactPlan& law);
  CudaRollouts(int device, const SpatialView& mechanism, const ImpactPlan& law);
  ~CudaRollouts();

  /// Moves `count` items. Rows of rollouts that double precision cannot decide have the status
  /// undecided_rollout and nothing else; `plan.held`, if there is one, is written for the others.
  /// @param plan with pointers into host memory. @throws RunError if the device fails
  void launch(const RolloutPlan& plan, std::uint64_t count, const RolloutView& out);

  const std::string& device_name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carom
