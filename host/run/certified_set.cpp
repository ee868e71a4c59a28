#include "host/run/certified_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <limits>
#include <utility>

#include "carom/scenario.hpp"
#include "host/base/clock.hpp"
#include "host/base/field_error.hpp"
#include "host/run/evidence.hpp"
#include "host/run/hold_out.hpp"
#include "host/run/run_notes.hpp"

namespace carom {

// Why the last test's claim holds although the data determine when the run stops. Test j checks
// whether the net of trajectories [0, M_j) is missed by [M_j, M_j + K_j). M_j and K_j depend on
// trajectories below M_j only (and on the clock), because M_(j+1) >= M_j + K_j; so, given all
// earlier trajectories, the test's trials are independent draws and its bound is wrong with
// probability delta / (j (j + 1)) at most. Some test of an endless run is wrong with probability
// sum_j delta / (j (j + 1)) = delta at most, so the same bound holds for the test at which the run
// stopped, for any stopping rule. Trajectories of a failed test may join later nets: no later test
// uses them.

double test_confidence(double confidence, std::uint64_t test) {
  const auto j = static_cast<double>(test);
  return 1.0 - (1.0 - confidence) / (j * (j + 1.0));
}

double estimated_miss(const PostImpactSet& set) {
  const std::uint64_t total = set.summary.trajectories;
  const std::uint64_t half = total / 2;
  const std::vector<std::uint64_t>& index = set.net.index();
  const auto late = index.end() - std::lower_bound(index.begin(), index.end(), half);
  const std::uint64_t failures = total - set.summary.outcomes();
  // One more member than was found: no growth in n trajectories does not exclude further growth.
  const double growth =
      (static_cast<double>(late) + 1.0) / (static_cast<double>(total - half) + 1.0);
  return std::min(1.0, growth + static_cast<double>(failures) / static_cast<double>(total));
}

std::optional<std::uint64_t> promising_trials(double rate, double miss, double confidence,
                                              std::uint64_t cheap) {
  // A test that allows more misses passes at rates closer to `miss`, but is longer: beyond this
  // many misses, and beyond `cheap` trials, doubling the run is cheaper.
  constexpr std::uint64_t few_misses = 16;
  constexpr std::uint64_t most_misses = 4096;
  constexpr double good_chance = 0.9;  // a failed test costs its trials and a share of delta
  if (rate >= miss) return std::nullopt;
  for (std::uint64_t misses = 0; misses <= most_misses;
       misses += misses < few_misses ? 1 : misses / 4) {
    const std::uint64_t trials = trials_with_misses(misses, miss, confidence);
    if (misses > few_misses && trials > cheap) break;
    const boost::math::binomial_distribution<> count(static_cast<double>(trials), rate);
    if (boost::math::cdf(count, static_cast<double>(misses)) >= good_chance) return trials;
  }
  return std::nullopt;
}

namespace {

/// A run that grows until a test passes.
class GrowingRun {
 public:
  GrowingRun(const ImpactProblem& problem, const SamplingOptions& options,
             const EvidenceOptions& evidence, const ChunkObserver& observer,
             const StageObserver& stages, RunEngine& engine)
      : problem_(problem),
        options_(options),
        evidence_(evidence),
        observer_(observer),
        stages_(stages),
        engine_(engine),
        budget_(evidence.max_trajectories > 0 ? evidence.max_trajectories
                                              : default_max_trajectories),
        certificate_(blank_certificate(options, evidence)) {
    check_budget();
  }

  PostImpactSet run(PostImpactSet set) {
    do {
      grow(set);
      if (stopped_ || out_of_time()) break;
      const std::optional<std::uint64_t> trials = trials_for(set);
      if (trials) test(set, *trials);
    } while (!stopped_ && !certificate_.reached && !out_of_time() && !hopeless(set) &&
             next_size(set));
    // If the bound cannot be reached, a test shows how far it is; a small test suffices.
    const bool given_up = hopeless(set) || out_of_time();
    if (!stopped_ && needs_closing_test(set)) {
      test(set, given_up ? *evidence_.hold_out : least_trials());
    }
    if (!stopped_ && set.summary.outcomes() > 0) set.certificate = std::move(certificate_);
    return set;
  }

 private:
  std::uint64_t next_test() const { return certificate_.tests.size() + 1; }
  double next_confidence() const { return test_confidence(evidence_.confidence, next_test()); }

  /// Trials of the smallest test that can pass; the user may request a larger test.
  std::uint64_t least_trials() const {
    return std::max(trials_without_miss(evidence_.miss, next_confidence()), *evidence_.hold_out);
  }

  /// Whether a net of `size` trajectories and a test of it are within the budget.
  bool affordable(std::uint64_t size, std::uint64_t trials) const {
    return size <= budget_ && tested_ <= budget_ - size && trials <= budget_ - size - tested_;
  }

  void check_budget() const {
    if (affordable(options_.trajectories, least_trials())) return;
    throw FieldError(
        "evidence.max_trajectories",
        fmt::format("max_trajectories is {} (must be at least {}, the {} trajectories to begin "
                    "with and the {} of a test)",
                    budget_, options_.trajectories + least_trials(), options_.trajectories,
                    least_trials()));
  }

  bool out_of_time() const {
    if (evidence_.max_seconds == 0.0) return false;
    return seconds_since(start_) >= evidence_.max_seconds;
  }

  void stop_unless(bool go_on) { stopped_ = stopped_ || !go_on; }

  /// Samples up to options_.trajectories, or until the time ends.
  void grow(PostImpactSet& set) {
    if (stages_) stop_unless(stages_("sampling", set.summary.trajectories, options_.trajectories));
    if (stopped_) return;
    const auto observe = [&](const SampleSet& chunk, const PostImpactSet& so_far) {
      if (observer_) stop_unless(observer_(chunk, so_far));
      return !stopped_ && !out_of_time();
    };
    set = engine_.grow(problem_, options_, std::move(set), observe);
    set.complete = set.complete || !stopped_;  // the end of the time is a regular end of the run
  }

