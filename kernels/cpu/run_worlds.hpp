#pragma once

#include <cstdint>

#include "kernels/base/qualifiers.hpp"
#include "kernels/impact/worlds_plan.hpp"
#include "kernels/trajectory/sample_view.hpp"

namespace carom::inline CAROM_ISA {

/// Runs worlds first, first + 1, ... into rows 0, 1, ... of `out`, on the calling thread.
void run_worlds(const WorldsPlan& plan, std::uint64_t first, std::uint64_t count,
                const SampleView& out);

}  // namespace carom::inline CAROM_ISA
