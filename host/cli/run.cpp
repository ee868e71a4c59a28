#include "host/cli/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "carom/error.hpp"
#include "host/base/interrupt.hpp"
#include "host/base/standard_error.hpp"
#include "host/cli/terminal.hpp"
#include "host/result/row_shard_plan.hpp"
#include "host/run/evidence.hpp"
#include "host/run/run_notes.hpp"

namespace carom::cli {
namespace {

/// Why a growing run ended before it reached the bound, and what may help.
std::string unreached_text(const Scenario& scenario, const HoldOut& last) {
  const double wanted = scenario.evidence.miss;
  const int limit = scenario.sampling.max_steps;
  if (static_cast<double>(last.failures) <= wanted * static_cast<double>(last.trials)) {
    return fmt::format("the budget ended before the miss probability was shown to be {:.10g}",
                       wanted);
  }
  std::string text = fmt::format(
      "a miss probability of {:.10g} cannot be reached: {} of {} fresh trajectories ended without "
      "an outcome",
      wanted, last.failures, last.trials);
  if (limit < max_step_limit) {
    text += fmt::format("; --max-steps {} may help", std::min(2 * limit, max_step_limit));
  }
  return text;
}

}  // namespace

void add_checkpoint_flag(Command& command, std::optional<std::string>& seconds) {
  command.option(
      "--checkpoint", seconds, "S",
      "make FILE a valid result of what was sampled so far every S seconds, less often "
      "where that took over a twentieth of the time; 0: at the end only (default: 60, on "
      "many ranks 30)");
}

RunControl run_control(const Crew* crew, const std::optional<std::string>& checkpoint,
                       const OutputFlags& flags) {
  constexpr double on_many_ranks = 30.0;
  constexpr double longest = 1e9;  // more than any run
  RunControl control;
  control.shows_progress = !flags.quiet;
  control.stop = interrupted;
  if (crew != nullptr) control.checkpoint_seconds = on_many_ranks;
  if (!checkpoint) return control;
  control.checkpoint_seconds = parse_real("--checkpoint", *checkpoint);
  if (!(control.checkpoint_seconds >= 0.0 && control.checkpoint_seconds <= longest)) {
    throw InputError(fmt::format("--checkpoint is {} (must be 0 to 1e9 seconds)", *checkpoint));
  }
  return control;
}

RunMeans::RunMeans(Crew* crew, const Scenario& scenario, const ResultWriter* writer,
                   const std::optional<std::string>& checkpoint, const OutputFlags& flags)
    : control_(run_control(crew, checkpoint, flags)) {
  if (crew == nullptr) return;
  ranks_.emplace(*crew, writer == nullptr ? 0 : scenario.storage.samples,
                 writer == nullptr ? RowShardPlan{} : plan_row_shards(writer->file(), scenario));
}

PostImpactSet RunMeans::run(Scenario& scenario, std::optional<PostImpactSet> start,
                            ResultWriter* writer) {
  return run_sampling(scenario, std::move(start), writer, control_, ranks_ ? &*ranks_ : nullptr);
}

int conclude(const Scenario& scenario, const PostImpactSet& set,
             const std::filesystem::path& file) {
  const Summary& summary = set.summary;
  const Note* const error = error_of(set);
  const Ink ink(STDERR_FILENO);
  if (error != nullptr) tell(fmt::format("{}{}\n", ink.error("carom: error: "), error->text));
  std::string shortfall;
  const std::vector<std::string> missing =
      missing_evidence(scenario.sampling, scenario.evidence, set);
  if (!set.complete) {
    shortfall = fmt::format("interrupted after {} trajectories", summary.trajectories);
  } else if (!missing.empty()) {
    shortfall =
        fmt::format("interrupted after the trajectories, without {}", fmt::join(missing, ", "));
  }
  if (!shortfall.empty()) {
    if (!file.empty()) shortfall += fmt::format("; 'carom resume {}' continues", file.string());
  } else if (set.certificate && !set.certificate->reached) {
    shortfall = unreached_text(scenario, set.certificate->tests.back());
  }
  if (!shortfall.empty()) tell(fmt::format("{}{}\n", ink.error("carom: "), shortfall));
  return error != nullptr || !shortfall.empty() ? exit_run_failed : exit_success;
}

}  // namespace carom::cli
