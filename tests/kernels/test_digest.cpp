// What a GPU counts of rows that stay in its memory, done here by threads of the CPU with the same
// functions: to the last bit what the host counts of the same rows.
#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>

#include <random>
#include <set>

#include <xxhash.h>

#include "carom/carom.hpp"
#include "host/set/sample_digest.hpp"
#include "kernels/digest/digest_row.hpp"
#include "kernels/launch/launch.hpp"
#include "kernels/launch/launch_digest_words.hpp"
#include "tests/support/device_rows.hpp"
#include "tests/support/poisoned_rows.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

TEST(WordHash, IsTheLibrarys) {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> words(WordHash::most_words);
  for (int count = 1; count <= WordHash::most_words; ++count) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      for (std::uint64_t& word : words) word = random();
      const std::uint64_t seed = repeat == 0 ? 0 : random();
      EXPECT_EQ(WordHash::hash(words.data(), count, seed),
                XXH3_64bits_withSeed(words.data(), 8 * static_cast<std::size_t>(count), seed))
          << count << " words";
    }
  }
}

TEST(OrderedBits, AscendWithTheirNumbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double numbers[] = {-infinity, -1e300, -1.0, -1e-310, -0.0, 0.0, 1e-310, 1.0, infinity};
  for (std::size_t i = 1; i < std::size(numbers); ++i) {
    EXPECT_LT(ordered_bits(numbers[i - 1]), ordered_bits(numbers[i]));
  }
}

/// As the kernels do it, row by row on all threads.
RowDigest count_rows(SampleSet& samples, const DigestPlan& plan) {
  DigestWords words(plan);
  const DigestTotals totals = words.totals(words.words().data(), words.modes().data());
  const SampleView rows = view_of(samples);
  constexpr std::size_t share = 100;
  const std::size_t size = samples.size();
  std::vector<char> open(size, 0);
  oneapi::tbb::parallel_for(std::size_t{0}, (size + share - 1) / share, [&](std::size_t part) {
    DigestSums sums;
    for (std::size_t row = part * share; row < (part + 1) * share; ++row) {
      const bool there = row < size;  // the last threads of a device have no row either
      const SampleView its_row = rows.from(row, samples);
      digest_row(plan, its_row, there, row, samples.first + row, SoloTeam{}, sums, totals);
      if (!there || *its_row.status != Status::separated) continue;
      open[row] = plan.members.cover(its_row.velocity, plan.shape.velocities) ? 0 : 1;
    }
    add_sums(sums, totals);
  });

  RowDigest digest = words.read();
  digest.rows = size;
  digest.open = static_cast<std::uint64_t>(std::count(open.begin(), open.end(), 1));
  const auto copy_velocity = [&](std::uint64_t row, std::vector<double>& to) {
    const auto nv = static_cast<std::size_t>(samples.velocities);
    to.insert(to.end(), &samples.velocity[row * nv], &samples.velocity[(row + 1) * nv]);
  };
  for (std::size_t row = 0; row < size; ++row) {
    if (open[row] == 0) continue;
    digest.open_row.push_back(row);
    copy_velocity(row, digest.open_velocity);
  }
  for (const RowDigest::Mode& mode : digest.modes) {
    copy_velocity(mode.first_row, digest.mode_velocity);
  }
  return digest;
}

void expect_same(const Range& expected, const Range& range) {
  EXPECT_EQ(expected.least, range.least);
  EXPECT_EQ(expected.greatest, range.greatest);
  EXPECT_EQ(std::signbit(expected.least), std::signbit(range.least));
  EXPECT_EQ(std::signbit(expected.greatest), std::signbit(range.greatest));
}

void expect_same(const Summary& expected, const Summary& summary) {
  EXPECT_EQ(expected.trajectories, summary.trajectories);
  EXPECT_EQ(expected.status_counts, summary.status_counts);
  EXPECT_EQ(expected.final_steps, summary.final_steps);
  EXPECT_EQ(expected.lcps, summary.lcps);
  EXPECT_EQ(expected.max_lcps, summary.max_lcps);
  EXPECT_EQ(expected.pivots, summary.pivots);
  EXPECT_EQ(expected.retries, summary.retries);
  EXPECT_EQ(expected.table_hits, summary.table_hits);
  EXPECT_EQ(expected.solution_steps, summary.solution_steps);
  EXPECT_EQ(expected.energy_before, summary.energy_before);
  EXPECT_EQ(expected.energy_sum, summary.energy_sum);
  EXPECT_EQ(expected.energy_units.low, summary.energy_units.low);
  EXPECT_EQ(expected.energy_units.high, summary.energy_units.high);
  EXPECT_EQ(expected.checksum, summary.checksum);
  ASSERT_LE(expected.lcp_histogram.size(), summary.lcp_histogram.size());
  for (std::size_t i = 0; i < summary.lcp_histogram.size(); ++i) {
    EXPECT_EQ(i < expected.lcp_histogram.size() ? expected.lcp_histogram[i] : 0,
              summary.lcp_histogram[i]);
  }
  expect_same(expected.energy, summary.energy);
  ASSERT_EQ(expected.normal_velocity.size(), summary.normal_velocity.size());
  for (std::size_t i = 0; i < summary.normal_velocity.size(); ++i) {
    expect_same(expected.normal_velocity[i], summary.normal_velocity[i]);
  }
  ASSERT_EQ(expected.tangential_velocity.size(), summary.tangential_velocity.size());
  for (std::size_t i = 0; i < summary.tangential_velocity.size(); ++i) {
    expect_same(expected.tangential_velocity[i], summary.tangential_velocity[i]);
  }
}

