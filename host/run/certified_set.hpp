#pragma once

#include <cstdint>
#include <optional>

#include "carom/post_impact_set.hpp"

namespace carom {

/// Default budget of a growing run.
inline constexpr std::uint64_t default_max_trajectories = std::uint64_t{1} << 26;

/// Confidence of test j = 1, 2, ... of a run whose tests share delta = 1 - confidence: delta /
/// (j (j + 1)) sums up to delta.
double test_confidence(double confidence, std::uint64_t test);

/// Estimate, from the run itself, of the probability that a fresh trajectory misses the net: the
/// share of the trajectories in the run's second half that became members, plus the share without
/// an outcome. It is a little too high, since the net grew meanwhile, and never 0.
double estimated_miss(const PostImpactSet& set);

/// Trials of a test that, at a miss probability of `rate`, bounds this probability by `miss` with a
/// good chance; nothing if `rate` is too close to `miss` for a test of a reasonable size. Tests of
/// up to `cheap` trials may allow many misses.
std::optional<std::uint64_t> promising_trials(double rate, double miss, double confidence,
                                              std::uint64_t cheap = 0);

}  // namespace carom
