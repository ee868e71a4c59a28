#pragma once

#include <vector>

#include "carom/impact_problem.hpp"

namespace carom {

/// A valid problem with only one of its contacts.
ImpactProblem contact_alone(const ImpactProblem& problem, int contact);

/// Result of a sequence of single-contact impacts.
struct SequenceOutcome {
  Eigen::VectorXd velocity;   ///< nv
  std::vector<double> path;   ///< rows x nv: velocities before and after each stage
  int stages = 0;             ///< single-contact impacts
  bool terminated = false;    ///< no contact approaches any more
  bool unique = true;         ///< false: some stage had several solutions
  int contact_unsolved = -1;  ///< a contact whose impact has no solution; -1: none
};

/// Solves one contact after the other, in cyclic order, with the simultaneous law for this contact
/// alone (Halm & Posa, Section 2.2.2; Eq. 31-33 with one row).
class SequenceResolver {
 public:
  /// @param tolerance m/s: a contact that approaches slower gets no impulse
  SequenceResolver(const ImpactProblem& problem, double tolerance, int max_stages);

  /// @param order contacts, each once. If a stage has several solutions, the solution of least
  /// kinetic energy is used.
  SequenceOutcome resolve(const std::vector<int>& order) const;

 private:
  const ImpactProblem& problem_;
  std::vector<ImpactProblem> alone_;  // one problem per contact, with this contact only
  double tolerance_;
  int max_stages_;
};

}  // namespace carom
