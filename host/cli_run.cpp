#include "host/cli_run.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <span>
#include <system_error>

#include "carom/error.hpp"
#include "carom/sampler.hpp"
#include "host/cli_terminal.hpp"
#include "host/interrupt.hpp"
#include "host/progress.hpp"

namespace carom::cli {
namespace {

/// Stores what the file keeps of a run, chunk by chunk. Paths go with the chunk that holds their
/// trajectory, so that an interrupted file holds those of the trajectories that it counts.
class Recorder {
 public:
  Recorder(const Scenario& scenario, ResultWriter& writer)
      : scenario_(scenario), options_(scenario.sampling), writer_(writer) {
    options_.backend = Backend::cpu;  // a few trajectories; the bits are the same
  }

  void record(const SampleSet& chunk) {
    writer_.append(chunk);
    const std::uint64_t end = std::min(chunk.first + chunk.size(), scenario_.storage.paths);
    for (std::uint64_t index = chunk.first; index < end; ++index) {
      if (!sampler_) {
        sampler_ = std::make_unique<Sampler>(std::span(&scenario_.problem, 1), options_);
      }
      writer_.add_path(index, sampler_->path(index));
    }
  }

 private:
  const Scenario& scenario_;
  SamplingOptions options_;
  ResultWriter& writer_;
  std::unique_ptr<Sampler> sampler_;
};

bool is_result(const std::filesystem::path& file) {
  try {
    read_result(file);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

PostImpactSet run_sampling(const Scenario& scenario, std::optional<PostImpactSet> start,
                           ResultWriter* writer, const OutputFlags& flags) {
  const std::uint64_t total = scenario.sampling.trajectories;
  std::optional<Recorder> recorder;
  if (writer != nullptr) recorder.emplace(scenario, *writer);
  std::optional<PostImpactSet> set;
  {
    ProgressBar bar(start ? start->summary.trajectories : 0, total,
                    is_terminal(STDERR_FILENO) && !flags.quiet);
    const auto observe = [&](const SampleSet& chunk, const PostImpactSet& so_far) {
      if (recorder) recorder->record(chunk);
      bar.update(so_far.summary.trajectories, so_far.summary.outcomes());
      return !interrupted() || so_far.summary.trajectories >= total;
    };
    set = start ? continue_post_impact_set(scenario.problem, scenario.sampling, std::move(*start),
                                           observe)
                : post_impact_set(scenario.problem, scenario.sampling, observe);
  }
  if (writer != nullptr) writer->finish(*set);
  return std::move(*set);
}

void check_output(const std::filesystem::path& file, bool force) {
  std::error_code ignored;  // what cannot be looked at is told when it is opened
  if (std::filesystem::is_directory(file, ignored)) {
    throw InputError(fmt::format("--output is {} (must be a file, is a folder)", file.string()));
  }
  if (!force && std::filesystem::exists(file, ignored) && !is_result(file)) {
    throw InputError(
        fmt::format("--output is {} (exists and is no result of Carom that this version can "
                    "replace; --force overwrites it)",
                    file.string()));
  }
}

int conclude(const PostImpactSet& set, const std::filesystem::path& file) {
  const Summary& summary = set.summary;
  const std::uint64_t dropped = summary.status_counts[static_cast<std::size_t>(Status::step_limit)];
  const std::uint64_t failed = summary.trajectories - summary.outcomes() - dropped;
  const bool useless = summary.outcomes() == 0 && failed > 0;
  if (useless) {
    fmt::print(stderr, "{}no outcomes: {} of {} trajectories failed, their LCPs were not solved\n",
               Ink(STDERR_FILENO).error("carom: error: "), failed, summary.trajectories);
  }
  if (set.complete) return useless ? exit_run_failed : exit_success;
  fmt::print(stderr, "{}interrupted after {} trajectories", Ink(STDERR_FILENO).error("carom: "),
             set.summary.trajectories);
  if (!file.empty()) fmt::print(stderr, "; 'carom resume {}' continues", file.string());
  fmt::print(stderr, "\n");
  return exit_run_failed;
}

}  // namespace carom::cli
