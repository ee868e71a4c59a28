#pragma once

#include <cstring>

#include "host/sampling_plan.hpp"
#include "host/step_lcp.hpp"
#include "tests/support/same_bits.hpp"

namespace carom::test {

/// Rows in the shape of a plan, full of bytes that no run writes: what a run leaves out, or counts
/// on from, is seen.
inline SampleSet poisoned_rows(const SamplingPlan& plan, std::size_t rows) {
  SampleSet samples;
  shape_samples(plan, rows, samples);
  each_column(samples, samples, [](auto& column, auto&, std::size_t) {
    if (!column.empty()) std::memset(column.data(), 0xa5, column.size() * sizeof column[0]);
  });
  return samples;
}

/// The same, as a Sampler of this problem shapes them.
inline SampleSet poisoned_rows(const ImpactProblem& problem, const SamplingOptions& options,
                               std::size_t rows) {
  SamplingPlan plan = plan_options(options);
  plan.shape = shape_of(problem);
  return poisoned_rows(plan, rows);
}

}  // namespace carom::test
