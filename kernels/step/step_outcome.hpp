#pragma once

#include "carom/status.hpp"

namespace carom {

/// Greatest scaled complementarity residual of an accepted solution (docs/residual.md).
inline constexpr double residual_tolerance = 1e-9;

/// Status of a step that `Effort::fast` cannot decide. It is never returned outside kernels/: a
/// launcher repeats such trajectories on the host with `Effort::thorough`.
inline constexpr Status undecided = static_cast<Status>(255);

enum class Effort {
  fast,     ///< double precision only
  thorough  ///< then double-double precision if that fails, with other ties and covering vectors
};

/// Result of solving one step LCP.
struct StepOutcome {
  Status status = Status::separated;  ///< `separated` = solved
  int pivots = 0;                     ///< of all attempts
  int retries = 0;                    ///< attempts beyond the first
  double residual = 0.0;
  bool tabulated = false;  ///< the solution comes from a table of known bases
};

}  // namespace carom
