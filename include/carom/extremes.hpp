#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// The best outcome that a search found along one direction.
struct SoughtOutcome {
  std::string objective;          ///< "greatest normal velocity of A", "random direction 3"
  std::vector<double> direction;  ///< nv: the objective is its product with the velocity
  double sampled = 0.0;           ///< greatest value among the run's outcomes
  double found = 0.0;             ///< value of `velocity`
  std::vector<double> velocity;   ///< nv, an outcome
  double net_distance = 0.0;      ///< to the net before it was offered, in its norm
  std::uint64_t evaluations = 0;  ///< trajectories spent

  /// How far the search went beyond the run.
  double gain() const { return found - sampled; }
};

/// Pushes the set's ends outwards: for both signs of each contact's normal and tangential
/// coordinates and for `random_directions` directions (isotropic in the kinetic norm, from the
/// seed), a cross-entropy search over the caps and selections of a trajectory's steps, started from
/// the best of the run's trajectories [0, options.trajectories), which are repeated. Sought
/// outcomes have caps of the same family as the run's: within (0, h]^m, below the factors of
/// `weighted`, or with the sum of `simplex` and `corners`. Nothing says that an end is reached. A
/// function of problem and options; empty where the run has no outcome.
/// @throws InputError if problem, options or a negative `random_directions` break a rule
std::vector<SoughtOutcome> seek_extremes(const ImpactProblem& problem,
                                         const SamplingOptions& options, int random_directions);

}  // namespace carom
