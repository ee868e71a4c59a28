#include "host/cli/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "carom/error.hpp"
#include "carom/sampler.hpp"
#include "host/cli/terminal.hpp"
#include "host/evidence/evidence.hpp"
#include "host/interrupt.hpp"
#include "host/progress.hpp"
#include "host/ranks/many_ranks.hpp"
#include "host/run_engine.hpp"

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

  /// @param chunk trajectories [chunk.first, done), of which it may lack the last rows, where the
  /// file does not keep them
  void record(const SampleSet& chunk, std::uint64_t done) {
    writer_.append(chunk);
    writer_.skip(done - chunk.first - chunk.size());
    const std::uint64_t end = std::min(done, scenario_.storage.paths);
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

/// Makes FILE a valid file of what was sampled so far, every so often.
class Checkpoints {
 public:
  Checkpoints(ResultWriter& writer, double seconds)
      : writer_(writer),
        interval_(
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
        due_(Clock::now() + interval_) {}

  void consider(const PostImpactSet& so_far) {
    const Clock::time_point start = Clock::now();
    if (start < due_) return;
    if (!writer_.checkpoint(so_far) && !std::exchange(told_, true)) {
      fmt::print(stderr, "{}the disk has no room for a checkpoint beside the file\n",
                 Ink(STDERR_FILENO).warning("carom: warning: "));
    }
    // Large files are copied less often, so that checkpoints take a twentieth of the time.
    constexpr int most_of_the_time = 20;
    const Clock::time_point end = Clock::now();
    due_ = end + std::max(interval_, most_of_the_time * (end - start));
  }

 private:
  using Clock = std::chrono::steady_clock;

  ResultWriter& writer_;
  Clock::duration interval_;
  Clock::time_point due_;
  bool told_ = false;
};

/// Follows a run: records its chunks, shows how it comes on and passes interrupts to it.
class RunObserver {
 public:
  RunObserver(Scenario& scenario, const RunMeans& means, bool shown)
      : scenario_(scenario), writer_(means.writer), shown_(shown) {
    if (writer_ == nullptr) return;
    recorder_.emplace(scenario, *writer_);
    if (means.checkpoint_seconds > 0.0) checkpoints_.emplace(*writer_, means.checkpoint_seconds);
  }

  bool chunk(const SampleSet& rows, const PostImpactSet& so_far) {
    const Summary& summary = so_far.summary;
    if (recorder_) recorder_->record(rows, summary.trajectories);
    if (checkpoints_ && summary.trajectories < scenario_.sampling.trajectories) {
      checkpoints_->consider(so_far);
    }
    if (bar_) bar_->update(summary.trajectories, summary.outcomes());
    return !interrupted() || summary.trajectories >= scenario_.sampling.trajectories;
  }

  bool stage(const std::string& name, std::uint64_t done, std::uint64_t total) {
    if (interrupted()) return false;
    const bool sampling = name == "sampling";
    if (sampling) set_trajectories(total);
    if (sampling || name != stage_ || done == 0) {
      bar_.reset();  // erases its line first
      bar_ = std::make_unique<ProgressBar>(done, total, shown_, sampling ? "" : name);
      stage_ = name;
    }
    if (!sampling) bar_->update(done, 0);
    return true;
  }

  void set_trajectories(std::uint64_t trajectories) {
    if (trajectories == scenario_.sampling.trajectories) return;
    scenario_.sampling.trajectories = trajectories;
    if (writer_ != nullptr) writer_->set_trajectories(trajectories);
  }

 private:
  Scenario& scenario_;
  ResultWriter* writer_;
  bool shown_;
  std::optional<Recorder> recorder_;
  std::optional<Checkpoints> checkpoints_;
  std::unique_ptr<ProgressBar> bar_;
  std::string stage_;
};

/// All trajectories of a run, also of one that grows.
PostImpactSet sample_all(const Scenario& scenario, std::optional<PostImpactSet> start,
                         RunObserver& observer, RunEngine& engine) {
  const ImpactProblem& problem = scenario.problem;
  const SamplingOptions options = scenario.sampling;  // the scenario's grow
  const ChunkObserver chunks = [&](const SampleSet& rows, const PostImpactSet& so_far) {
    return observer.chunk(rows, so_far);
  };
  const StageObserver stages = [&](const std::string& name, std::uint64_t done,
                                   std::uint64_t total) {
    return observer.stage(name, done, total);
  };
  PostImpactSet first = start ? std::move(*start) : empty_set(problem, options);
  if (scenario.evidence.miss > 0.0) {
    PostImpactSet set = continue_certified_set(problem, options, scenario.evidence,
                                               std::move(first), chunks, stages, engine);
    if (set.complete) observer.set_trajectories(set.summary.trajectories);
    return set;
  }
  observer.stage("sampling", first.summary.trajectories, options.trajectories);
  return engine.grow(problem, options, std::move(first), chunks);
}

bool is_result(const std::filesystem::path& file) {
  try {
    read_result(file);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Why a growing run ended before the wanted bound held, and what may help.
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

void add_checkpoint_flag(CLI::App& command, std::optional<std::string>& seconds) {
  command
      .add_option("--checkpoint", seconds,
                  "make FILE a valid result of what was sampled so far every S seconds; 0: at the "
                  "end only (default: 0, on many ranks 30)")
      ->type_name("S");
}

RunMeans::RunMeans(ResultWriter* its_writer, Crew* its_crew,
                   const std::optional<std::string>& checkpoint)
    : writer(its_writer), crew(its_crew) {
  constexpr double on_many_ranks = 30.0;
  constexpr double longest = 1e9;  // more than any run
  checkpoint_seconds = crew == nullptr ? 0.0 : on_many_ranks;
  if (!checkpoint) return;
  checkpoint_seconds = parse_real("--checkpoint", *checkpoint);
  if (!(checkpoint_seconds >= 0.0 && checkpoint_seconds <= longest)) {
    throw InputError(fmt::format("--checkpoint is {} (must be 0 to 1e9 seconds)", *checkpoint));
  }
}

PostImpactSet run_sampling(Scenario& scenario, std::optional<PostImpactSet> start,
                           const RunMeans& means, const OutputFlags& flags) {
  ResultWriter* const writer = means.writer;
  std::optional<ManyRanks> ranks;
  if (means.crew != nullptr) {
    ranks.emplace(*means.crew, writer == nullptr ? 0 : scenario.storage.samples);
  }
  RunEngine& engine = ranks ? static_cast<RunEngine&>(*ranks) : this_process();
  RunObserver observer(scenario, means, is_terminal(STDERR_FILENO) && !flags.quiet);
  PostImpactSet set = sample_all(scenario, std::move(start), observer, engine);
  try {
    if (set.complete && !interrupted()) {
      add_evidence(
          scenario.problem, scenario.sampling, scenario.evidence, set,
          [&](const std::string& name, std::uint64_t done, std::uint64_t total) {
            return observer.stage(name, done, total);
          },
          engine);
    }
  } catch (const std::exception&) {
    if (writer != nullptr) writer->finish(set);  // what was sampled is not lost
    throw;
  }
  if (writer != nullptr) writer->finish(set);
  return set;
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

int conclude(const Scenario& scenario, const PostImpactSet& set,
             const std::filesystem::path& file) {
  const Summary& summary = set.summary;
  const std::uint64_t dropped = summary.status_counts[static_cast<std::size_t>(Status::step_limit)];
  const std::uint64_t failed = summary.trajectories - summary.outcomes() - dropped;
  const bool useless = summary.outcomes() == 0 && failed > 0;
  const Ink ink(STDERR_FILENO);
  if (useless) {
    fmt::print(stderr, "{}no outcomes: {} of {} trajectories failed, their LCPs were not solved\n",
               ink.error("carom: error: "), failed, summary.trajectories);
  }
  std::string shortfall;
  const std::vector<std::string> missing = missing_evidence(scenario.evidence, set);
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
  if (!shortfall.empty()) fmt::print(stderr, "{}{}\n", ink.error("carom: "), shortfall);
  return useless || !shortfall.empty() ? exit_run_failed : exit_success;
}

}  // namespace carom::cli
