#pragma once

#include <cstdint>

#include "carom/row_columns.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// The part of a run that does not depend on the law: problems of one shape, `stride` doubles
/// apart.
struct RunPlan {
  const double* problems = nullptr;
  ProblemShape shape;
  RowShape rows;                       ///< shape of the rows
  std::uint64_t stride = 0;            ///< doubles per problem
  std::uint64_t trajectories = 0;      ///< M, per problem; 0: all items belong to the first problem
  std::uint64_t first_trajectory = 0;  ///< index of each problem's first trajectory
  int max_steps = 0;                   ///< N
  double tolerance = 0.0;              ///< m/s
  std::uint32_t seed = 0;
  std::uint32_t first_problem = 0;
  /// Null, or for each item script_steps x step_numbers numbers in (0, 1] instead of random ones:
  /// what the law draws in a step, see step_numbers() of its plan. Host memory, but for
  /// CudaLauncher::take_steps().
  const double* script = nullptr;
  int script_steps = 0;
  int step_numbers = 0;
  /// Null, or for each item the state from which it starts: impulses so far and contact speeds,
  /// m (1 + d) each, as speeds, then what else the law keeps. It then ends with its script, without
  /// Algorithm 2's final step.
  const double* start = nullptr;
  double* ends = nullptr;  ///< null, or for each item its state at the end
  int state_size = 0;      ///< numbers of a state
};

}  // namespace carom
