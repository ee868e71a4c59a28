#include "carom/impact_law.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "host/sampling/active_contacts.hpp"
#include "host/sampling/host_worlds.hpp"
#include "host/sampling/worlds_setup.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {
namespace {

/// The error of the problem of least index among all threads.
class FirstError {
 public:
  void add(std::size_t index, const std::string& message) {
    const std::lock_guard lock(mutex_);
    if (!message_.empty() && index > index_) return;
    index_ = index;
    message_ = message;
  }
  /// @param first index of the first problem
  void rethrow(std::uint64_t first) const {
    if (!message_.empty())
      throw InputError(fmt::format("problem {}: {}", first + index_, message_));
  }

 private:
  std::mutex mutex_;
  std::size_t index_ = 0;
  std::string message_;
};

/// One call of the law: every problem is converted and sampled separately, so that problems may
/// differ in their active contacts.
class Update {
 public:
  Update(const ImpactLawOptions& options, std::uint64_t step, const ImpactBatch& batch,
         std::uint64_t first)
      : options_(sampling_options(options)),
        strict_(options.strict),
        first_(first),
        setup_(options, batch) {
    plan_ = setup_.plan(step, batch, first);
  }

  void run(std::size_t begin, std::size_t end, SampleSet& out) {
    const SampleView rows = view_of(out);
    const auto use = [&](const auto& range) {
      run_on_host(options_, plan_, range.begin(), range.size(), rows.from(range.begin(), out));
      if (!strict_) return;
      for (std::size_t i = range.begin(); i < range.end(); ++i) {
        if (out.status[i] == Status::bad_input) errors_.add(i, broken_rule(plan_.batch, i));
      }
    };
    const oneapi::tbb::blocked_range<std::size_t> all(begin, end, grain);
    const int threads = usable_threads(options_.threads);
    if (threads == 1 || !all.is_divisible()) {
      use(all);
    } else {
      oneapi::tbb::task_arena arena(threads);
      arena.execute([&] { oneapi::tbb::parallel_for(all, use); });
    }
    errors_.rethrow(first_);
  }

 private:
  static constexpr std::size_t grain = 16;  // problems: about 50 us

  /// The first rule that a problem breaks.
  std::string broken_rule(const ImpactBatch& batch, std::size_t index) const {
    std::vector<int> contacts;
    try {
      const ImpactProblem problem = active_problem(batch, index, contacts);
      if (contacts.empty()) {
        for (const auto& [name, finite] :
             {std::pair("mass_matrix", problem.mass_matrix.allFinite()),
              std::pair("pre_impact_velocity", problem.pre_impact_velocity.allFinite())}) {
          if (!finite) {
            return fmt::format("{} has an entry that is no number (must be finite)", name);
          }
        }
        return "mass_matrix gives no kinetic energy (must be finite, >= 0)";
      }
      sample_world(options_, plan_, index, contacts);
    } catch (const InputError& error) {
      return error.what();
    }
    return "it breaks a rule";
  }

  SamplingOptions options_;
  bool strict_;
  std::uint64_t first_;
  WorldsSetup setup_;
  WorldsPlan plan_;
  FirstError errors_;
};

}  // namespace

ImpactLaw::ImpactLaw(const ImpactLawOptions& options) : options_(resolved(options)) {}

SampleSet ImpactLaw::operator()(std::uint64_t step, const ImpactBatch& batch, std::uint64_t first,
                                const SampleObserver& observer) const {
  require_batch(options_, batch, first);
  SamplingOptions with_step = sampling_options(options_);
  for (std::size_t i = 0; i < batch.impulse_step.size(); ++i) {
    const double h = batch.impulse_step[i];
    if (0.0 < h && h < INFINITY) continue;
    with_step.impulse_step = h;
    try {
      validate(with_step);
    } catch (const InputError& error) {
      throw InputError(fmt::format("problem {}: {}", first + i, error.what()));
    }
  }
  SampleSet out;
  out.first = first;
  out.resize(rows_of(batch, options_), batch.size);
  Update update(options_, step, batch, first);
  // Parts of some 10 ms, so that an interrupt takes effect soon: the first is small, since
  // problems may take microseconds or milliseconds.
  constexpr double part_seconds = 0.01;
  constexpr std::size_t most_growth = 16;
  const std::size_t least_part = 64 * static_cast<std::size_t>(usable_threads(options_.threads));
  std::size_t part = least_part;
  for (std::size_t done = 0; done < batch.size;) {
    const std::size_t end = std::min(batch.size, done + part);
    const auto start = std::chrono::steady_clock::now();
    update.run(done, end, out);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    const double wanted = part_seconds * static_cast<double>(end - done) / taken.count();
    part = wanted < static_cast<double>(most_growth * part)
               ? std::max(static_cast<std::size_t>(wanted), least_part)
               : most_growth * part;
    done = end;
    if (observer && !observer(done, batch.size) && done < batch.size) {
      out.resize(done);
      break;
    }
  }
  return out;
}

}  // namespace carom