void expect_same(std::vector<OutcomeMode> expected, std::vector<OutcomeMode> modes) {
  ASSERT_EQ(expected.size(), modes.size());
  const auto earlier = [](const OutcomeMode& a, const OutcomeMode& b) {
    return a.example < b.example;
  };
  std::sort(expected.begin(), expected.end(), earlier);
  std::sort(modes.begin(), modes.end(), earlier);
  for (std::size_t i = 0; i < modes.size(); ++i) {
    EXPECT_EQ(expected[i].contacts, modes[i].contacts);
    EXPECT_EQ(expected[i].count, modes[i].count);
    EXPECT_EQ(expected[i].example, modes[i].example);
    EXPECT_EQ(expected[i].example_velocity, modes[i].example_velocity);
  }
}

struct Case {
  const char* name;
  ImpactProblem problem;
  int max_steps;
  double impulse_step;
  double epsilon;
  Solutions solutions = Solutions::first;
};

std::vector<Case> cases() {
  test::Random random(23);
  std::vector<Case> all;
  for (const char* name : {"rocking_block", "compass_gait", "disk_stack_m1_ortho"}) {
    all.push_back({name, test::reference_problem(name), 10, 0.4, 0.05});
  }
  all.push_back({"ramone", test::reference_problem("ramone"), 20, 0.4, 0.01});
  all.push_back(
      {"all solutions", test::reference_problem("compass_gait"), 10, 0.4, 0.05, Solutions::all});
  all.push_back({"few steps", test::reference_problem("rocking_block"), 1, 0.4, 0.01});
  all.push_back({"m = 5", test::random_problem(random, 5, 7, 0.4), 30, 0.1, 0.01});
  all.push_back({"m = 12", test::random_problem(random, 12, 15, -1.0), 10, 0.1, 0.01});
  all.push_back({"spatial", test::random_problem(random, 4, 6, 0.5, 2, 4), 30, 0.1, 0.01});
  return all;
}

SamplingOptions options_of(const Case& one) {
  SamplingOptions options;
  options.trajectories = 1511;  // no multiple of a warp
  options.impulse_step = one.impulse_step;
  options.epsilon = one.epsilon;
  options.law = law::SetValued{.caps = CapsDistribution{}, .solutions = one.solutions};
  options.max_steps = one.max_steps;
  options.backend = Backend::cpu;
  return options;
}

TEST(RowDigest, IsWhatTheHostCountsOfTheRows) {
  std::set<Status> met;
  std::size_t members = 0;
  for (Case& one : cases()) {
    SCOPED_TRACE(one.name);
    one.problem = validated(one.problem);
    const SamplingOptions options = options_of(one);
    const Sampler sampler(std::span(&one.problem, 1), options);
    const ProblemShape shape{
        one.problem.contacts(), one.problem.velocities(),
        static_cast<int>(one.problem.tangent_jacobian.rows()) / one.problem.contacts(), 2};
    ASSERT_TRUE(can_digest(shape));
    EpsilonNet nets[] = {
        {one.problem.velocities(), *options.epsilon, net_metric(one.problem, Norm::euclidean)},
        {one.problem.velocities(), *options.epsilon, net_metric(one.problem, Norm::kinetic)}};
    const bool counts = one.solutions == Solutions::all;
    DigestRequest requests[] = {{one.problem, shape, *options.max_steps, counts},
                                {one.problem, shape, *options.max_steps, counts}};
    SampleSet samples = test::poisoned_rows(one.problem, options, options.trajectories);
    for (std::uint64_t first = 0; first < 3 * options.trajectories; first += samples.size()) {
      sampler.sample(first, options.trajectories, samples);
      met.insert(samples.status.begin(), samples.status.end());
      for (const std::size_t norm : {0u, 1u}) {
        EpsilonNet& net = nets[norm];
        const RowDigest rows = count_rows(samples, requests[norm].plan(net));
        ASSERT_TRUE(rows.whole);
        const SampleDigest digest = digest_of(one.problem, first, rows);
        const SampleDigest expected = digest_rows(one.problem, samples, net, 0);
        expect_same(expected.summary, digest.summary);
        expect_same(expected.modes, digest.modes);
        EXPECT_EQ(expected.open_index, digest.open_index);
        EXPECT_EQ(expected.open_velocity, digest.open_velocity);
        net.add(digest.open_index, digest.open_velocity);
      }
    }
    members += nets[0].size() + nets[1].size();
  }
  EXPECT_GT(met.size(), 1u) << "outcomes alone";
  EXPECT_GT(members, 500u);
}

