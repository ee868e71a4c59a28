#pragma once

#include <cstddef>
#include <cstdint>

#include "carom/row_columns.hpp"
#include "carom/selection.hpp"
#include "kernels/caps_view.hpp"
#include "kernels/mode_table_view.hpp"
#include "kernels/pivot_tree.hpp"
#include "kernels/step_lcp_view.hpp"

namespace carom {

/// Where the rows of a launch go; pointers into host or device memory.
struct SampleView : RowPointers {
  /// The rows from `row` on.
  CAROM_VIEW_FUNCTION SampleView from(std::size_t row, const RowShape& shape) const {
    SampleView rest = *this;
    for_each_column([&](const ColumnInfo& info, auto*& column)
                        CAROM_INLINE_LAMBDA { column += row * shape.numbers(info.shape); },
                    rest);
    return rest;
  }
};

constexpr RowShape row_shape(const ProblemShape& shape, bool counts_solutions) {
  return {shape.velocities, shape.contacts, shape.tangent_dimension, counts_solutions};
}

/// Copies one row.
CAROM_VIEW_FUNCTION inline void copy_row(const SampleView& to, const SampleView& from,
                                         const RowShape& shape) {
  for_each_column(
      [&](const ColumnInfo& info, auto* target, const auto* source) CAROM_INLINE_LAMBDA {
        for (std::size_t i = 0; i < shape.numbers(info.shape); ++i) target[i] = source[i];
      },
      to, from);
}

/// What to sample: problems of one shape, `stride` doubles apart, and Algorithm 1's settings.
struct SamplingPlan {
  const double* problems = nullptr;
  ProblemShape shape;
  RowShape rows;                       ///< of what comes out
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
