#pragma once

#include <string>
#include <utility>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/selection.hpp"

namespace carom {

/// One distinct velocity after a step, and impulses that lead to it.
struct StepAnswer {
  Eigen::VectorXd velocity;            ///< nv
  Eigen::VectorXd normal_impulse;      ///< m, N·s, of the first mode
  Eigen::VectorXd tangential_impulse;  ///< m d, N·s, of the first mode
  double energy = 0.0;                 ///< kinetic, J
  double residual = 0.0;               ///< scaled complementarity residual (docs/residual.md)
  /// Contact modes that lead to this velocity, one digit (letter from 10 on) per contact: 0 no
  /// impulse; then below the cap with stick, slide +, slide -; then at the cap with the same. In
  /// space: stick, the k directions, the k edges between them. A contact with mu = 0 has 1 below
  /// the cap and 2 at it. All modes where modes were enumerated; where signs were searched, the one
  /// that the velocity itself has, with 0 for a contact whose cap is 0.
  std::vector<std::string> modes;
  bool on_continuum = false;  ///< whether the velocity is an end of a segment
};

/// All solutions of one step LCP.
struct StepAnswers {
  std::vector<StepAnswer> answers;  ///< distinct velocities, ends of segments among them
  /// End velocities (nv each, m/s) of the segments that a continuum of solutions forms; where it
  /// has more dimensions, two extremes of one of its parts.
  std::vector<std::pair<Eigen::VectorXd, Eigen::VectorXd>> segments;
  /// Solutions that are not connected: an answer alone, or a continuum with all its ends and
  /// segments.
  std::size_t components = 0;
  /// Whether these are all solutions: false if a search of more than a million nodes was given up
  /// (random lines then look for more), or if there was no room for all of them.
  bool complete = true;
  double merge_tolerance = 0.0;  ///< m/s: contact velocities that differ by less count as equal
};

/// Every solution of the step LCP (Halm & Posa, Eq. 72-75) at `velocity` with the caps (m, N·s),
/// by enumeration of contact modes or, if there are more than max_modes, by a search over the signs
/// of the contact speeds after the step: microseconds to a second, with many contacts minutes.
/// @throws InputError on a wrong size
StepAnswers all_step_solutions(const ImpactProblem& problem, const Eigen::VectorXd& velocity,
                               const Eigen::VectorXd& normal_impulse_cap);

/// Every solution of the simultaneous law (Anitescu & Potra; Halm & Posa, Eq. 31-33): the step
/// without caps.
/// @throws InputError as all_step_solutions
StepAnswers simultaneous_solutions(const ImpactProblem& problem, const Eigen::VectorXd& velocity);

/// How Solutions::all finds the solutions of this problem's steps: by the first method that fits.
/// @throws InputError if the problem breaks a rule
SolutionMethod solution_method(const ImpactProblem& problem);

/// Most contact modes that are enumerated: those of m <= 5 in the plane; in space m <= 3 with k = 4
/// or 6, and m <= 2 with k = 8.
inline constexpr int max_modes = 20'000;

/// Contact modes of a step: 7^m in the plane (3^m without friction), (2 (2k + 1) + 1)^m in space.
/// @throws InputError if the problem breaks a rule
double mode_count(const ImpactProblem& problem);

}  // namespace carom
