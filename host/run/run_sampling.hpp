#pragma once

#include <optional>

#include "carom/run_sampling.hpp"
#include "host/run/run_engine.hpp"

namespace carom {

/// run_sampling() with trajectories run by `engine`; null: by this process.
PostImpactSet run_sampling(Scenario& scenario, std::optional<PostImpactSet> start,
                           ResultWriter* writer, const RunControl& control, RunEngine* engine);

}  // namespace carom
