#include "host/evidence/hold_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "carom/error.hpp"
#include "host/laws/law_list.hpp"

namespace carom {

void count_trials(const SampleSet& samples, const EpsilonNet& net, HoldOut& test, int threads) {
  const auto outcomes = static_cast<std::uint64_t>(
      std::count(samples.status.begin(), samples.status.end(), Status::separated));
  test.trials += samples.size();
  test.failures += samples.size() - outcomes;
  test.misses += samples.size() - outcomes + net.uncovered(samples, threads).size();
}

TrialSampler::TrialSampler(const ImpactProblem& problem, const SamplingOptions& options)
    : threads_(options.threads),
      own_(Sampler(std::span(&problem, 1), options)),
      sampler_(*own_),
      digester_(problem, options, sampler_) {}

TrialSampler::TrialSampler(const ImpactProblem& problem, const SamplingOptions& options,
                           const Sampler& sampler)
    : threads_(options.threads), sampler_(sampler), digester_(problem, options, sampler) {}

void TrialSampler::add(std::uint64_t first, std::uint64_t most, const EpsilonNet& net,
                       HoldOut& test) {
  const RowDigest found = digester_.count(first, most, net);
  if (found.rows == 0) {
    sampler_.sample(first, std::min(most, sampler_.chunk()), rows_);
    count_trials(rows_, net, test, threads_);
    return;
  }
  const std::uint64_t failures = found.rows - found.sum[status_sum];
  test.trials += found.rows;
  test.failures += failures;
  test.misses += failures + found.open;
}

void check_hold_out(const HoldOutPlan& plan) {
  if (plan.trials > std::numeric_limits<std::uint64_t>::max() - plan.first) {
    throw InputError(fmt::format("trials is {} (with the first index, {}, it must stay below 2^64)",
                                 plan.trials, plan.first));
  }
}

std::optional<HoldOut> run_hold_out(const ImpactProblem& problem, const SamplingOptions& options,
                                    const EpsilonNet& net, const HoldOutPlan& plan,
                                    const StageObserver& observer) {
  check_hold_out(plan);
  SamplingOptions fresh = options;
  fresh.law = independent(options.law);
  TrialSampler sampler(problem, fresh);

  HoldOut test;
  test.trajectories = plan.trajectories;
  test.first = plan.first;
  test.confidence = plan.confidence;
  while (test.trials < plan.trials) {
    if (observer && !observer("hold-out", test.trials, plan.trials)) return std::nullopt;
    sampler.add(plan.first + test.trials, plan.trials - test.trials, net, test);
  }
  if (observer && !observer("hold-out", test.trials, plan.trials)) return std::nullopt;
  test.miss_bound = clopper_pearson_upper(test.misses, test.trials, plan.confidence);
  return test;
}

HoldOut hold_out(const ImpactProblem& problem, const SamplingOptions& options,
                 const EpsilonNet& net, std::uint64_t trajectories, std::uint64_t first,
                 std::uint64_t trials, double confidence) {
  return *run_hold_out(
      problem, options, net,
      {.trajectories = trajectories, .first = first, .trials = trials, .confidence = confidence},
      {});
}

}  // namespace carom
