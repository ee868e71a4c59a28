#pragma once

#include <cstdint>

#include "carom/impact_problem.hpp"

namespace carom {

/// How many velocities the steps of a problem can have, whatever the caps and the speeds before.
enum class StepSolutions {
  one,        ///< exactly one, proven
  connected,  ///< one, or a continuum of them: never two that are apart
  several,    ///< several are possible
  unknown,    ///< too many contacts to tell
};

/// Name in reports and JSON.
constexpr const char* step_solutions_name(StepSolutions solutions) {
  constexpr const char* names[] = {"one", "connected", "several", "unknown"};
  return names[static_cast<int>(solutions)];
}

/// Determinants of the linear systems that the sign patterns of a step have: each tells on which
/// side the map from impulses to speeds leaves a pattern. If all are positive, the piecewise linear
/// map is one-to-one.
struct Orientation {
  StepSolutions solutions = StepSolutions::unknown;
  double systems = 0.0;        ///< number of different linear systems
  std::uint64_t negative = 0;  ///< of these, with a negative determinant; 0 if `unknown`
  std::uint64_t singular = 0;  ///< with determinant 0, up to rounding
};

/// The orientation of a problem's steps. In the plane there are 5^m systems, in space
/// (3^f + 2^f)^m with f = k / 2; above 10^6 the answer is `unknown`, unless a condition that
/// suffices is met: frictions that are not too large for contacts that move independently.
/// @throws InputError if the problem breaks a rule
Orientation orientation(const ImpactProblem& problem);

}  // namespace carom
