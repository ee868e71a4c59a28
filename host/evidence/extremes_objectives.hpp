#pragma once

#include <vector>

#include "carom/extremes.hpp"
#include "kernels/random/philox.hpp"

namespace carom {

/// The objectives of seek_extremes(), with names, ends and directions only: the greatest and the
/// least normal and tangential velocity of each contact in m/s, then the greatest products with
/// `random_directions` directions that are isotropic in the kinetic norm, in sqrt(J). `problem`
/// must be validated. A negative `random_directions`: none of these.
///
/// Then the greatest and the least value of each output. Their place behind all others leaves the
/// random numbers of the others' searches as they are without outputs.
std::vector<SoughtOutcome> extreme_objectives(const ImpactProblem& problem, const Philox& random,
                                              int random_directions, const Outputs& outputs = {});

}  // namespace carom
