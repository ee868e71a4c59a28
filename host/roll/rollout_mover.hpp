#pragma once

#include <cstdint>
#include <memory>

#include "carom/sampling_options.hpp"
#include "host/roll/impact_in_time.hpp"
#include "host/roll/rigid_mechanism.hpp"
#include "kernels/launch/launch_rollouts.hpp"

namespace carom {

/// Moves rollouts of a mechanism on the CPU or on a CUDA device, with the same bits. It must not be
/// moved itself, since its law points into it.
class RolloutMover {
 public:
  /// Takes the CPU if the backend is automatic and no device can be used.
  /// @param mechanism must outlive the mover
  /// @throws InputError if the backend is cuda and the law runs on the CPU only; RunError if the
  /// backend is cuda and the device fails
  RolloutMover(const RigidMechanism& mechanism, const SamplingOptions& sampling);
  RolloutMover(const RolloutMover&) = delete;
  RolloutMover& operator=(const RolloutMover&) = delete;

  void move(const RolloutPlan& plan, std::uint64_t count, const RolloutView& out) const;

  /// How many rollouts one call moves at most.
  std::uint64_t chunk() const;
  /// Whether calls should move fewer where they take long: on the CPU.
  bool is_paced() const { return !cuda_; }

 private:
  const RigidMechanism& mechanism_;
  ImpactInTime law_;
  int threads_;
  std::unique_ptr<CudaRollouts> cuda_;
};

}  // namespace carom
