#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "carom/sampler.hpp"

namespace carom::test {

/// sample() on a device, which leaves to the CPU what double precision cannot decide and no more: a
/// device that left all rows would have the CPU's bits, too.
inline SampleSet sample_on_device(std::span<const ImpactProblem> problems,
                                  SamplingOptions options) {
  options.backend = Backend::cuda;
  const Sampler sampler(problems, options);
  SampleSet rows;
  sampler.sample(0, problems.size() * *options.trajectories, rows);
  const auto* const law = std::get_if<law::SetValued>(&options.law);
  if (law == nullptr) {
    EXPECT_LE(10 * sampler.repeated_trajectories(), rows.size());
  } else if (law->solutions == Solutions::first || law->solutions == Solutions::cover) {
    const std::ptrdiff_t without = std::ranges::count(rows.retry_count, 0u);
    EXPECT_EQ(sampler.repeated_trajectories(), rows.size() - static_cast<std::size_t>(without));
  }
  return rows;
}

}  // namespace carom::test
