#pragma once

#include <cstddef>
#include <cstdint>

#include "carom/row_columns.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// Destination of a launch's rows; pointers into host or device memory.
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

constexpr RowShape row_shape(const ProblemShape& shape, bool counts_solutions,
                             StepKind step = StepKind::lcp) {
  return {shape.velocities, shape.contacts, shape.tangent_dimension, counts_solutions, step};
}

}  // namespace carom
