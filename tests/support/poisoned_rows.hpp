#pragma once

#include <cstring>

#include "host/problem/step_lcp.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "tests/support/same_bits.hpp"

namespace carom::test {

/// Rows in the shape of a plan, full of bytes that no run writes: what a run leaves out, or counts
/// on from, is seen.
inline SampleSet poisoned_rows(const SamplingPlan& plan, std::size_t rows) {
  SampleSet samples;
  samples.resize(plan.rows, rows);
  for_each_column(
      [](const ColumnInfo&, auto& column) {
        if (!column.empty()) std::memset(column.data(), 0xa5, column.size() * sizeof column[0]);
      },
      samples);
  return samples;
}

/// The same, as a Sampler of this problem shapes them.
inline SampleSet poisoned_rows(const ImpactProblem& problem, const SamplingOptions& options,
                               std::size_t rows) {
  SamplingPlan plan;
  plan.rows = rows_of(shape_of(problem), options);
  return poisoned_rows(plan, rows);
}

}  // namespace carom::test
