#pragma once

#include <cstdint>

#include "kernels/laws/plan_list.hpp"
#include "kernels/trajectory/sample_view.hpp"

namespace carom::test {

/// Items [first, first + count) in double precision only, as a GPU runs them: rows that this leaves
/// undecided are `undecided`.
void fast_items(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                const SampleView& out);

}  // namespace carom::test
