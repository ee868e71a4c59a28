#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "carom/carom.hpp"
#include "kernels/launch/launch.hpp"
#include "kernels/step/step_outcome.hpp"
#include "tests/support/device_rows.hpp"
#include "tests/support/fast_items.hpp"
#include "tests/support/flat_plan.hpp"
#include "tests/support/frictionless_problem.hpp"
#include "tests/support/on_device.hpp"
#include "tests/support/poisoned_rows.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

using testing::HasSubstr;

SamplingOptions restitution_options(std::uint64_t trajectories,
                                    Solutions solutions = Solutions::all) {
  SamplingOptions options;
  options.law = law::SetValued{.solutions = solutions};
  options.trajectories = trajectories;
  options.backend = Backend::cpu;
  return options;
}

ImpactProblem with_restitution(ImpactProblem problem, double e) {
  problem.restitution = Eigen::VectorXd::Constant(problem.contacts(), e);
  return problem;
}

/// Least and greatest part of the kinetic energy that outcomes keep.
Range energy_kept(const ImpactProblem& problem, const SampleSet& samples) {
  Range range;
  for (std::size_t row = 0; row < samples.size(); ++row) {
    if (samples.status[row] == Status::separated) range.include(samples.energy[row]);
  }
  const double before = kinetic_energy(problem, problem.pre_impact_velocity);
  return {range.least / before, range.greatest / before};
}

TEST(Restitution, OfOneContactWithoutFrictionIsNewtons) {
  const Eigen::MatrixXd normal = (Eigen::MatrixXd(1, 2) << 0.0, 1.0).finished();
  for (const double e : {0.0, 0.3, 0.9, 1.0}) {
    const ImpactProblem ball = with_restitution(
        test::frictionless(2.0 * Eigen::Matrix2d::Identity(), normal, Eigen::Vector2d(0.5, -3.0)),
        e);
    const SampleSet samples = sample(ball, restitution_options(50));
    for (Eigen::Index row = 0; row < 50; ++row) {
      EXPECT_EQ(samples.status[static_cast<std::size_t>(row)], Status::separated);
      EXPECT_NEAR(samples.velocity_rows()(row, 1), 3.0 * e, 1e-8) << e;
      EXPECT_NEAR(samples.velocity_rows()(row, 0), 0.5, 1e-12);
    }
  }
}

TEST(Restitution, OfZeroIsTheLawWithoutToTheLastBit) {
  for (const char* name : {"rocking_block", "compass_gait", "box_wall"}) {
    const ImpactProblem problem = load_scenario(name).problem;
    for (const Solutions solutions : {Solutions::first, Solutions::all}) {
      test::expect_same_bits(
          sample(problem, restitution_options(200, solutions)),
          sample(with_restitution(problem, 0.0), restitution_options(200, solutions)));
    }
    // No contact is fast enough to keep energy.
    SamplingOptions captured = restitution_options(200);
    captured.set_valued().v_capture = 1e6;
    const SampleSet expected = sample(problem, restitution_options(200));
    const SampleSet samples = sample(with_restitution(problem, 0.8), captured);
    EXPECT_EQ(expected.velocity, samples.velocity) << name;
    EXPECT_EQ(expected.lcp_count, samples.lcp_count) << name;
  }
}

TEST(Restitution, NeverAddsEnergyWhateverOrderFrictionAndCoefficients) {
  test::Random random(20261123);
  int ended = 0;
  for (int i = 0; i < 60; ++i) {
    const int contacts = 1 + i % 4;
    const int d = 1 + i % 2;
    ImpactProblem problem =
        test::random_problem(random, contacts, 4 + i % 5, i % 3 * 0.6, d, d == 1 ? 2 : 4);
    problem.restitution = Eigen::VectorXd::NullaryExpr(contacts, [&] { return random.uniform(); });
    SamplingOptions options =
        restitution_options(40, contacts * d > 4 ? Solutions::first : Solutions::all);
    options.max_steps = 300;
    const SampleSet samples = sample(problem, options);
    const double before = kinetic_energy(problem, problem.pre_impact_velocity);
    for (std::size_t row = 0; row < samples.size(); ++row) {
      EXPECT_LE(samples.energy[row], before * (1.0 + 1e-9)) << i << ", row " << row;
      ended += samples.status[row] == Status::separated ? 1 : 0;
    }
  }
  EXPECT_GT(ended, 2000);  // of 2,400
}

