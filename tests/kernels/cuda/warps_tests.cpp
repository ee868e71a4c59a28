// Steps that a warp solves together, and the shared memory in which it does, on a CUDA device, or
// the emulated one. Skipped where there is none.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "carom/carom.hpp"
#include "tests/support/on_device.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

using CudaWarps = test::OnDevice;
using CudaNotes = test::OnDevice;

struct WarpCase {
  const char* name;
  ImpactProblem problem;
  Solutions solutions = Solutions::first;
  const char* caps = "uniform";
};

/// All programs, with fewer unknowns than lanes and more; ties, rays and limits of pivots; caps of
/// zero, which leave unknowns out.
std::vector<WarpCase> warp_cases() {
  test::Random random(20261126);
  const auto in_space = [&](int contacts, int nv, double friction) {
    return test::random_problem(random, contacts, nv, friction, 2, 4);
  };
  return {{"3 contacts", test::random_problem(random, 3, 6, 0.7)},
          {"5 contacts, corners", test::random_problem(random, 5, 7, 0.4), Solutions::first,
           "corners:4"},
          {"5 contacts, cover", test::random_problem(random, 5, 7, -1.0), Solutions::cover},
          {"5 contacts, redundant", test::random_problem(random, 5, 3, 1e5), Solutions::cover},
          {"3 contacts in space", in_space(3, 20, 0.8)},
          {"4 contacts in space, corners", in_space(4, 18, 0.6), Solutions::cover, "corners:4"},
          {"4 contacts in space without friction", in_space(4, 18, 0.0)},
          {"8 contacts in space", in_space(8, 30, 0.5), Solutions::first, "corners:3"},
          {"12 contacts, redundant", test::random_problem(random, 12, 6, 1e5)}};
}

SamplingOptions options_of(const WarpCase& one) {
  SamplingOptions options;
  options.trajectories = 35;  // more than one warp and no multiple of it
  options.impulse_step = 0.4;
  options.epsilon = 0.01;
  options.law = law::SetValued{.caps = parse_caps(one.caps), .solutions = one.solutions};
  options.max_steps = 6;
  return options;
}

void expect_the_cpus_bits() {
  for (const WarpCase& one : warp_cases()) {
    SCOPED_TRACE(one.name);
    SamplingOptions options = options_of(one);
    options.backend = Backend::cpu;
    const SampleSet expected = sample(one.problem, options);
    test::expect_same_bits(expected, test::sample_on_device({&one.problem, 1}, options));
  }
}

TEST_F(CudaWarps, SolveStepsWithTheBitsOfTheCpu) { expect_the_cpus_bits(); }

#ifdef CAROM_EMULATED_CUDA
/// Of n <= 25 a warp shares 15 kB, of n <= 60 more.
TEST_F(CudaWarps, LeaveStepsToThreadsWhereSharedMemoryIsShort) {
  for (const std::size_t kilobytes : {0, 20, 40}) {
    const std::size_t before = emulated::limit_shared_memory(kilobytes << 10);
    expect_the_cpus_bits();
    emulated::limit_shared_memory(before);
  }
}
#endif

TEST_F(CudaWarps, LeaveStepsToThreadsWhereThatIsAsked) {
  setenv("CAROM_CUDA_STEPS", "thread", 1);
  expect_the_cpus_bits();
  unsetenv("CAROM_CUDA_STEPS");
}

/// Else a run would take longer than it need take, and nobody would know why.
TEST_F(CudaNotes, SayThatTheCpuRepeatedManyTrajectories) {
  test::Random random(10);
  const ImpactProblem rough = test::random_problem(random, 6, 8, 1e5);
  const auto told = [](const ImpactProblem& problem) {
    SamplingOptions options;
    options.trajectories = 500;
    options.max_steps = 30;
    options.law = law::SetValued{.solutions = Solutions::first};
    options.backend = Backend::cuda;
    const PostImpactSet set = post_impact_set(problem, options);
    const bool has_note = std::ranges::count(set.notes, "repeated_on_cpu", &Note::code) > 0;
    EXPECT_EQ(has_note, set.repeated_on_cpu > 5);
    return has_note;
  };
  EXPECT_TRUE(told(rough));
  EXPECT_FALSE(told(test::random_problem(random, 6, 8, 0.7)));
}

}  // namespace
}  // namespace carom
