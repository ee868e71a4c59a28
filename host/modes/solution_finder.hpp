#pragma once

#include <optional>
#include <vector>

#include "carom/solutions.hpp"
#include "host/modes/mode_table.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/step/contact_step.hpp"

namespace carom {

/// Finds all solutions of many steps of one problem: by the mode table, which it makes once, or, if
/// there are more than max_modes, by a search over signs.
class SolutionFinder {
 public:
  /// `problem` must be validated.
  /// @param capped the step LCP (Halm & Posa, Eq. 72-75); false: the simultaneous law, without caps
  SolutionFinder(const ImpactProblem& problem, bool capped);
  /// @param by_modes whether the table is used
  /// @throws InputError if it is and the problem has too many modes
  SolutionFinder(const ImpactProblem& problem, bool capped, bool by_modes);

  /// @param cap only for steps with caps
  /// @param most_nodes a search over signs is given up, incomplete, at this number; by default
  /// after some ten seconds
  StepAnswers find(const Eigen::VectorXd& velocity, const Eigen::VectorXd& cap = {},
                   std::optional<int> most_nodes = {}) const;

 private:
  StepAnswers enumerate(const StepLcpView& view, const Eigen::VectorXd& velocity,
                        const ContactStep<LargestCapacity>& step) const;
  StepAnswers search(const StepLcpView& view, const Eigen::VectorXd& velocity,
                     const ContactStep<LargestCapacity>& step, int most_nodes) const;

  ImpactProblem problem_;
  bool capped_;
  std::optional<ModeTable> table_;
  std::vector<double> data_;
  Eigen::VectorXd normal_admittance_;  // m, diagonal of the normal Delassus matrix
};

}  // namespace carom
