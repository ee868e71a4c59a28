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
  std::vector<double> direction;  ///< nv: the search maximises direction · velocity
  double sampled = 0.0;           ///< greatest value among the run's outcomes
  double found = 0.0;             ///< value of `velocity`
  std::vector<double> velocity;   ///< nv, m/s: the best outcome
  double net_distance = 0.0;      ///< distance to the net before the search, in the net's norm
  std::uint64_t evaluations = 0;  ///< trajectories that the search sampled

  /// Gain of the search over the run's outcomes.
  double gain() const { return found - sampled; }
};

/// Searches the ends of the set: for both signs of each contact's normal and tangential coordinates
/// and for `random_directions` directions (isotropic in the kinetic norm, from the seed), a
/// cross-entropy search over the caps and selections of a trajectory's steps, started from the best
/// of the run's trajectories [0, options.trajectories), which are sampled again. The caps of the
/// search are of the same family as the run's: within (0, h]^m, below the factors of `weighted`, or
/// with the sum of `simplex` and `corners`. There is no guarantee that an end is reached. The
/// result depends on problem and options only; it is empty if the run has no outcome.
/// @throws InputError if problem, options or a negative `random_directions` break a rule
std::vector<SoughtOutcome> seek_extremes(const ImpactProblem& problem,
                                         const SamplingOptions& options, int random_directions);

}  // namespace carom
