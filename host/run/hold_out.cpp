#include "host/run/hold_out.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "carom/error.hpp"
#include "host/run/run_engine.hpp"

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

HoldOut hold_out(const ImpactProblem& problem, const SamplingOptions& options,
                 const EpsilonNet& net, std::uint64_t trajectories, std::uint64_t first,
                 std::uint64_t trials, double confidence) {
  return *this_process(0)->test(
      validated(problem), options, net,
      {.trajectories = trajectories, .first = first, .trials = trials, .confidence = confidence},
      {});
}

}  // namespace carom
