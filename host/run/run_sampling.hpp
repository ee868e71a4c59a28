#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "carom/post_impact_set.hpp"
#include "carom/result_io.hpp"
#include "carom/scenario.hpp"
#include "host/run/run_engine.hpp"

namespace carom {

/// How a run shows how it comes on, and what stops it.
struct RunControl {
  bool shows_progress = false;  ///< bars on standard error
  std::function<bool()>
      stop;  ///< asked after every chunk and stage; true ends the run; empty: nothing
  double checkpoint_seconds = 60.0;  ///< between two checkpoints of the file; 0: none
  RunEngine* engine = nullptr;       ///< what runs the trajectories; null: this process
};

/// What a message calls the argument for the output file, and that which overwrites any file.
struct OutputWords {
  const char* output = "--output";
  const char* force = "--force";
};

/// Refuses an output path where no file can be put, or that holds something else than a result of
/// Carom.
/// @throws InputError
void check_output(const std::filesystem::path& file, bool force, const OutputWords& words = {});

/// Samples a scenario, from where `start` ended if there is one, adds the evidence that it asks
/// for, stores rows and paths chunk by chunk if there is a `writer`, and puts its file in place.
/// Where the scenario wants a miss probability, the run grows and scenario.sampling.trajectories
/// with it. A run that was stopped leaves set and file marked incomplete, or without some evidence.
/// If evidence fails, the file is put in place before the error goes on.
PostImpactSet run_sampling(Scenario& scenario, std::optional<PostImpactSet> start,
                           ResultWriter* writer, const RunControl& control);

}  // namespace carom
