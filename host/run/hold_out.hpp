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

/// A certificate without tests, with the conditions of its claim.
Certificate blank_certificate(const SamplingOptions& options, const EvidenceOptions& evidence);

/// Counts the rows of `samples` as trials of a test of `net`: an outcome is a miss if no member
/// lies within epsilon. Counts of disjoint rows add up.
void count_trials(const SampleSet& samples, const EpsilonNet& net, HoldOut& test, int threads = 0);

/// Samples the trials of tests of one net.
class TrialSampler {
 public:
  /// @param problem valid; must outlive this object
  TrialSampler(const ImpactProblem& problem, const SamplingOptions& options);
  /// With a sampler of these options, which must outlive this object.
  TrialSampler(const ImpactProblem& problem, const SamplingOptions& options,
               const Sampler& sampler);
  TrialSampler(const TrialSampler&) = delete;
  TrialSampler& operator=(const TrialSampler&) = delete;

  /// Adds the trials of trajectories from `first` on to `test`: one launch, `most` at most.
  void add(std::uint64_t first, std::uint64_t most, const EpsilonNet& net, HoldOut& test);

 private:
  int threads_;
  std::optional<Sampler> own_;
  const Sampler& sampler_;
  DigestSampler digester_;
  SampleSet rows_;
};

/// The object of a test.
struct HoldOutPlan {
  std::uint64_t trajectories = 0;  ///< M, the trajectories that the net was built from
  std::uint64_t first = 0;         ///< index of the first fresh trajectory
  std::uint64_t trials = 0;
  double confidence = 0.0;
};

/// @throws InputError unless the fresh trajectories' indices are below 2^64.
void check_hold_out(const HoldOutPlan& plan);

/// Least number of trials with which `misses` misses still bound the miss probability by `miss`; at
/// least 1.
std::uint64_t trials_with_misses(std::uint64_t misses, double miss, double confidence);

/// Clopper-Pearson lower bound: it lies above the true probability with probability 1 - confidence
/// at most.
double clopper_pearson_lower(std::uint64_t successes, std::uint64_t trials, double confidence);

}  // namespace carom
