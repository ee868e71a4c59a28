// nvcc's code of every kernel on the device that the CPU plays: rows with the CPU's bits. The tests
// of rollouts and of worlds are those of tests/kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "carom/carom.hpp"
#include "tests/ptx/ptx_device.hpp"
#include "tests/ptx/ptx_runtime.hpp"
#include "tests/support/frictionless_problem.hpp"
#include "tests/support/on_device.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

struct Case {
  std::string name;
  ImpactProblem problem;
  Law law;
  std::uint64_t trajectories = 70;  // more than a warp and no multiple of one
  int max_steps = 8;
  /// Of the whole run: of so many, paths of pivots are remembered.
  std::uint64_t of_trajectories = 1 << 16;
};

/// The first trajectories of a run.
SampleSet first_rows(const Case& one, const SamplingOptions& options) {
  const Sampler sampler(std::span(&one.problem, 1), options);
  SampleSet rows;
  sampler.sample(0, one.trajectories, rows);
  // A device that left all to the CPU would have its bits, too.
  EXPECT_LE(10 * sampler.repeated_trajectories(), one.trajectories);
  return rows;
}

/// The same problem among `velocities` velocities, of which the further ones take no part: for the
/// largest programs.
ImpactProblem widened(const ImpactProblem& problem, int velocities) {
  ImpactProblem wide = problem;
  const int nv = problem.velocities();
  wide.mass_matrix.setIdentity(velocities, velocities);
  wide.mass_matrix.topLeftCorner(nv, nv) = problem.mass_matrix;
  for (Eigen::MatrixXd* jacobian : {&wide.normal_jacobian, &wide.tangent_jacobian}) {
    const Eigen::MatrixXd narrow = *jacobian;
    jacobian->setZero(narrow.rows(), velocities);
    jacobian->leftCols(nv) = narrow;
  }
  wide.pre_impact_velocity.setZero(velocities);
  wide.pre_impact_velocity.head(nv) = problem.pre_impact_velocity;
  return wide;
}

SamplingOptions options_of(const Case& one) {
  SamplingOptions options;
  options.law = one.law;
  options.trajectories = one.of_trajectories;
  options.impulse_step = 0.4;
  options.epsilon = 0.01;
  options.max_steps = one.max_steps;
  options.backend = Backend::cpu;
  return options;
}

Law set_valued(Solutions solutions, const char* caps = "uniform") {
  return law::SetValued{.caps = parse_caps(caps), .solutions = solutions};
}

/// Problems for each compiled size: which one it is, either n or the velocities decide.
std::vector<std::pair<std::string, ImpactProblem>> problems_of_each_size(double friction) {
  test::Random random(20261123);
  return {{"n = 7", test::random_problem(random, 1, 5, friction, 2, 4)},
          {"n = 15", test::random_problem(random, 3, 6, friction)},
          {"30 velocities", widened(test::random_problem(random, 3, 6, friction), 30)}};
}

/// Contacts with much friction, of which double precision leaves some steps undecided.
ImpactProblem redundant_problem() {
  test::Random random(13);
  return test::random_problem(random, 12, 6, 1e5);
}

std::vector<Case> set_valued_cases() {
  test::Random random(5);
  std::vector<Case> cases;
  for (const Solutions solutions : {Solutions::first, Solutions::table, Solutions::all}) {
    const std::string name = solutions_name(solutions);
    for (const char* caps : {"uniform", "simplex", "corners:6", "early_corners:6", "sobol",
                             "weighted:1,0.5", "0.5*sobol + 0.5*simplex"}) {
      cases.push_back({name + " " + caps, test::reference_problem("rocking_block"),
                       set_valued(solutions, caps), 300});
    }
    for (const char* system : {"compass_gait", "ramone", "box_wall"}) {
      cases.push_back(
          {name + " " + system, test::reference_problem(system), set_valued(solutions), 300});
    }
    for (const double friction : {0.7, 0.0}) {  // without friction, a step has one solution
      for (const auto& [size, problem] : problems_of_each_size(friction)) {
        cases.push_back({name + " " + size, problem, set_valued(solutions)});
      }
    }
  }
  cases.push_back({"cover", test::reference_problem("ramone"), set_valued(Solutions::cover)});
  cases.push_back({"first, redundant", redundant_problem(), set_valued(Solutions::first)});
  cases.push_back({"all, gait of 30 velocities",
                   widened(test::reference_problem("compass_gait"), 30),
                   set_valued(Solutions::all)});
  cases.push_back({"all, a contact of much friction", test::random_problem(random, 1, 3, 10.0),
                   set_valued(Solutions::all)});
  // Where more contact modes than fit a table are searched, the CPU does it.
  std::erase_if(
      cases, [](const Case& one) { return !test::runs_on_devices(one.problem, options_of(one)); });
  return cases;
}

