#pragma once

#include <filesystem>
#include <optional>

#include "carom/post_impact_set.hpp"
#include "carom/result_io.hpp"
#include "carom/scenario.hpp"
#include "host/cli/options.hpp"
#include "host/ranks/crew.hpp"

namespace carom::cli {

/// --checkpoint SECONDS
void add_checkpoint_flag(CLI::App& command, std::optional<std::string>& seconds);

/// What a run works with.
struct RunMeans {
  ResultWriter* writer = nullptr;   ///< none: only the summary is wanted
  Crew* crew = nullptr;             ///< of a run on many ranks; none: this process alone
  double checkpoint_seconds = 0.0;  ///< between two checkpoints of the file; 0: none

  /// @param checkpoint as typed; without it, a run on many ranks has checkpoints
  /// @throws InputError if it is no number or negative
  RunMeans(ResultWriter* writer, Crew* crew, const std::optional<std::string>& checkpoint);
};

/// Samples a scenario, from where `start` ended if there is one, adds the evidence that it asks
/// for, with progress bars, stores rows and paths chunk by chunk if there is a `writer`, and puts
/// its file in place. Where the scenario wants a miss probability, the run grows and
/// scenario.sampling.trajectories with it. Under an InterruptGuard, a signal ends the run after the
/// chunk at hand; set and file are then marked incomplete, or lack some evidence. If evidence
/// fails, the file is put in place before the error goes on.
PostImpactSet run_sampling(Scenario& scenario, std::optional<PostImpactSet> start,
                           const RunMeans& means, const OutputFlags& flags);

/// Refuses an output path that is a folder or holds something else than a result of Carom.
/// @throws InputError
void check_output(const std::filesystem::path& file, bool force);

/// Exit code of a run; says on standard error if it was interrupted and how it goes on, if its
/// budget ended before the wanted bound held, or if LCPs failed and there is no outcome at all.
int conclude(const Scenario& scenario, const PostImpactSet& set, const std::filesystem::path& file);

}  // namespace carom::cli
