#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "carom/explore.hpp"
#include "carom/post_impact_set.hpp"
#include "carom/result_io.hpp"
#include "carom/scenario.hpp"

namespace carom {

/// How a run shows its progress, and what stops it.
struct RunControl {
  bool shows_progress = false;       ///< tells the progress on standard error
  std::function<bool()> stop = {};   ///< called after every chunk and stage; true ends the run
  double checkpoint_seconds = 60.0;  ///< between two checkpoints of the file; 0: no checkpoints
};

/// Names in messages of two arguments: the output file, and the permission to overwrite any file.
struct OutputWords {
  const char* output = "--output";
  const char* force = "--force";
};

/// Refuses an output path that cannot be written, or that holds anything but a result of Carom.
/// @param force whether any file may be overwritten
/// @throws InputError naming the argument and the rule
void check_output(const std::filesystem::path& file, bool force, const OutputWords& words = {});

/// Does what `carom sample` does: samples a scenario, or continues `start`; adds the evidence that
/// the scenario asks for; writes rows and paths chunk by chunk with `writer` (null: no file); and
/// puts the file in place. If the scenario bounds the miss probability, the run grows, and
/// scenario.sampling.trajectories with it. A stopped run leaves set and file marked incomplete, or
/// without some evidence. If evidence fails, the file is put in place before the error is thrown
/// on.
/// @throws InputError and RunError as grow(), add_evidence() and ResultWriter
PostImpactSet run_sampling(Scenario& scenario, std::optional<PostImpactSet> start,
                           ResultWriter* writer, const RunControl& control = {});

/// Does what `carom sample --explore` does: explores a scenario, or continues `start`, and writes
/// the file, also at checkpoints and if it is stopped.
/// @param scenario resolved, states how it is explored
/// @param file empty: none
/// @throws InputError and RunError as explore() and write_exploration()
Exploration run_exploration(const Scenario& scenario, std::optional<Exploration> start,
                            const std::filesystem::path& file, const RunControl& control = {});

}  // namespace carom
