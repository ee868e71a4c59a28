#include "host/run/run_sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "carom/error.hpp"
#include "carom/exploration_io.hpp"
#include "carom/progress_bar.hpp"
#include "carom/roll_io.hpp"
#include "carom/sampler.hpp"
#include "host/base/clock.hpp"
#include "host/base/standard_error.hpp"
#include "host/files/output_place.hpp"
#include "host/files/part_file.hpp"
#include "host/run/evidence.hpp"

namespace carom {
namespace {

/// Writes the rows and paths of a run to the file, chunk by chunk. Paths are written with the chunk
/// of their trajectory, so that an interrupted file has the paths of the trajectories that it
/// counts.
class Recorder {
 public:
  Recorder(const Scenario& scenario, ResultWriter& writer)
      : scenario_(scenario), options_(scenario.sampling), writer_(writer) {
    options_.backend = Backend::cpu;  // a few trajectories; the bits are the same
  }

  /// @param chunk trajectories [chunk.first, done), without the last rows if the file does not
  /// store them
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

/// Makes FILE a valid file of the trajectories so far, from time to time.
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
      tell("carom: warning: the disk has no room for a checkpoint beside the file\n");
    }
    // Large files are copied less often, so that checkpoints take a twentieth of the time.
    constexpr int most_of_the_time = 20;
    const Clock::time_point end = Clock::now();
    due_ = end + std::max(interval_, most_of_the_time * (end - start));
  }

 private:
  ResultWriter& writer_;
  Clock::duration interval_;
  Clock::time_point due_;
  bool told_ = false;
};

/// Observes a run: records its chunks, shows its progress and passes on interrupts.
class RunObserver {
 public:
  RunObserver(Scenario& scenario, ResultWriter* writer, const RunControl& control)
      : scenario_(scenario),
        writer_(writer),
        shown_(control.shows_progress),
        stop_(control.stop ? control.stop : [] { return false; }) {
    if (writer == nullptr) return;
    recorder_.emplace(scenario, *writer);
    if (control.checkpoint_seconds > 0.0) checkpoints_.emplace(*writer, control.checkpoint_seconds);
  }

  bool chunk(const SampleSet& rows, const PostImpactSet& so_far) {
    const Summary& summary = so_far.summary;
    if (recorder_) recorder_->record(rows, summary.trajectories);
    if (checkpoints_ && summary.trajectories < scenario_.sampling.trajectories) {
      checkpoints_->consider(so_far);
    }
    if (bar_) bar_->update(summary.trajectories, summary.outcomes());
    return !stop_() || summary.trajectories >= scenario_.sampling.trajectories;
  }

  bool stage(const std::string& name, std::uint64_t done, std::uint64_t total) {
    if (stop_()) return false;
    const bool sampling = name == "sampling";
    if (sampling) set_trajectories(total);
    const bool goes_on = name == stage_ && done >= done_ && total == total_;
    if (sampling || !goes_on) {
      bar_.reset();  // erases its line first
      bar_ = std::make_unique<ProgressBar>(done, total, shown_, sampling ? "" : name);
      stage_ = name;
    }
    done_ = done;
    total_ = total;
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
  std::function<bool()> stop_;
  std::optional<Recorder> recorder_;
  std::optional<Checkpoints> checkpoints_;
  std::unique_ptr<ProgressBar> bar_;
  std::string stage_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

bool is_result(const std::filesystem::path& file) {
  try {
    if (is_exploration(file)) {
      read_exploration(file);
    } else if (is_rollouts(file)) {
      read_rollouts(file);
    } else {
      read_result(file);
    }
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

void check_output(const std::filesystem::path& file, bool force, const OutputWords& words) {
  check_place(file, words.output);
  refuse_inputs(file);
  std::error_code ignored;  // opening the file reports any error
  if (!force && std::filesystem::exists(file, ignored) && !is_result(file)) {
    throw InputError(
        fmt::format("{} is {} (exists and is no result of Carom that this version can replace; {} "
                    "overwrites it)",
                    words.output, file.string(), words.force));
  }
}

PostImpactSet run_sampling(Scenario& scenario, std::optional<PostImpactSet> start,
                           ResultWriter* writer, const RunControl& control) {
  return run_sampling(scenario, std::move(start), writer, control, nullptr);
}

PostImpactSet run_sampling(Scenario& scenario, std::optional<PostImpactSet> start,
                           ResultWriter* writer, const RunControl& control, RunEngine* engine) {
  resolve(scenario);
  const std::unique_ptr<RunEngine> here =
      this_process(writer == nullptr ? 0 : scenario.storage.samples);
  if (engine == nullptr) engine = here.get();
  RunObserver observer(scenario, writer, control);
  const ChunkObserver chunks = [&](const SampleSet& rows, const PostImpactSet& so_far) {
    return observer.chunk(rows, so_far);
  };
  const StageObserver stages = [&](const std::string& name, std::uint64_t done,
                                   std::uint64_t total) {
    const bool go_on = observer.stage(name, done, total);
    // A run that does not grow samples a chunk before it stops: its file has something to go on
    // from.
    return go_on || (name == "sampling" && scenario.evidence.miss == 0.0);
  };
  const SamplingOptions options = scenario.sampling;  // the trajectories of `scenario` grow
  PostImpactSet set =
      grow(scenario.problem, options, std::move(start), scenario.evidence, chunks, stages, *engine);
  if (set.complete) observer.set_trajectories(set.summary.trajectories);
  try {
    if (set.complete && !(control.stop && control.stop())) {
      add_evidence(scenario.problem, scenario.sampling, scenario.evidence, set, stages, *engine);
    }
  } catch (const std::exception&) {
    if (writer != nullptr) writer->finish(set);  // keeps the sampled trajectories
    throw;
  }
  if (writer != nullptr) writer->finish(set);
  return set;
}

}  // namespace carom
