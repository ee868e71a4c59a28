#pragma once

#include <vector>

#include "carom/impact_law.hpp"
#include "carom/impact_problem.hpp"
#include "kernels/problem/problem_arrays.hpp"

namespace carom {

/// The active contacts of a problem, and their arrays where not all are active.
struct ActiveContacts {
  std::vector<int> contacts;
  std::vector<double> normal_jacobian, tangent_jacobian, friction;
};

/// The arrays of a problem of a batch with its active contacts only.
/// @param own the memory of what is copied
ProblemArrays active_arrays(const ImpactBatch& batch, std::size_t index, const double* directions,
                            ActiveContacts& own);

/// The same as a separate problem; contacts keep their names of the batch.
ImpactProblem impact_problem(const ProblemShape& shape, const ProblemArrays& arrays,
                             const ActiveContacts& own);

}  // namespace carom
