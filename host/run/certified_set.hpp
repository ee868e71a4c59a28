#pragma once

#include <cstdint>
#include <optional>

#include "carom/post_impact_set.hpp"

namespace carom {

/// Budget of a growing run that names none.
inline constexpr std::uint64_t default_max_trajectories = std::uint64_t{1} << 26;

/// Confidence of test j = 1, 2, ... of a run whose tests share delta = 1 - confidence: delta /
/// (j (j + 1)) sums up to delta.
double test_confidence(double confidence, std::uint64_t test);

/// How likely the next fresh trajectory misses the net, as far as the run itself tells: the share
/// of those in its second half that made a new member, plus the share without an outcome. A little
/// too high, for the net grew meanwhile; never 0.
double estimated_miss(const PostImpactSet& set);

/// Trials of a test that, at a miss probability of `rate`, bounds it by `miss` with a good chance;
/// nothing if `rate` is too near to `miss` for a test of a reasonable size. Tests of up to `cheap`
/// trials may allow many misses.
std::optional<std::uint64_t> promising_trials(double rate, double miss, double confidence,
                                              std::uint64_t cheap = 0);

}  // namespace carom
