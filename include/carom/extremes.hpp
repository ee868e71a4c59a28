#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/outputs.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// The outcome that a search found at one end of a quantity.
struct SoughtOutcome {
  std::string objective;  ///< "least normal velocity of A", "greatest along random direction 3"
  bool greatest = true;   ///< which end of the quantity was sought
  std::vector<double> direction;      ///< nv: the quantity is direction · velocity
  double sampled = 0.0;               ///< the quantity's end among the run's outcomes
  double found = 0.0;                 ///< the quantity of `velocity`
  std::vector<double> velocity = {};  ///< nv, m/s: the outcome farthest out
  double tolerance = 0.0;             ///< of the quantity: what counts as a gain is more than this
  double net_distance = 0.0;          ///< distance to the net before the search, in the net's norm
  std::uint64_t evaluations = 0;  ///< trajectories that the search sampled; 0: nothing was searched

  /// How far the search went beyond the run's outcomes; 0 up to `tolerance`.
  double gain() const {
    const double beyond = greatest ? found - sampled : sampled - found;
    return beyond > tolerance ? beyond : 0.0;
  }
};

/// Searches the ends of the set: for the greatest and the least normal and tangential velocity of
/// each contact, for the greatest product with each of `random_directions` directions (isotropic
/// in the kinetic norm, from the seed), and for the greatest and the least value of each output, a
/// cross-entropy search over the caps and selections of a trajectory's steps, started from the best
/// of the run's trajectories [0, options.trajectories), which are sampled again. The caps of the
/// search are of the same family as the run's: within (0, h]^m, below the factors of `weighted`, or
/// with the sum of `simplex` and `corners`. There is no guarantee that an end is reached. A
/// gain counts if it alone puts the outcome farther than 1 % of epsilon, in the net's norm, from
/// all of the run's outcomes: less is rounding, or detail that no net shows. The result depends on
/// problem and options only; it is empty if the run has no outcome.
/// @throws InputError if problem, options, outputs or a negative `random_directions` break a rule
std::vector<SoughtOutcome> seek_extremes(const ImpactProblem& problem,
                                         const SamplingOptions& options, int random_directions,
                                         const Outputs& outputs = {});

/// The ends of an output among the outcomes of a run and its search: the set reaches at least as
/// far.
struct OutputEnds {
  std::string name;
  std::vector<double> direction;  ///< nv
  double found_low = 0.0;         ///< direction · velocity
  double found_high = 0.0;
};

/// The ends of the outputs, in their order, from the sought outcomes of their run; empty if these
/// lack one.
std::vector<OutputEnds> output_ends(const Outputs& outputs,
                                    const std::vector<SoughtOutcome>& sought);

}  // namespace carom
