#pragma once

#include <cstdint>

#include "kernels/run_plan.hpp"
#include "kernels/sample_view.hpp"

namespace carom::test {

/// Items [first, first + count) in double precision only, as a GPU runs them: rows that this leaves
/// undecided are `undecided`.
void fast_items(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                const SampleView& out);

}  // namespace carom::test
