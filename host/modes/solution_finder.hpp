#pragma once

#include <vector>

#include "carom/solutions.hpp"
#include "host/modes/mode_table.hpp"

namespace carom {

/// Finds all solutions of many steps of one problem: its mode table is made once.
class SolutionFinder {
 public:
  enum class Law {
    step,          ///< Halm & Posa, Eq. 72-75
    simultaneous,  ///< the same without caps
  };

  /// `problem` must be validated. @throws InputError if it has more than max_modes.
  SolutionFinder(const ImpactProblem& problem, Law law);

  /// `cap` is for Law::step.
  StepAnswers find(const Eigen::VectorXd& velocity, const Eigen::VectorXd& cap = {}) const;

 private:
  ImpactProblem problem_;
  Law law_;
  ModeTable table_;
  std::vector<double> data_;
  Eigen::VectorXd normal_admittance_;  // m, diagonal of the normal Delassus matrix
};

}  // namespace carom
