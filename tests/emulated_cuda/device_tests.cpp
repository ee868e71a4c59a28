// What launchers do where a device is short of memory or used wrongly, and whole commands with
// --backend cuda, on the emulated device.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "carom/carom.hpp"
#include "carom/explore.hpp"
#include "host/set/sample_digest.hpp"
#include "kernels/cuda/device_buffer.hpp"
#include "kernels/cuda/start_kernel.hpp"
#include "tests/emulated_cuda/emulated_device.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/poisoned_rows.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using json = nlohmann::json;

/// For device_rows(): this device is slow.
[[maybe_unused]] const int few_rows_are_told = setenv("CAROM_FEW_ROWS", "1", /*overwrite=*/0);

SamplingOptions cuda_options(std::uint64_t trajectories) {
  SamplingOptions options;
  options.trajectories = trajectories;
  options.impulse_step = 0.3;
  options.epsilon = 0.01;
  options.law = law::SetValued{.caps = CapsDistribution{}, .solutions = Solutions::first};
  options.max_steps = 10;
  options.backend = Backend::cuda;
  return options;
}

SampleSet on_cpu(const ImpactProblem& problem, SamplingOptions options) {
  options.backend = Backend::cpu;
  return sample(problem, options);
}

/// Less device memory for a while.
class MemoryLimit {
 public:
  explicit MemoryLimit(std::size_t bytes) : before_(emulated::limit_memory(bytes)) {}
  ~MemoryLimit() { emulated::limit_memory(before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  std::size_t before_;
};

TEST(CudaLauncher, TakesSmallerSlicesWhereMemoryIsShort) {
  const ImpactProblem problem = test::reference_problem("rocking_block");
  const SamplingOptions options = cuda_options(30'001);
  const SampleSet expected = on_cpu(problem, options);
  const Sampler sampler(std::span(&problem, 1), options);
  const MemoryLimit limit(emulated::memory_in_use() + (std::size_t{1} << 20));
  SampleSet samples = test::poisoned_rows(problem, options, options.trajectories);
  sampler.sample(0, options.trajectories, samples);
  test::expect_same_bits(expected, samples);
}

/// Whichever of its buffers it is that finds no room.
TEST(CudaLauncher, RunsWithHoweverLittleMemoryThereIs) {
  const ImpactProblem problem = test::reference_problem("rocking_block");
  SamplingOptions options = cuda_options(20'001);
  options.epsilon = 0.004;
  options.backend = Backend::cpu;
  const PostImpactSet expected = post_impact_set(problem, options);
  options.backend = Backend::cuda;
  for (double bytes = 4e6; bytes > 4e5; bytes *= 0.83) {  // 16,384 rows with their list: 1.8e6
    const MemoryLimit limit(static_cast<std::size_t>(bytes));
    const PostImpactSet set = post_impact_set(problem, options);
    EXPECT_EQ(set.backend, Backend::cuda);
    EXPECT_EQ(set.summary.checksum, expected.summary.checksum);
    EXPECT_EQ(set.net.index(), expected.net.index());
    EXPECT_EQ(set.summary.outcomes(), set.modes.outcomes());
  }
}

TEST(CudaLauncher, SaysThatMemoryIsOut) {
  const ImpactProblem problem = test::reference_problem("rocking_block");
  SamplingOptions options = cuda_options(30'001);
  const Sampler sampler(std::span(&problem, 1), options);
  const MemoryLimit limit(emulated::memory_in_use() + 1000);
  const auto expect_message = [](const auto& call) {
    try {
      call();
      FAIL() << "nothing thrown";
    } catch (const RunError& error) {
      EXPECT_NE(std::string(error.what()).find("out of memory"), std::string::npos);
    }
  };
  SampleSet samples;
  expect_message([&] { sampler.sample(0, options.trajectories, samples); });
  expect_message([&] { sampler.sample_on_device(0, options.trajectories); });
  expect_message([&] { post_impact_set(problem, options); });
}

/// After a failure, too.
TEST(CudaLauncher, GivesAllMemoryBack) {
  const ImpactProblem problem = test::reference_problem("compass_gait");
  const SamplingOptions options = cuda_options(5'000);
  const std::size_t before = emulated::memory_in_use();
  {
    const Sampler sampler(std::span(&problem, 1), options);
    SampleSet samples;
    sampler.sample(0, options.trajectories, samples);
    const DeviceSamples rows = sampler.sample_on_device(0, options.trajectories);
    EXPECT_GT(emulated::memory_in_use(), before);
    const MemoryLimit limit(emulated::memory_in_use() + 1000);
    EXPECT_THROW(sampler.sample_on_device(0, options.trajectories), RunError);
    EXPECT_THROW(post_impact_set(problem, options), RunError);
  }
  EXPECT_EQ(emulated::memory_in_use(), before);
}

TEST(CudaLauncher, RowsThatStayComeInSeveralLaunches) {
  const ImpactProblem problem = test::reference_problem("rocking_block");
  const SamplingOptions options = cuda_options((1 << 17) + 5011);  // the first launch has 2^14
  const Sampler sampler(std::span(&problem, 1), options);
  const SampleSet samples = sampler.sample_on_device(0, options.trajectories).to_host();
  EXPECT_EQ(checksum(samples), checksum(on_cpu(problem, options)));
}

TEST(CudaLauncher, ABatchOfProblemsHasTheCpusBits) {
  test::Random random(5);
  std::vector<ImpactProblem> problems;
  for (int i = 0; i < 7; ++i) problems.push_back(test::random_problem(random, 2, 3, 0.6));
  SamplingOptions options = cuda_options(101);
  const SampleSet samples = sample(problems, options);
  options.backend = Backend::cpu;
  test::expect_same_bits(sample(problems, options), samples);
}

/// A net is sent when it is another one, and then the new one decides.
TEST(CudaLauncher, SendsANetOnce) {
  const ImpactProblem problem = test::reference_problem("rocking_block");
  const SamplingOptions options = cuda_options(1'000);
  const SampleSet rows = on_cpu(problem, options);
  EpsilonNet net(problem.velocities(), 1e-3);
  net.add(rows);
  const std::size_t net_bytes = net.velocity().size() * sizeof(double);
  const Sampler sampler(std::span(&problem, 1), options);
  DigestSampler digests(problem, options, sampler);
  const auto bytes_for = [&](const EpsilonNet& its_net) {
    const std::size_t before = emulated::bytes_sent();
    const SampleDigest digest = digests.sample(0, options.trajectories, its_net);
    EXPECT_EQ(digest.open_index.size(), its_net.uncovered(rows).size());
    return emulated::bytes_sent() - before;
  };
  const std::size_t without_net = bytes_for(EpsilonNet(problem.velocities(), 1e-3));
  EXPECT_GE(bytes_for(net), net_bytes);
  EXPECT_LT(bytes_for(net), net_bytes);
  SampleSet more;
  sampler.sample(options.trajectories, options.trajectories, more);
  net.add(more);
  EXPECT_GE(bytes_for(net), net_bytes);
  EXPECT_LE(bytes_for(net), without_net);
  // Another sampler of digests, on the same device, has a net with as many members.
  EpsilonNet other(problem.velocities(), 1e-3);
  const std::vector<double> far_away(net.velocity().size(), 1e3);
  other.restore(net.index(), far_away);
  DigestSampler others(problem, options, sampler);
  const SampleDigest open = others.sample(0, options.trajectories, other);
  EXPECT_EQ(open.open_index.size(), other.uncovered(rows).size());
  EXPECT_GT(open.open_index.size(), 0u);
}

/// Single steps and phases; Lemke's solution of each step, and any of all; and LCPs that double
/// precision leaves undecided.
TEST(CudaExploration, HasTheCpusBits) {
  test::Random random(11);
  const ImpactProblem rough = test::random_problem(random, 6, 8, 1e5);
  SamplingOptions options = cuda_options(500);
  options.max_steps = 30;
  const SampleSet rows = on_cpu(rough, options);
  EXPECT_GT(std::ranges::count_if(rows.retry_count, [](auto retries) { return retries > 0; }), 0);
  struct Case {
    ImpactProblem problem;
    double impulse_step;
    Solutions solutions;
  };
  for (const auto& [problem, impulse_step, solutions] :
       {Case{test::reference_problem("rocking_block"), 0.3, Solutions::all},
        Case{test::reference_problem("box_wall"), 2.0, Solutions::first},
        Case{test::reference_problem("compass_gait"), 0.01, Solutions::all},
        Case{test::reference_problem("disk_stack_m1_ortho"), 1.0, Solutions::first},
        Case{rough, 0.3, Solutions::first}}) {
    options.impulse_step = impulse_step;
    options.set_valued().solutions = solutions;
    options.backend = Backend::cuda;
    const bool small = problem.contacts() == 2;
    const ExploreOptions explored = {.budget = small ? 25'000u : 12'000u, .slots = 1'000};
    const std::size_t before = emulated::bytes_sent();
    const Exploration found = explore(problem, options, explored);
    // Most LCPs are the device's: per row it gets a state, caps and a selection.
    const auto row = static_cast<std::size_t>(5 * problem.contacts() + 1) * sizeof(double);
    EXPECT_GT(emulated::bytes_sent() - before, found.lcps / 2 * row);
    options.backend = Backend::cpu;
    const Exploration expected = explore(problem, options, explored);
    EXPECT_EQ(found.lcps, expected.lcps);
    EXPECT_GT(found.net.size(), 10u);
    EXPECT_TRUE(test::same_bits(found.net.velocity(), expected.net.velocity()));
    for (std::size_t island = 0; island < expected.trees.size(); ++island) {
      EXPECT_EQ(found.trees[island].parent, expected.trees[island].parent);
      EXPECT_TRUE(test::same_bits(found.trees[island].step, expected.trees[island].step));
    }
  }
}

/// Of every law that draws something and runs on devices, whatever a step draws.
TEST(CudaExploration, HasTheCpusBitsUnderEveryLaw) {
  const ImpactProblem disks = test::reference_problem("disk_stack_m1_ortho");
  ImpactProblem smooth = disks;
  smooth.friction.setZero();
  smooth.restitution = Eigen::VectorXd::Constant(disks.contacts(), 0.5);
  ImpactProblem bouncing = test::reference_problem("compass_gait");
  bouncing.restitution = Eigen::Vector2d(0.5, 0.3);
  ImpactProblem box = test::reference_problem("box_wall");
  box.restitution = Eigen::Vector2d(0.5, 0.3);
  struct Case {
    ImpactProblem problem;
    Law law;
  };
  for (const auto& [problem, law] :
       {Case{disks, law::Sequential{}}, Case{smooth, law::Propagative{}},
        Case{box, law::SetValued{.solutions = Solutions::first}},
        Case{bouncing, law::SetValued{.solutions = Solutions::all}},
        Case{test::reference_problem("box_wall"), law::SetValued{.solutions = Solutions::cover}},
        Case{test::reference_problem("box_wall"), law::SetValued{.solutions = Solutions::table}}}) {
    SamplingOptions options = cuda_options(500);
    options.law = law;
    options.epsilon = 1e-3;
    options.max_steps = 1000;
    const ExploreOptions explored = {.budget = 40'000, .slots = 1'000};
    const std::size_t before = emulated::bytes_sent();
    const Exploration found = explore(problem, options, explored);
    const auto row = static_cast<std::size_t>(2 * problem.contacts() + 1) * sizeof(double);
    EXPECT_GT(emulated::bytes_sent() - before, found.lcps / 2 * row) << law_name(law);
    options.backend = Backend::cpu;
    const Exploration expected = explore(problem, options, explored);
    EXPECT_EQ(found.lcps, expected.lcps);
    EXPECT_GT(found.net.size(), 1u) << law_name(law);
    EXPECT_TRUE(test::same_bits(found.net.velocity(), expected.net.velocity()));
    for (std::size_t island = 0; island < expected.trees.size(); ++island) {
      EXPECT_EQ(found.trees[island].parent, expected.trees[island].parent);
      EXPECT_TRUE(test::same_bits(found.trees[island].step, expected.trees[island].step));
    }
  }
}

TEST(CudaExploration, SaysThatMemoryIsOut) {
  const ImpactProblem problem = test::reference_problem("rocking_block");
  const MemoryLimit limit(emulated::memory_in_use() + 100'000);
  EXPECT_THROW(explore(problem, cuda_options(1), {.budget = 40'000, .slots = 1'000}), RunError);
}

using CudaCommandLine = CommandLine;

TEST_F(CudaCommandLine, AnExplorationHasTheCpusReport) {
  const auto explore = [&](const std::string& backend) {
    return run_json({"sample", "compass_gait", "--explore", "--budget", "5000", "--slots", "300",
                     "--backend", backend});
  };
  const json expected = explore("cpu");
  const json found = explore("cuda");
  for (const char* part : {"net", "lcps", "explore", "contacts", "modes"}) {
    EXPECT_EQ(found[part], expected[part]) << part;
  }
}

TEST_F(CudaCommandLine, ARunHasTheCpusChecksumWhateverItKeeps) {
  const auto sample = [&](const std::string& file, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"sample", "compass_gait", "--trajectories",
                                          "30001",  "--hold-out",   "3000",
                                          "-o",     text_path(file)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_json(arguments);
  };
  const json expected = sample("cpu.h5", {"--backend", "cpu"});
  for (const std::string kept : {"all", "none", "20000"}) {
    const json report = sample("cuda_" + kept + ".h5", {"--backend", "cuda", "--samples", kept});
    EXPECT_EQ(report["backend"], "cuda");
    for (const char* part :
         {"checksum", "status", "net", "modes", "lcps", "evidence", "energy", "contacts"}) {
      EXPECT_EQ(report[part], expected[part]) << part << ", samples " << kept;
    }
    const std::uint64_t rows = kept == "all" ? 30001u : (kept == "none" ? 0u : 20000u);
    EXPECT_EQ(checksum(read_samples(path("cuda_" + kept + ".h5"), 0, rows)),
              checksum(read_samples(path("cpu.h5"), 0, rows)));
    EXPECT_THROW(read_samples(path("cuda_" + kept + ".h5"), 0, rows + 1), InputError);
  }
}

TEST_F(CudaCommandLine, AnInterruptedRunGoesOnToTheSameResult) {
  const std::vector<std::string> command = {
      "sample", "rocking_block", "--trajectories", "6e5",         "--backend",
      "cuda",   "--samples",     "none",           "--solutions", "first"};
  std::vector<std::string> arguments = command;
  arguments.insert(arguments.end(), {"-o", text_path("cut.h5")});
  const ProgramRun cut = interrupt(start(arguments), text_path("cut.h5"));
  ASSERT_EQ(cut.exit_code, 1) << cut.err;
  const Result stopped = read_result(path("cut.h5"));
  ASSERT_FALSE(stopped.set.complete);
  EXPECT_EQ(run({"resume", text_path("cut.h5")}).exit_code, 0);
  arguments = command;
  arguments[5] = "cpu";
  arguments.insert(arguments.end(), {"-o", text_path("whole.h5")});
  EXPECT_EQ(run(arguments).exit_code, 0);
  const PostImpactSet resumed = read_result(path("cut.h5")).set;
  const PostImpactSet whole = read_result(path("whole.h5")).set;
  EXPECT_EQ(resumed.summary.checksum, whole.summary.checksum);
  EXPECT_EQ(resumed.net.index(), whole.net.index());
  EXPECT_EQ(resumed.modes.table().size(), whole.modes.table().size());
}

TEST_F(CudaCommandLine, ADeviceThatIsNotThereIsRefusedByItsNumber) {
  const ProgramRun refused = run(
      {"sample", "rocking_block", "--backend", "cuda", "--device", "3", "-o", text_path("x.h5")});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("device is 3 (must be below the number of CUDA devices, 1)"),
            std::string::npos)
      << refused.err;
  EXPECT_FALSE(std::filesystem::exists(path("x.h5")));
}

}  // namespace
}  // namespace carom
