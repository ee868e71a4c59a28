#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/epsilon_net.hpp"
#include "carom/law.hpp"

namespace carom {

/// One hold-out test of a net, with trajectories that the net was not built from.
struct HoldOut {
  std::uint64_t trajectories = 0;  ///< M, the trajectories that the net was built from
  std::uint64_t first = 0;         ///< index of the first fresh trajectory
  std::uint64_t trials = 0;        ///< K, number of fresh trajectories
  std::uint64_t misses = 0;    ///< trials farther than epsilon from the net, or without an outcome
  std::uint64_t failures = 0;  ///< misses without an outcome
  double confidence = 0.0;     ///< of this test's bound: 1 - the test's share of delta
  double miss_bound = 1.0;     ///< Clopper-Pearson upper bound on the miss probability
};

/// The result of the hold-out tests of a net.
struct Certificate {
  double epsilon = 0.0;         ///< of the net, in units of `norm`
  double confidence = 0.0;      ///< 1 - delta, of the final claim over all tests together
  double miss = 0.0;            ///< bound that an adaptive run has to reach; 0: none
  bool reached = true;          ///< false: the budget ended before the bound was reached
  Norm norm = Norm::euclidean;  ///< of epsilon
  Law law;                      ///< law that the claim holds for
  double impulse_step = 0.0;    ///< h that the claim holds for, N·s
  int max_steps = 0;            ///< N that the claim holds for
  std::vector<HoldOut> tests;   ///< one for a plain run; in an adaptive run, the last test decides

  /// One exact sentence: the claim, its conditions, and that it bounds probability mass, not the
  /// distance of the last unseen outcome.
  std::string sentence() const;
};

/// Clopper-Pearson upper bound on a probability after `successes` of `trials`. For every value of
/// the probability, the bound lies below that value with probability 1 - confidence at most. The
/// bound is 1 without trials.
/// @throws InputError unless successes <= trials and 0 < confidence < 1
double clopper_pearson_upper(std::uint64_t successes, std::uint64_t trials, double confidence);

/// The least K for which a test of K trials without a miss bounds the miss probability by `miss`.
/// @throws InputError unless 0 < miss < 1 and 0 < confidence < 1, and fewer than 2^53 trials do
std::uint64_t trials_without_miss(double miss, double confidence);

/// Tests `net` on trajectories [first, first + trials), with resolved() options. Uniform caps
/// replace a Sobol' component of the caps, because Sobol' points are not independent.
/// `trajectories` is recorded as M.
/// @throws InputError if problem, options or confidence break a rule, or if first + trials is not
/// below 2^64; RunError if the device fails
HoldOut hold_out(const ImpactProblem& problem, const SamplingOptions& options,
                 const EpsilonNet& net, std::uint64_t trajectories, std::uint64_t first,
                 std::uint64_t trials, double confidence);

}  // namespace carom
