#pragma once

#include <filesystem>

#include "carom/post_impact_set.hpp"
#include "carom/result_io.hpp"
#include "carom/scenario.hpp"
#include "host/cli/options.hpp"
#include "host/run_sampling.hpp"

namespace carom::cli {

/// What a command's flags and an InterruptGuard say of a run.
RunControl run_control(const OutputFlags& flags);

/// Exit code of a run; says on standard error if it was interrupted and how it goes on, if its
/// budget ended before the wanted bound held, or if LCPs failed and there is no outcome at all.
int conclude(const Scenario& scenario, const PostImpactSet& set, const std::filesystem::path& file);

}  // namespace carom::cli
