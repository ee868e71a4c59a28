#pragma once

#include <filesystem>

#include "carom/post_impact_set.hpp"
#include "carom/result_io.hpp"
#include "carom/scenario.hpp"
#include "host/cli/options.hpp"
#include "host/ranks/crew.hpp"
#include "host/ranks/many_ranks.hpp"
#include "host/run/run_sampling.hpp"

namespace carom::cli {

/// --checkpoint SECONDS
void add_checkpoint_flag(Command& command, std::optional<std::string>& seconds);

/// How a run shows its progress, and what stops it: --checkpoint and interrupts.
/// @param crew null: one process
/// @param checkpoint as typed; none: the default interval
/// @throws InputError if `checkpoint` is not a number or is negative
RunControl run_control(const Crew* crew, const std::optional<std::string>& checkpoint,
                       const OutputFlags& flags);

/// How a command runs: its flags, an InterruptGuard and the ranks.
class RunMeans {
 public:
  /// @param crew of a run on many ranks; null: this process alone
  /// @param writer of the file with the scenario's rows; null: no file
  /// @param checkpoint as typed; none: the default interval
  /// @throws InputError if `checkpoint` is not a number or is negative
  RunMeans(Crew* crew, const Scenario& scenario, const ResultWriter* writer,
           const std::optional<std::string>& checkpoint, const OutputFlags& flags);

  /// Calls run_sampling() with these settings.
  PostImpactSet run(Scenario& scenario, std::optional<PostImpactSet> start, ResultWriter* writer);

 private:
  std::optional<ManyRanks> ranks_;
  RunControl control_;
};

/// Exit code of a run; reports on standard error an interrupt and how to continue, a budget that
/// ended before the bound was reached, or failed LCPs without any outcome.
int conclude(const Scenario& scenario, const PostImpactSet& set, const std::filesystem::path& file);

}  // namespace carom::cli