/// Rounding must not look like released energy: the caps of these steps shrank to nothing, and the
/// LCPs with four redundant contacts and such caps failed.
TEST(Restitution, TakesStepsThatReleaseNothingWhole) {
  const ImpactProblem brick = with_restitution(
      load_scenario(CAROM_SOURCE_DIR "/scenarios/brick_corners.toml").problem, 0.3);
  const Sampler sampler({&brick, 1}, restitution_options(1));
  for (const std::uint64_t index : {7273, 12137, 28775, 31193, 46795}) {
    SampleSet samples;
    sampler.sample(index, 1, samples);
    EXPECT_EQ(samples.status[0], Status::separated) << index;
    EXPECT_EQ(samples.retry_count[0], 0u) << index;
  }
}

/// A wedge that jams between two walls: it is at rest but for rounding, while contacts still keep
/// energy that the jam does not let them release.
TEST(Restitution, LeavesNoJammedBodyWithoutAnOutcome) {
  const ImpactProblem jam = parse_scenario(R"(
system = "planar"
[world]
friction = 0.9
[[body]]
name = "wedge"
corners = [[-0.1, -0.1], [0.1, -0.1], [0.15, 0.1], [-0.15, 0.1]]
mass = 1.0
position = [0, 0]
velocity = [0.1, -1.0, 0.3]
[[floor]]
name = "left"
point = [-0.125, 0]
normal = [0.9701425, 0.2425356]
[[floor]]
name = "right"
point = [0.125, 0]
normal = [-0.9701425, 0.2425356]
[roll]
window = 0.006
)")
                                .problem;
  ASSERT_EQ(jam.contacts(), 4);
  for (const Solutions solutions : {Solutions::all, Solutions::first, Solutions::cover}) {
    SamplingOptions options = restitution_options(300, solutions);
    options.max_steps = 1000;
    const SampleSet samples = sample(with_restitution(jam, 0.5), options);
    // In one step of slow speeds, which restitution has no part in, the search over signs finds
    // nothing, and Lemke's method meets a ray.
    EXPECT_GE(std::ranges::count(samples.status, Status::separated), 299)
        << solutions_name(solutions);
  }
}

TEST(Restitution, OfOneConservesEnergyWithoutFriction) {
  ImpactProblem block = load_scenario("rocking_block").problem;
  block.friction.setZero();
  const Range half =
      energy_kept(block, sample(with_restitution(block, 0.5), restitution_options(2000)));
  EXPECT_NEAR(half.least, 0.25, 0.001);  // both corners at once
  EXPECT_GT(half.greatest, 0.32);
  EXPECT_LT(half.greatest, 0.38);
  const SampleSet elastic = sample(with_restitution(block, 1.0), restitution_options(500));
  const Range all = energy_kept(block, elastic);
  EXPECT_NEAR(all.least, 1.0, 1e-7);
  EXPECT_NEAR(all.greatest, 1.0, 1e-9);
  EXPECT_GT(elastic.outcomes().rows(), 450);
}

/// Newton's cradle: the last ball flies off, among other outcomes.
TEST(Restitution, HasNewtonsCradleInTheSet) {
  const ImpactProblem balls = with_restitution(test::cradle({1, 1, 1}, {1, 0, 0}), 1.0);
  const SampleSet samples = sample(balls, restitution_options(4000));
  double nearest = INFINITY;
  double farthest = 0.0;
  const RowMatrix outcomes = samples.outcomes();
  for (const auto& outcome : outcomes.rowwise()) {
    const double distance = (outcome.transpose() - Eigen::Vector3d(0, 0, 1)).norm();
    nearest = std::min(nearest, distance);
    farthest = std::max(farthest, distance);
  }
  EXPECT_LT(nearest, 1e-3);
  EXPECT_GT(farthest, 0.5);
}

/// Problems whose law has a program for devices: by Lemke's method, proved to have one solution,
/// and by tables.
std::vector<std::pair<ImpactProblem, SamplingOptions>> on_devices(std::uint64_t trajectories) {
  std::vector<std::pair<ImpactProblem, SamplingOptions>> list;
  const auto add = [&](const ImpactProblem& problem, Solutions solutions) {
    list.emplace_back(problem, restitution_options(trajectories, solutions));
    list.back().second.max_steps = 60;
  };
  for (const Solutions solutions : {Solutions::first, Solutions::cover, Solutions::all}) {
    ImpactProblem block = with_restitution(load_scenario("rocking_block").problem, 0.5);
    add(block, solutions);
    block.restitution << 0.8, 0.3;
    add(block, solutions);
    add(with_restitution(load_scenario("compass_gait").problem, 0.5), solutions);
    test::Random random(20261123);
    for (const int dimension : {1, 2}) {
      ImpactProblem bouncing = test::random_problem(random, 3, 6, 0.5, dimension, 2 * dimension);
      bouncing.restitution = Eigen::Vector3d(0.0, 0.5, 1.0);
      if (solutions != Solutions::all || dimension == 1) add(bouncing, solutions);
      bouncing.friction.setZero();
      add(bouncing, solutions);
    }
    if (solutions == Solutions::all) continue;
    const ImpactProblem disks = load_scenario("disk_stack").problem;
    add(with_restitution(disks, 0.5), solutions);
    if (solutions == Solutions::cover) continue;
    // Double precision leaves some steps undecided, and the CPU takes long for them.
    test::Random rough(11);
    add(with_restitution(test::random_problem(rough, 6, 8, 1e5), 0.5), solutions);
    list.back().second.trajectories = 12;
    list.back().second.max_steps = 10;
  }
  return list;
}

