#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "host/bounds/certified_program.hpp"
#include "host/bounds/proof_work.hpp"
#include "host/bounds/step_space.hpp"

namespace carom {

/// What a given number of steps can reach: rows . y <= offsets.
struct TemplateBound {
  int steps = 0;  ///< 0: the budget was not enough for any
  std::vector<Eigen::VectorXd> rows;
  Eigen::VectorXd offsets;
  StepProgram::Counts counts;
};

/// @param most_programs linear programs after which the step that is being made is given up
/// @throws OutOfWork if `work` is stopped
TemplateBound template_bound(const StepSpace& space, int most_steps, std::uint64_t most_programs,
                             ProofWork& work);

}  // namespace carom
