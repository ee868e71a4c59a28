#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <ranges>

#include "carom/carom.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch.hpp"
#include "tests/support/device_rows.hpp"
#include "tests/support/fast_items.hpp"
#include "tests/support/flat_plan.hpp"
#include "tests/support/on_device.hpp"
#include "tests/support/poisoned_rows.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

SamplingOptions options_with(std::uint64_t trajectories, double h, int max_steps) {
  SamplingOptions options;
  options.trajectories = trajectories;
  options.impulse_step = h;
  options.max_steps = max_steps;
  options.epsilon = 0.01 < h ? 0.01 : h / 10.0;
  options.law = law::SetValued{.caps = CapsDistribution{}, .solutions = Solutions::first};
  options.backend = Backend::cpu;
  return options;
}

SampleSet range(const ImpactProblem& problem, const SamplingOptions& options, std::uint64_t first,
                std::uint64_t count) {
  SampleSet samples = test::poisoned_rows(problem, options, count);
  Sampler(std::span(&problem, 1), options).sample(first, count, samples);
  return samples;
}

/// Problems that use every compiled capacity of a device, retries included.
std::vector<ImpactProblem> device_problems() {
  test::Random random(11);
  return {test::reference_problem("rocking_block"),
          test::reference_problem("compass_gait"),
          test::reference_problem("ramone"),
          test::reference_problem("disk_stack_m1_ortho"),
          test::random_problem(random, 8, 15, -1.0),
          test::random_problem(random, 12, 6, 1e5),
          test::random_problem(random, 4, 6, 0.7, 2, 4),
          test::random_problem(random, 4, 6, 0.7, 2, 8)};
}

/// The same with larger ones, which the CPU alone takes.
std::vector<ImpactProblem> assorted_problems() {
  std::vector<ImpactProblem> problems = device_problems();
  test::Random random(12);
  problems.push_back(test::random_problem(random, 24, 20, 0.5));
  problems.push_back(test::random_problem(random, 17, 96, 0.7, 2, 4));
  return problems;
}

TEST(Trajectory, IsAPureFunctionOfItsIndex) {
  for (const ImpactProblem& problem : assorted_problems()) {
    const SamplingOptions options = options_with(500, 0.4, 8);
    const SampleSet whole = range(problem, options, 0, 500);
    const SampleSet part = range(problem, options, 123, 77);
    test::expect_same_bits(test::rows_of(whole, std::views::iota(123u, 200u), 123), part);
  }
}

TEST(Trajectory, HasTheSameBitsOnAnyNumberOfThreads) {
  for (const ImpactProblem& problem : assorted_problems()) {
    SamplingOptions options = options_with(700, 0.4, 8);
    options.threads = 1;
    const SampleSet one = sample(problem, options);
    options.threads = 3;
    test::expect_same_bits(one, sample(problem, options));
  }
}

TEST(Trajectory, HasTheSameBitsInEveryInstructionSet) {
  for (const ImpactProblem& problem : assorted_problems()) {
    const SamplingOptions options = options_with(200, 0.4, 8);
    const SampleSet expected = sample(problem, options);
    for (const ItemRunner* runner : item_runners()) {
      const test::FlatPlan flat(problem, options);
      SampleSet samples = test::poisoned_rows(flat.plan(), expected.size());
      runner->items(flat.plan(), 0, samples.size(), view_of(samples));
      test::expect_same_bits(expected, samples);
    }
  }
}

/// What a GPU does: double precision only, and the undecided rows again on the CPU.
TEST(Trajectory, HasTheSameBitsWhereOnlyUndecidedRowsAreSolvedThoroughly) {
  std::size_t undecided_rows = 0;
  for (const ImpactProblem& problem : device_problems()) {
    const SamplingOptions options = options_with(300, 0.4, 8);
    const SampleSet expected = sample(problem, options);
    const test::FlatPlan flat(problem, options);
    SampleSet samples = test::poisoned_rows(flat.plan(), expected.size());
    test::fast_items(flat.plan(), 0, samples.size(), view_of(samples));
    for (std::size_t row = 0; row < samples.size(); ++row) {
      undecided_rows += samples.status[row] == undecided;
      EXPECT_EQ(samples.status[row] == undecided, expected.retry_count[row] > 0) << row;
    }
    repeat_undecided(flat.plan(), 0, samples.size(), view_of(samples), 0);
    test::expect_same_bits(expected, samples);
  }
  EXPECT_GT(undecided_rows, 0u);  // else this tests nothing
}

