#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "host/bounds/proof_work.hpp"
#include "host/bounds/push_program.hpp"

namespace carom {

/// How much a search over orders may take.
struct OrderLimits {
  int programs;           ///< no order is divided once so many were begun
  std::int64_t products;  ///< nor after so many, as PushProgram::solve() counts them
};

struct OrderBound {
  double most = -1.0;
  std::uint64_t programs = 0;  ///< that were solved, or begun
};

/// What goal . y of outcomes is at most, whatever the number of steps: the largest bound over all
/// orders of last pushes. Orders are told apart where the solution of those together is wrong, the
/// largest bound first (branch and bound).
/// @param goal a unit vector
/// @throws OutOfWork if `work` is stopped
OrderBound bound_by_orders(const PushSpace& space, const Eigen::VectorXd& goal,
                           const OrderLimits& limits, ProofWork& work);

}  // namespace carom
