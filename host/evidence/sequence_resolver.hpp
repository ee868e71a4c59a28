#pragma once

#include <vector>

#include "carom/impact_problem.hpp"

namespace carom {

/// Result of a sequence of single-contact impacts.
struct SequenceOutcome {
  Eigen::VectorXd velocity;      ///< nv
  std::vector<double> path;      ///< rows x nv: velocities before and after each stage
  int stages = 0;                ///< single-contact impacts
  double largest_impulse = 0.0;  ///< N·s, normal, of a stage
  bool terminated = false;       ///< no contact approaches any more
  bool unique = true;            ///< false: some stage had several solutions
  int contact_unsolved = -1;     ///< a contact whose impact has no solution; -1: none
};

/// Solves one contact after the other, in cyclic order, each by a step of the sequential law.
class SequenceResolver {
 public:
  /// @param problem a valid one
  /// @param tolerance m/s: a contact that approaches slower gets no impulse
  SequenceResolver(const ImpactProblem& problem, double tolerance, int max_stages);

  /// @param order contacts, each once. If a stage has several solutions, the solution of least
  /// kinetic energy is used.
  SequenceOutcome resolve(const std::vector<int>& order) const;

 private:
  ImpactProblem problem_;
  std::vector<double> flat_;  // see StepLcpView
  double tolerance_;
  int max_stages_;
};

}  // namespace carom