TEST(Trajectory, HasTheSameBitsInAListOfRows) {
  const ImpactProblem problem = test::reference_problem("disk_stack_m1_ortho");
  const SamplingOptions options = options_with(300, 0.4, 8);
  const SampleSet expected = sample(problem, options);
  const test::FlatPlan flat(problem, options);
  const std::vector<std::uint32_t> rows = {250, 3, 77, 4};
  SampleSet listed = test::poisoned_rows(flat.plan(), rows.size());
  repeat_listed(flat.plan(), 20, rows, view_of(listed), 2);
  const auto of_expected = rows | std::views::transform([](std::uint32_t row) { return 20 + row; });
  test::expect_same_bits(test::rows_of(expected, of_expected, 0), listed);
}

TEST(Trajectory, ChecksumsOfChunksAddUpToThatOfTheWhole) {
  const ImpactProblem problem = test::reference_problem("box_wall");
  const SamplingOptions options = options_with(1000, 2.0, 5);
  std::uint64_t sum = 0;
  for (std::uint64_t first = 0; first < 1000; first += 300) {
    sum += checksum(range(problem, options, first, std::min<std::uint64_t>(300, 1000 - first)));
  }
  EXPECT_EQ(sum, checksum(range(problem, options, 0, 1000)));
}

TEST(Trajectory, ABatchHoldsWhatEachProblemGivesAlone) {
  ImpactProblem slow = test::reference_problem("rocking_block");
  ImpactProblem fast = slow;
  fast.pre_impact_velocity *= 2.0;
  SamplingOptions options = options_with(300, 0.3, 10);
  options.problem_id = 40;
  const std::vector<ImpactProblem> problems = {slow, fast};
  const SampleSet batch = sample(problems, options);
  ASSERT_EQ(batch.size(), 600u);
  for (std::size_t p = 0; p < 2; ++p) {
    options.problem_id = 40 + static_cast<std::uint32_t>(p);
    const auto its_rows = std::views::iota(p * 300, (p + 1) * 300);
    test::expect_same_bits(sample(problems[p], options), test::rows_of(batch, its_rows, 0));
  }
}

TEST(Trajectory, TakesMoreThreadsThanThereAreForAllThereAre) {
  const ImpactProblem problem = test::reference_problem("rocking_block");
  SamplingOptions options = options_with(100, 0.3, 10);
  const std::uint64_t expected = checksum(sample(problem, options));
  options.threads = 2147483647;
  EXPECT_EQ(checksum(sample(problem, options)), expected);
}

TEST(Trajectory, RefusesCapsThatADoubleCannotMultiply) {
  const ImpactProblem problem = test::reference_problem("rocking_block");
  SamplingOptions options = options_with(10, 1e308, 10);
  EXPECT_THROW(sample(problem, options), InputError);
  options.impulse_step = 1e-300;
  options.epsilon = 1e-301;
  EXPECT_THROW(sample(problem, options), InputError);
}

TEST(Trajectory, RefusesToMixShapesInABatch) {
  const std::vector<ImpactProblem> problems = {test::reference_problem("rocking_block"),
                                               test::reference_problem("compass_gait")};
  EXPECT_THROW(sample(problems, options_with(10, 0.2, 5)), InputError);
}

TEST(Trajectory, PathsLeadFromThePreImpactVelocityToTheOutcome) {
  const ImpactProblem problem = test::reference_problem("compass_gait");
  const SamplingOptions options = options_with(50, 0.25, 5);
  const Sampler sampler(std::span(&problem, 1), options);
  const SampleSet samples = range(problem, options, 0, 50);
  for (std::uint64_t i = 0; i < 50; ++i) {
    const std::vector<double> path = sampler.path(i);
    const std::size_t nv = 4;
    ASSERT_EQ(path.size(), nv * (1 + samples.lcp_count[i] + samples.final_step[i]));
    EXPECT_EQ(std::memcmp(path.data(), problem.pre_impact_velocity.data(), nv * sizeof(double)), 0);
    EXPECT_EQ(std::memcmp(&path[path.size() - nv], &samples.velocity[i * nv], nv * sizeof(double)),
              0);
  }
}

TEST(Trajectory, LeavesASeparatedVelocityAlone) {
  ImpactProblem problem = test::reference_problem("compass_gait");
  problem.pre_impact_velocity = Eigen::Vector4d(0.0, 1.0, 0.0, 0.0);
  const SampleSet samples = sample(problem, options_with(20, 0.25, 5));
  for (std::size_t row = 0; row < samples.size(); ++row) {
    EXPECT_EQ(samples.status[row], Status::separated);
    EXPECT_EQ(samples.lcp_count[row], 0u);
    EXPECT_EQ(samples.velocity[row * 4 + 1], 1.0);
  }
}

TEST(Trajectory, CountsWhatTheFinalStepCannotSeparateAsDropped) {
  // One step with tiny caps cannot stop the block, and the final step's cap is smaller still.
  const ImpactProblem problem = test::reference_problem("rocking_block");
  const SampleSet samples = sample(problem, options_with(20, 1e-3, 1));
  for (std::size_t row = 0; row < samples.size(); ++row) {
    EXPECT_EQ(samples.status[row], Status::step_limit);
    EXPECT_EQ(samples.final_step[row], 1);
    EXPECT_EQ(samples.lcp_count[row], 1u);
  }
}

