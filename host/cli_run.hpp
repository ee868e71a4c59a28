#pragma once

#include <filesystem>
#include <optional>

#include "carom/post_impact_set.hpp"
#include "carom/result_io.hpp"
#include "carom/scenario.hpp"
#include "host/cli_options.hpp"

namespace carom::cli {

/// Samples a scenario, from where `start` ended if there is one, with a progress bar, stores rows
/// and paths chunk by chunk if there is a `writer`, and puts its file in place. Under an
/// InterruptGuard, a signal ends the run after the chunk at hand; set and file are then marked
/// incomplete.
PostImpactSet run_sampling(const Scenario& scenario, std::optional<PostImpactSet> start,
                           ResultWriter* writer, const OutputFlags& flags);

/// Refuses an output path that is a folder or holds something else than a result of Carom.
/// @throws InputError
void check_output(const std::filesystem::path& file, bool force);

/// Exit code of a run; says on standard error if it was interrupted and how it goes on, or if
/// LCPs failed and there is no outcome at all.
int conclude(const PostImpactSet& set, const std::filesystem::path& file);

}  // namespace carom::cli
