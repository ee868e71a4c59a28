#pragma once

#include "carom/impact_problem.hpp"

namespace carom {

/// @throws InputError unless the sizes of a problem's arrays agree, and the friction directions
/// suit.
void require_shapes(const ImpactProblem& problem);

/// @throws InputError unless the velocity has one entry per velocity and finite energy.
void check_velocity(const ImpactProblem& problem, const Eigen::VectorXd& velocity);

/// Checks velocity and caps (m, finite, >= 0) of one step of a validated problem.
/// @throws InputError naming the entry and the rule.
void check_step(const ImpactProblem& problem, const Eigen::VectorXd& velocity,
                const Eigen::VectorXd& cap);

}  // namespace carom