TEST(Trajectory, ImpulsesExplainTheChangeOfVelocityAndVelocitiesTheEnergy) {
  for (const ImpactProblem& problem : assorted_problems()) {
    const int nv = problem.velocities();
    const int m = problem.contacts();
    const int d = problem.tangent_dimension();
    const SampleSet samples = sample(problem, options_with(50, 0.4, 8));
    for (std::size_t row = 0; row < samples.size(); ++row) {
      Eigen::VectorXd momentum = Eigen::VectorXd::Zero(nv);
      for (int i = 0; i < m; ++i) {
        const double* impulse = &samples.impulse[(row * m + i) * (1 + d)];
        momentum += problem.normal_jacobian.row(i).transpose() * impulse[0];
        for (int a = 0; a < d; ++a) {
          momentum += problem.tangent_jacobian.row(i * d + a).transpose() * impulse[1 + a];
        }
      }
      const Eigen::Map<const Eigen::VectorXd> velocity(&samples.velocity[row * nv], nv);
      const Eigen::VectorXd change = problem.mass_matrix * (velocity - problem.pre_impact_velocity);
      EXPECT_LT((change - momentum).norm(), 1e-9 * (1.0 + momentum.norm()));
      const double energy = kinetic_energy(problem, velocity);
      EXPECT_NEAR(samples.energy[row], energy, 1e-12 * (1.0 + energy));
    }
  }
}

std::uint64_t device_rows_of(const ImpactProblem& problem) {
  return test::device_rows(20000, problem.contacts() > 2 ? 70 : 1500);
}

/// Every bit on a GPU is the CPU's. Skipped, and said so, where there is none.
TEST(CudaParity, EveryBitIsTheCpus) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device";
  for (const ImpactProblem& problem : device_problems()) {
    SamplingOptions options = options_with(device_rows_of(problem), 0.4, 8);
    const SampleSet expected = sample(problem, options);
    test::expect_same_bits(expected, test::sample_on_device({&problem, 1}, options));
  }
}

TEST(CudaParity, SlicesOfALargeLaunchAreInOrder) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device";
  const ImpactProblem problem = test::reference_problem("rocking_block");
  SamplingOptions options = options_with(test::device_rows(1000003, 600'011), 0.3,
                                         10);  // no multiple of a slice or block
  const SampleSet expected = sample(problem, options);
  test::expect_same_bits(expected, test::sample_on_device({&problem, 1}, options));
}

/// Fewer rows than a slice, and more, of which some are undecided.
TEST(CudaParity, RowsThatStayOnTheDeviceHaveTheSameBits) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device";
  std::vector<ImpactProblem> problems = device_problems();
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const ImpactProblem& problem = problems[i];
    const std::uint64_t some = device_rows_of(problem);
    SamplingOptions options =
        options_with(i == 0 ? test::device_rows(5000011, 300'007) : some, 0.4, 8);
    for (const Solutions solutions : {Solutions::first, Solutions::table, Solutions::all}) {
      if (solutions != Solutions::first && i > 1) continue;  // modes of two contacts
      if (solutions != Solutions::first) options.trajectories = some;
      options.set_valued().solutions = solutions;
      options.backend = Backend::cpu;
      const SampleSet expected = sample(problem, options);
      options.backend = Backend::cuda;
      const Sampler sampler(std::span(&problem, 1), options);
      const DeviceSamples rows = sampler.sample_on_device(0, options.trajectories);
      ASSERT_EQ(rows.size(), expected.size());
      EXPECT_GT(rows.kernel_seconds(), 0.0);
      test::expect_same_bits(expected, rows.to_host());
    }
  }
}

TEST(CudaBackend, LeavesNoRowsOnADeviceThatIsNotThere) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "there is a CUDA device";
  const ImpactProblem problem = test::reference_problem("rocking_block");
  const Sampler sampler(std::span(&problem, 1), options_with(10, 0.3, 10));
  EXPECT_THROW(sampler.sample_on_device(0, 10), InputError);
}

TEST(CudaBackend, IsRefusedWithAReasonWhereThereIsNoDevice) {
  if (cuda_device_count() > 0) GTEST_SKIP() << "there is a CUDA device";
  const ImpactProblem problem = test::reference_problem("rocking_block");
  SamplingOptions options = options_with(10, 0.3, 10);
  options.backend = Backend::cuda;
  EXPECT_THROW(sample(problem, options), InputError);
  options.backend = Backend::automatic;
  const Sampler sampler(std::span(&problem, 1), options);
  EXPECT_EQ(sampler.backend(), Backend::cpu);
  EXPECT_FALSE(sampler.backend_note().empty());
}

}  // namespace
}  // namespace carom
