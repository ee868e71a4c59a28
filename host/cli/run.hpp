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

/// What a command's flags, an InterruptGuard and the ranks say of a run.
class RunMeans {
 public:
  /// @param crew of a run on many ranks; null: this process alone
  /// @param writer of the file with the scenario's rows; null: there is no file
  /// @param checkpoint as typed; without it, there are checkpoints all the same
  /// @throws InputError if it is no number or negative
  RunMeans(Crew* crew, const Scenario& scenario, const ResultWriter* writer,
           const std::optional<std::string>& checkpoint, const OutputFlags& flags);

  /// run_sampling() by these means.
  PostImpactSet run(Scenario& scenario, std::optional<PostImpactSet> start, ResultWriter* writer);

 private:
  std::optional<ManyRanks> ranks_;
  RunControl control_;
};

/// Exit code of a run; says on standard error if it was interrupted and how it goes on, if its
/// budget ended before the wanted bound held, or if LCPs failed and there is no outcome at all.
int conclude(const Scenario& scenario, const PostImpactSet& set, const std::filesystem::path& file);

}  // namespace carom::cli
