#pragma once

#include <cstdint>
#include <memory>

#include "kernels/compliant/compliant_plan.hpp"
#include "kernels/rollout/rollout_plan.hpp"

namespace carom {

/// A CUDA device for rollouts in compliant contact. Built without CUDA, the constructor throws.
class CudaCompliant {
 public:
  /// @param plan of the launches to come, except for its pointers
  /// @throws RunError if the device fails; InputError if there is no such device
  CudaCompliant(int device, const CompliantPlan& plan);
  ~CudaCompliant();

  /// Moves `count` items. @param plan with pointers into host memory
  /// @throws RunError if the device fails
  void launch(const CompliantPlan& plan, std::uint64_t count, const RolloutView& out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carom
