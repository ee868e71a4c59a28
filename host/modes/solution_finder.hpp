#pragma once

#include <vector>

#include "carom/solutions.hpp"
#include "host/modes/mode_table.hpp"

namespace carom {

/// Finds all solutions of many steps of one problem: it makes the mode table once.
class SolutionFinder {
 public:
  /// `problem` must be validated.
  /// @param capped the step LCP (Halm & Posa, Eq. 72-75); false: the simultaneous law, without caps
  /// @throws InputError if the problem has more than max_modes.
  SolutionFinder(const ImpactProblem& problem, bool capped);

  /// @param cap only for steps with caps
  StepAnswers find(const Eigen::VectorXd& velocity, const Eigen::VectorXd& cap = {}) const;

 private:
  ImpactProblem problem_;
  bool capped_;
  ModeTable table_;
  std::vector<double> data_;
  Eigen::VectorXd normal_admittance_;  // m, diagonal of the normal Delassus matrix
};

}  // namespace carom