std::vector<Case> other_cases() {
  std::vector<Case> cases;
  for (const auto& [size, problem] : problems_of_each_size(0.5)) {
    cases.push_back({"sequential, " + size, problem, law::Sequential{}});
    ImpactProblem bouncing = problem;
    bouncing.restitution = Eigen::VectorXd::Constant(problem.contacts(), 0.5);
    cases.push_back({"plus, " + size, bouncing, law::Plus{.theta_max = 0.1}, 3});
    cases.push_back({"restitution, " + size, bouncing, set_valued(Solutions::first)});
    cases.push_back({"restitution, all, " + size, bouncing, set_valued(Solutions::all)});
  }
  for (const int velocities : {4, 30}) {  // contacts whose steps have several solutions
    ImpactProblem gait = widened(test::reference_problem("compass_gait"), velocities);
    gait.restitution = Eigen::Vector2d(0.5, 0.3);
    cases.push_back({"restitution, all, gait", gait, set_valued(Solutions::all)});
  }
  for (const int balls : {3, 12, 20, 65}) {
    const ImpactProblem row = test::uneven_cradle(balls);
    cases.push_back({"propagative", row, law::Propagative{}, 100, 60});
  }
  return cases;
}

void expect_the_cpus_bits(const Case& one) {
  SCOPED_TRACE(one.name);
  SamplingOptions options = options_of(one);
  const SampleSet expected = first_rows(one, options);
  options.backend = Backend::cuda;
  test::expect_same_bits(expected, first_rows(one, options));
}

TEST(TranslatedKernels, AllHaveTheCpusBits) {
  for (const Case& one : set_valued_cases()) expect_the_cpus_bits(one);
  for (const Case& one : other_cases()) expect_the_cpus_bits(one);

  // Steps that warps solve, by threads: of each size one.
  setenv("CAROM_CUDA_STEPS", "thread", 1);
  for (const auto& [size, problem] : problems_of_each_size(0.7)) {
    expect_the_cpus_bits({"first by threads, " + size, problem, set_valued(Solutions::first)});
  }
  unsetenv("CAROM_CUDA_STEPS");

  // Rows that nobody keeps, and those that stay: digests, and the rows that are repeated.
  SamplingOptions options = options_of({"", {}, set_valued(Solutions::first)});
  options.trajectories = 200;
  options.backend = Backend::cpu;
  const PostImpactSet expected = post_impact_set(redundant_problem(), options);
  options.backend = Backend::cuda;
  const PostImpactSet found = post_impact_set(redundant_problem(), options);
  EXPECT_EQ(found.summary.checksum, expected.summary.checksum);
  EXPECT_EQ(found.net.index(), expected.net.index());
  EXPECT_EQ(found.modes.table().size(), expected.modes.table().size());
}

/// That the comparison above can fail: one fused product after the other of the law `plus` is
/// rounded twice. Most of them never run here, or their last bit decides nothing.
TEST(TranslatedKernels, ASingleSlipIsTold) {
  test::Random random(3);
  ImpactProblem bouncing = test::random_problem(random, 2, 4, 0.7);
  bouncing.restitution = Eigen::Vector2d(0.5, 0.3);
  const Case one = {"", bouncing, law::Plus{.theta_max = 0.1}, 2, 30};
  SamplingOptions options = options_of(one);
  const SampleSet expected = first_rows(one, options);
  options.backend = Backend::cuda;
  int told = 0;
  for (ptx::slip = 0; ptx::slip < ptx::all_kernels.slips; ++ptx::slip) {
    const SampleSet found = first_rows(one, options);
    told += checksum(found) == checksum(expected) ? 0 : 1;
  }
  ptx::slip = -1;
  EXPECT_GE(told, 5) << "of " << ptx::all_kernels.slips;
}

/// Fails if some kernel never ran, unless only some tests were asked for.
class AllKernelsRun final : public testing::Environment {
 public:
  void TearDown() override {
    if (GTEST_FLAG_GET(filter) != "*") return;
    const std::set<std::string> started = ptx::started_kernels();
    std::vector<std::string> not_started;
    for (std::size_t i = 0; i < ptx::all_kernels.count; ++i) {
      const char* const name = ptx::all_kernels.kernel[i].name;
      if (!started.contains(name)) not_started.emplace_back(name);
    }
    EXPECT_EQ(not_started, std::vector<std::string>{});
  }
};

[[maybe_unused]] const testing::Environment* const all_run =
    testing::AddGlobalTestEnvironment(new AllKernelsRun);

}  // namespace
}  // namespace carom