  std::optional<std::uint64_t> trials_for(const PostImpactSet& set) const {
    std::optional<std::uint64_t> trials = promising_trials(
        estimated_miss(set), evidence_.miss, next_confidence(), set.summary.trajectories);
    if (!trials) return std::nullopt;
    *trials = std::max(*trials, *evidence_.hold_out);
    if (!affordable(set.summary.trajectories, *trials)) return std::nullopt;
    return trials;
  }

  void test(const PostImpactSet& set, std::uint64_t trials) {
    const std::uint64_t size = set.summary.trajectories;
    const HoldOutPlan plan{
        .trajectories = size, .first = size, .trials = trials, .confidence = next_confidence()};
    const std::optional<HoldOut> found = engine_.test(problem_, options_, set.net, plan, stages_);
    stop_unless(found.has_value());
    if (stopped_) return;
    certificate_.tests.push_back(*found);
    certificate_.reached = found->miss_bound <= evidence_.miss;
    tested_ += trials;
  }

  /// Whether the trajectories without an outcome alone exceed the allowed misses: then no net can
  /// help.
  bool hopeless(const PostImpactSet& set) const {
    const Summary& summary = set.summary;
    constexpr double certainty = 0.999;
    return clopper_pearson_lower(summary.trajectories - summary.outcomes(), summary.trajectories,
                                 certainty) > evidence_.miss;
  }

  /// Whether the final net has not been tested; the run reserves time for at least one test.
  bool needs_closing_test(const PostImpactSet& set) const {
    if (certificate_.tests.empty()) return true;
    return certificate_.tests.back().trajectories < set.summary.trajectories && !out_of_time();
  }

  /// Doubles M, past the trajectories of the last test; false if the budget is too small.
  bool next_size(const PostImpactSet& set) {
    const std::uint64_t size = set.summary.trajectories;
    if (size > budget_ / 2) return false;
    std::uint64_t next = 2 * size;
    if (!certificate_.tests.empty()) {
      const HoldOut& last = certificate_.tests.back();
      next = std::max(next, last.first + last.trials);
    }
    if (!affordable(next, least_trials())) return false;
    options_.trajectories = next;
    return true;
  }

  ImpactProblem problem_;
  SamplingOptions options_;
  EvidenceOptions evidence_;
  const ChunkObserver& observer_;
  const StageObserver& stages_;
  RunEngine& engine_;
  Clock::time_point start_ = Clock::now();
  std::uint64_t budget_;
  std::uint64_t tested_ = 0;  // trajectories used by tests
  Certificate certificate_;
  bool stopped_ = false;
};

/// @throws InputError if the net's first member is not where its trajectory ends
void require_start_of(const ImpactProblem& problem, SamplingOptions options,
                      const PostImpactSet& start) {
  require_set_of(problem, options, start);
  if (start.net.size() == 0 || start.net.index().front() >= EpsilonNet::sought_index) return;
  options.backend = Backend::cpu;  // which has the same bits
  const std::uint64_t first = start.net.index().front();
  options.trajectories = std::max(*options.trajectories, first + 1);
  SampleSet samples;
  Sampler(std::span(&problem, 1), options).sample(first, 1, samples);
  const auto nv = static_cast<std::size_t>(problem.velocities());
  if (std::equal(samples.velocity.begin(), samples.velocity.end(), start.net.velocity().begin(),
                 start.net.velocity().begin() + static_cast<std::ptrdiff_t>(nv))) {
    return;
  }
  throw InputError(
      fmt::format("the set to continue is of another run: trajectory {} does not end "
                  "at its member 0 (must be of this problem, with these options)",
                  first));
}

}  // namespace

PostImpactSet grow(const ImpactProblem& problem, const SamplingOptions& options,
                   std::optional<PostImpactSet> start, const EvidenceOptions& evidence,
                   const ChunkObserver& observer, const StageObserver& stages) {
  constexpr std::uint64_t all_rows = std::numeric_limits<std::uint64_t>::max();
  return grow(problem, options, std::move(start), evidence, observer, stages,
              *this_process(observer ? all_rows : 0));
}

PostImpactSet grow(const ImpactProblem& given, const SamplingOptions& stated,
                   std::optional<PostImpactSet> start, const EvidenceOptions& evidence,
                   const ChunkObserver& observer, const StageObserver& stages, RunEngine& engine) {
  validate(stated);
  validate(evidence);
  const ImpactProblem problem = validated(given);
  SamplingOptions options = resolved(stated, problem);
  if (start) require_start_of(problem, options, *start);
  PostImpactSet set = start ? std::move(*start) : empty_set(problem, options);
  set.notes = notes(problem, options);
  const std::uint64_t done = set.summary.trajectories;
  if (evidence.miss > 0.0) {
    SamplingOptions first = options;
    first.trajectories = std::max(*options.trajectories, done);
    set = GrowingRun(problem, first, resolved(evidence, options), observer, stages, engine)
              .run(std::move(set));
    options.trajectories = set.summary.trajectories;
  } else if (stages && !stages("sampling", done, options.trajectories)) {
    set.complete = done >= options.trajectories;
  } else {
    set = engine.grow(problem, options, std::move(set), observer);
  }
  note_trajectories(problem, options, set);
  return set;
}

PostImpactSet post_impact_set(const ImpactProblem& problem, const SamplingOptions& options,
                              const ChunkObserver& observer) {
  return grow(problem, options, {}, {}, observer);
}

}  // namespace carom
