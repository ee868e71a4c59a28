#pragma once

#include "carom/status.hpp"

namespace carom {

/// A solution is accepted up to this scaled complementarity residual (docs/residual.md).
inline constexpr double residual_tolerance = 1e-9;

/// What double precision could not decide and the caller did not ask to decide otherwise. Never
/// leaves kernels/: a launcher repeats such trajectories on the host with `Effort::thorough`.
inline constexpr Status undecided = static_cast<Status>(255);

enum class Effort {
  fast,     ///< double precision only
  thorough  ///< double-double precision where that fails, with other ties and covering vectors
};

/// How one step LCP went.
struct StepOutcome {
  Status status = Status::separated;  ///< `separated` = solved
  int pivots = 0;                     ///< of all attempts
  int retries = 0;                    ///< attempts beyond the first
  double residual = 0.0;
  bool tabulated = false;  ///< the solution is that of a table of known bases
};

}  // namespace carom
