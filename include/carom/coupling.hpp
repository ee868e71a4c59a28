#pragma once

#include <Eigen/Core>
#include <vector>

#include "carom/impact_problem.hpp"

namespace carom {

/// What the contacts of a problem do to one another, and whether outcomes depend on their order
/// (Pace & Burden, Section 2; docs/linearise.md).
struct Coupling {
  enum class Verdict {
    orthogonal,  ///< no friction, all normals orthogonal: continuous, derivatives from either side
    decoupled,   ///< with friction: the impact splits into one for each contact
    obtuse,      ///< no friction, no cosine > 0: touching one presses the others on; continuous if
                 ///< plastic
    coupled,     ///< outcomes jump with the order of contacts
  };
  /// m x m: cosines between normals in the kinetic metric.
  Eigen::MatrixXd normal = {};
  /// m x m: the largest cosine between the force directions (normal, and tangents where a contact
  /// has friction) of two contacts in the kinetic metric, 0 ... 1.
  Eigen::MatrixXd contact = {};
  /// The contacts, ascending, in groups that do not act on one another: no impulse in one changes
  /// a speed in another. Outcomes of the problem are those of its groups, each with each.
  std::vector<std::vector<int>> groups = {};
  Verdict verdict = Verdict::orthogonal;
  /// By how much separating speeds differ between two orders of the contacts that approach at the
  /// problem's speeds, m/s, at most; contacts that rest are closed. Friction is left out.
  double jump = 0.0;
  int first = -1, second = -1;  ///< where those orders begin to differ; -1 if there is no jump
  /// Whether all orders were followed. Else, as of redundant contacts or more than five that
  /// approach, those of two contacts alone were: several may jump farther.
  bool all_orders = true;
};

/// Name of a verdict: "orthogonal", "decoupled", "obtuse" or "coupled".
const char* verdict_name(Coupling::Verdict verdict);

/// Coupling::groups alone, which cost little. @throws InputError if the problem breaks a rule
std::vector<std::vector<int>> contact_groups(const ImpactProblem& problem);

/// @throws InputError if the problem breaks a rule
Coupling coupling(const ImpactProblem& problem);

}  // namespace carom
