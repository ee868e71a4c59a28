#pragma once

#include "carom/run_sampling.hpp"
#include "host/explore/slot_runner.hpp"

namespace carom {

/// run_exploration() with slots run by `run`; null: by this process.
Exploration run_exploration(const Scenario& scenario, std::optional<Exploration> start,
                            const std::filesystem::path& file, const RunControl& control,
                            const RunSlots& run);

}  // namespace carom