TEST(RowDigest, OfRowsWithoutAnOutcomeHasNoRanges) {
  ImpactProblem problem = test::reference_problem("rocking_block");
  SampleSet samples = sample(problem, options_of({"", problem, 10, 0.4, 0.05}));
  std::fill(samples.status.begin(), samples.status.end(), Status::ray);
  const EpsilonNet net(problem.velocities(), 0.1);
  DigestRequest request(problem, {2, problem.velocities(), 1, 2}, 10);
  const SampleDigest digest = digest_of(problem, 0, count_rows(samples, request.plan(net)));
  expect_same(summarize(problem, samples), digest.summary);
  EXPECT_TRUE(digest.summary.energy.empty());
  EXPECT_TRUE(digest.modes.empty());
  EXPECT_TRUE(digest.open_index.empty());
}

/// Each contact apart, at rest or sliding back: three to the ninth modes, more than the table
/// holds.
TEST(RowDigest, SaysThatItIsNotWholeWhereModesAreTooMany) {
  constexpr int m = 9;
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(m, m);
  problem.normal_jacobian = Eigen::MatrixXd::Identity(m, m);
  problem.tangent_jacobian = 2.0 * Eigen::MatrixXd::Identity(m, m);
  problem.pre_impact_velocity = -Eigen::VectorXd::Ones(m);
  SampleSet samples;
  samples.velocities = m;
  samples.contacts = m;
  samples.resize(19683);
  std::fill(samples.status.begin(), samples.status.end(), Status::separated);
  for (std::size_t row = 0; row < samples.size(); ++row) {
    std::size_t digits = row;
    for (std::size_t j = 0; j < m; ++j, digits /= 3) {
      samples.velocity[m * row + j] = 1.0 - static_cast<double>(digits % 3);
    }
  }
  const EpsilonNet net(m, 0.1);
  DigestRequest request(problem, {m, m, 1, 2}, 1);
  EXPECT_FALSE(count_rows(samples, request.plan(net)).whole);
  samples.resize(400);
  const RowDigest rows = count_rows(samples, request.plan(net));
  EXPECT_TRUE(rows.whole);
  EXPECT_EQ(rows.modes.size(), 400u);
}

/// Distances at epsilon, one step of rounding below and above it.
TEST(NetMembers, DecideAsTheNetAtEpsilonItself) {
  const double epsilon = 0.1;
  EpsilonNet net(2, epsilon);
  const std::vector<double> member = {0.3, -0.7};
  net.restore({0}, member);
  SortedMembers sorted;
  const NetMembers members = sorted.of(net);
  for (int steps = -4; steps <= 4; ++steps) {
    for (const double side : {-1.0, 1.0}) {
      for (const std::size_t axis : {0u, 1u}) {
        SampleSet samples;
        samples.velocities = 2;
        samples.contacts = 1;
        samples.resize(1);
        samples.first = 1;
        samples.velocity = member;
        double& moved = samples.velocity[axis];
        moved += side * epsilon;
        for (int i = 0; i < std::abs(steps); ++i) moved = std::nextafter(moved, steps < 0 ? -9 : 9);
        EXPECT_EQ(net.uncovered(samples).empty(), members.cover(samples.velocity.data(), 2));
      }
    }
  }
}

/// The whole run, where a GPU does it.
TEST(CudaParity, ARunThatKeepsNoRowsIsTheCpus) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device";
  std::uint64_t failures = 0;
  for (Case& one : cases()) {
    SCOPED_TRACE(one.name);
    SamplingOptions options = options_of(one);
    const bool small = one.problem.contacts() == 2;
    options.trajectories = test::device_rows(100'003, small ? 20'003 : 43);
    const PostImpactSet expected = post_impact_set(one.problem, options);
    options.backend = Backend::cuda;
    const PostImpactSet set = post_impact_set(one.problem, options);
    EXPECT_EQ(set.backend, Backend::cuda);
    expect_same(expected.summary, set.summary);
    expect_same(expected.modes.table(), set.modes.table());
    EXPECT_EQ(expected.net.index(), set.net.index());
    EXPECT_EQ(expected.net.velocity(), set.net.velocity());
    const std::uint64_t trials = test::device_rows(50'000, small ? 2'000 : 40);
    for (const int max_steps : {*options.max_steps, 1}) {  // with one, some have no outcome
      options.max_steps = max_steps;
      options.backend = Backend::cuda;
      const HoldOut tested =
          hold_out(one.problem, options, set.net, options.trajectories, 1 << 20, trials, 0.99);
      options.backend = Backend::cpu;
      const HoldOut on_cpu =
          hold_out(one.problem, options, set.net, options.trajectories, 1 << 20, trials, 0.99);
      EXPECT_EQ(on_cpu.misses, tested.misses);
      EXPECT_EQ(on_cpu.failures, tested.failures);
      failures += tested.failures;
    }
  }
  EXPECT_GT(failures, 0u);
}

}  // namespace
}  // namespace carom
