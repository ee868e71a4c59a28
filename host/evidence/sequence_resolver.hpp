#pragma once

#include <vector>

#include "carom/impact_problem.hpp"

namespace carom {

/// How a sequence of single-contact impacts ended.
struct SequenceOutcome {
  Eigen::VectorXd velocity;   ///< nv
  std::vector<double> path;   ///< rows x nv: velocities before and after each stage
  int stages = 0;             ///< single-contact impacts
  bool terminated = false;    ///< no contact approaches any more
  bool unique = true;         ///< false: some stage had several solutions
  int contact_unsolved = -1;  ///< a contact whose impact has no solution; -1: none
};

/// Resolves one contact after the other with the simultaneous law of that contact alone (Halm &
/// Posa, Section 2.2.2; Eq. 31-33 with one row), in a cycled order.
class SequenceResolver {
 public:
  /// @param tolerance m/s: a contact that approaches slower gets no impulse
  SequenceResolver(const ImpactProblem& problem, double tolerance, int max_stages);

  /// @param order contacts, each once. Where a stage has several solutions, the one of least
  /// kinetic energy is taken.
  SequenceOutcome resolve(const std::vector<int>& order) const;

 private:
  const ImpactProblem& problem_;
  std::vector<ImpactProblem> alone_;  // each contact as the only one
  double tolerance_;
  int max_stages_;
};

}  // namespace carom
