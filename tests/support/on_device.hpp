#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "carom/sampler.hpp"

namespace carom::test {

/// Tests that need a CUDA device, or the emulated one.
class OnDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device";
  }
};

/// Whether devices have a program for a run.
inline bool runs_on_devices(const ImpactProblem& problem, SamplingOptions options) {
  options.backend = Backend::automatic;
  return Sampler(std::span(&problem, 1), options).backend() == Backend::cuda;
}

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
