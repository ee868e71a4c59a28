#pragma once

#include <cstddef>
#include <cstdint>

#include "carom/selection.hpp"
#include "carom/status.hpp"
#include "kernels/caps_view.hpp"
#include "kernels/mode_table_view.hpp"
#include "kernels/pivot_tree.hpp"
#include "kernels/step_lcp_view.hpp"

namespace carom {

/// Where the rows of SampleSet go; pointers into host or device memory.
struct SampleView {
  double* velocity = nullptr;               ///< rows x nv
  double* impulse = nullptr;                ///< rows x m (1 + d)
  double* energy = nullptr;                 ///< rows
  std::uint32_t* lcp_count = nullptr;       ///< rows
  std::uint32_t* pivot_count = nullptr;     ///< rows
  std::uint32_t* retry_count = nullptr;     ///< rows
  std::uint32_t* table_count = nullptr;     ///< rows
  Status* status = nullptr;                 ///< rows
  std::uint8_t* final_step = nullptr;       ///< rows
  std::uint16_t* solution_count = nullptr;  ///< rows x solution_bins; null unless all are found

  /// The rows from `row` on.
  CAROM_VIEW_FUNCTION SampleView from(std::size_t row, const ProblemShape& shape) const {
    return {velocity + row * static_cast<std::size_t>(shape.velocities),
            impulse + row * static_cast<std::size_t>(shape.impulses()),
            energy + row,
            lcp_count + row,
            pivot_count + row,
            retry_count + row,
            table_count + row,
            status + row,
            final_step + row,
            solution_count == nullptr
                ? nullptr
                : solution_count + row * static_cast<std::size_t>(solution_bins)};
  }
};

/// What to sample: problems of one shape, `stride` doubles apart, and Algorithm 1's settings.
struct SamplingPlan {
  const double* problems = nullptr;
  ProblemShape shape;
  std::uint64_t stride = 0;            ///< doubles per problem
  std::uint64_t trajectories = 0;      ///< M, per problem; 0: all items belong to the first problem
  std::uint64_t first_trajectory = 0;  ///< index of each problem's first trajectory
  int max_steps = 0;                   ///< N
  double tolerance = 0.0;              ///< m/s
  std::uint32_t seed = 0;
  std::uint32_t first_problem = 0;
  Solutions solutions = Solutions::first;
  CapsView caps;
  const ModeTableView* modes = nullptr;  ///< one per problem; null but for Solutions::all and table
  /// Null, or one per problem: paths of pivots known from a pilot run; without nodes where none
  /// are. They change no bit.
  const PivotTree* trees = nullptr;
  /// Null, or for each item max_steps x (m + 1) numbers in (0, 1] in place of random ones: a
  /// step's caps as parts of h, and what selects its solution. Host memory; CPU only.
  const double* script = nullptr;
};

}  // namespace carom