/// What a device runs, in double precision, with what the CPU repeats of it, has the CPU's bits.
TEST(Restitution, HasTheSameBitsInDoublePrecisionFirst) {
  std::ptrdiff_t repeated_rows = 0;
  for (const auto& [problem, options] : on_devices(200)) {
    const SampleSet expected = sample(problem, options);
    const test::FlatPlan flat(problem, options);
    SampleSet samples = test::poisoned_rows(flat.plan(), expected.size());
    test::fast_items(flat.plan(), 0, samples.size(), view_of(samples));
    repeated_rows += std::ranges::count(samples.status, undecided);
    repeat_undecided(flat.plan(), 0, samples.size(), view_of(samples), 0);
    test::expect_same_bits(expected, samples);
  }
  EXPECT_GT(repeated_rows, 0);
}

TEST(Restitution, IsRefusedWhereNothingTakesIt) {
  const ImpactProblem block = with_restitution(load_scenario("rocking_block").problem, 0.5);
  const SamplingOptions options = restitution_options(10);
  EXPECT_THAT(test::refusal([&] { seek_extremes(block, options, 0); }),
              HasSubstr("must be 0 to seek extremes"));
  EXPECT_THAT(test::refusal([&] { outer_bound(block, {}); }), HasSubstr("must be 0 for a bound"));
  SamplingOptions negative = options;
  negative.set_valued().v_capture = -1.0;
  EXPECT_THAT(test::refusal([&] { sample(block, negative); }), HasSubstr("v_capture is -1"));
}

/// All columns of a GPU's rows have the CPU's bits, one problem or a batch.
TEST(CudaParity, EveryBitOfRestitutionIsTheCpus) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device";
  for (auto [problem, options] : on_devices(test::device_rows(5000, 10))) {
    ImpactProblem other = problem;
    other.restitution *= 0.5;
    const std::vector<ImpactProblem> problems{problem, other};
    const SampleSet expected = sample(problems, options);
    test::expect_same_bits(expected, test::sample_on_device(problems, options));
  }
}

/// Sets whose rows nobody keeps are counted on the device.
TEST(CudaParity, SetsOfRestitutionAreTheCpus) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device";
  const ImpactProblem disks = with_restitution(load_scenario("disk_stack").problem, 0.5);
  SamplingOptions options = restitution_options(2000, Solutions::first);
  const PostImpactSet expected = post_impact_set(disks, options);
  options.backend = Backend::cuda;
  const PostImpactSet found = post_impact_set(disks, options);
  EXPECT_EQ(found.backend, Backend::cuda);
  EXPECT_EQ(found.summary.checksum, expected.summary.checksum);
  EXPECT_EQ(found.net.index(), expected.net.index());
}

TEST(CudaBackend, IsRefusedForProblemsOfTheCpuOnly) {
  test::Random random(3);
  const ImpactProblem large = test::random_problem(random, 13, 6, 0.5);
  SamplingOptions options;
  options.law = law::Sequential{};
  options.trajectories = 10;
  options.backend = Backend::cuda;
  EXPECT_THAT(test::refusal([&] { sample(large, options); }),
              HasSubstr("65 LCP unknowns and 6 velocities runs on the CPU only; a device takes at "
                        "most 60 and 48"));
  options.backend = Backend::automatic;
  EXPECT_EQ(Sampler(std::span(&large, 1), options).backend(), Backend::cpu);
}

TEST(CudaBackend, IsRefusedForSolutionsThatRestitutionFindsOnTheCpuOnly) {
  const ImpactProblem disks = with_restitution(load_scenario("disk_stack").problem, 0.5);
  SamplingOptions options = restitution_options(10);
  options.backend = Backend::cuda;
  EXPECT_THAT(test::refusal([&] { sample(disks, options); }),
              HasSubstr("restitution with solutions all, found by signs, runs on the CPU only"));
  options.backend = Backend::automatic;
  const Sampler sampler(std::span(&disks, 1), options);
  EXPECT_EQ(sampler.backend(), Backend::cpu);
  EXPECT_THAT(sampler.backend_note(), HasSubstr("on the CPU only"));
}

}  // namespace
}  // namespace carom
