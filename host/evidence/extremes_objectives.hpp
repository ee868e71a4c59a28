#pragma once

#include <vector>

#include "carom/extremes.hpp"
#include "kernels/random/philox.hpp"

namespace carom {

/// The objectives of seek_extremes(), with names and directions only: both signs of each contact's
/// normal and tangential velocity in m/s, then `random_directions` products with directions that
/// are isotropic in the kinetic norm, in sqrt(J). `problem` must be validated.
std::vector<SoughtOutcome> extreme_objectives(const ImpactProblem& problem, const Philox& random,
                                              int random_directions);

}  // namespace carom
