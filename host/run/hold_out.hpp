#pragma once

#include <cstdint>
#include <optional>

#include "carom/certificate.hpp"
#include "carom/evidence_options.hpp"
#include "carom/post_impact_set.hpp"
#include "carom/sample_set.hpp"
#include "carom/sampler.hpp"
#include "host/set/sample_digest.hpp"

namespace carom {

/// A certificate without tests: what its claim will hold under.
Certificate blank_certificate(const SamplingOptions& options, const EvidenceOptions& evidence);

/// Counts the rows of `samples` as trials of a test of `net`: an outcome is a miss where no member
/// lies within epsilon. Counts of disjoint rows add up.
void count_trials(const SampleSet& samples, const EpsilonNet& net, HoldOut& test, int threads = 0);

/// Samples the trials of tests of one net.
class TrialSampler {
 public:
  /// @param problem valid, and it lives as long as this
  TrialSampler(const ImpactProblem& problem, const SamplingOptions& options);
  /// With a sampler of these options, which lives as long.
  TrialSampler(const ImpactProblem& problem, const SamplingOptions& options,
               const Sampler& sampler);
  TrialSampler(const TrialSampler&) = delete;
  TrialSampler& operator=(const TrialSampler&) = delete;

  /// Adds the trials of trajectories from `first` on to `test`: as many as one launch takes, `most`
  /// at most.
  void add(std::uint64_t first, std::uint64_t most, const EpsilonNet& net, HoldOut& test);

 private:
  int threads_;
  std::optional<Sampler> own_;
  const Sampler& sampler_;
  DigestSampler digester_;
  SampleSet rows_;
};

/// What a test is about.
struct HoldOutPlan {
  std::uint64_t trajectories = 0;  ///< M, that the net was built from
  std::uint64_t first = 0;         ///< index of the first fresh trajectory
  std::uint64_t trials = 0;
  double confidence = 0.0;
};

/// @throws InputError unless the fresh trajectories' indices stay below 2^64.
void check_hold_out(const HoldOutPlan& plan);

/// Least number of trials that bound the probability of a miss by `miss` although `misses` of them
/// miss; at least 1.
std::uint64_t trials_with_misses(std::uint64_t misses, double miss, double confidence);

/// Clopper-Pearson lower bound: above the probability with probability 1 - confidence at most.
double clopper_pearson_lower(std::uint64_t successes, std::uint64_t trials, double confidence);

}  // namespace carom
