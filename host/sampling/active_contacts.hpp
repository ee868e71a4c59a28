#pragma once

#include <vector>

#include "carom/impact_law.hpp"
#include "carom/impact_problem.hpp"

namespace carom {

/// A problem of a batch with its active contacts only, which keep their names of the batch.
/// @param contacts their numbers
ImpactProblem active_problem(const ImpactBatch& batch, std::size_t index,
                             std::vector<int>& contacts);

}  // namespace carom
