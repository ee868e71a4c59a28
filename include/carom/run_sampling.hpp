#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "carom/post_impact_set.hpp"
#include "carom/result_io.hpp"
#include "carom/scenario.hpp"

namespace carom {

/// How a run shows how it comes on, and what stops it.
struct RunControl {
  bool shows_progress = false;       ///< draws progress bars on standard error
  std::function<bool()> stop = {};   ///< asked after every chunk and stage; true ends the run
  double checkpoint_seconds = 60.0;  ///< between two checkpoints of the file; 0: there are none
};

/// What a message calls the argument for the output file, and that which overwrites any file.
struct OutputWords {
  const char* output = "--output";
  const char* force = "--force";
};

/// Refuses an output path where no file can be put, or that holds something else than a result of
/// Carom.
/// @param force whether any file may be overwritten
/// @throws InputError naming the argument and the rule
void check_output(const std::filesystem::path& file, bool force, const OutputWords& words = {});

/// Does what `carom sample` does: samples a scenario, from where `start` ended if there is one,
/// adds the evidence that the scenario asks for, stores rows and paths chunk by chunk if there is a
/// `writer` (null: no file), and puts the writer's file in place. Where the scenario wants a miss
/// probability, the run grows, and scenario.sampling.trajectories with it. A run that was stopped
/// leaves set and file marked incomplete, or without some evidence. If evidence fails, the file is
/// put in place before the error goes on.
/// @throws InputError and RunError as grow(), add_evidence() and ResultWriter
PostImpactSet run_sampling(Scenario& scenario, std::optional<PostImpactSet> start,
                           ResultWriter* writer, const RunControl& control = {});

}  // namespace carom
