#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "carom/carom.hpp"
#include "host/evidence/scripted_sampler.hpp"
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

SamplingOptions options_of(const std::string& system, Solutions solutions) {
  const nlohmann::json data = test::read_json("sets/" + system + ".json");
  SamplingOptions options;
  options.impulse_step = data.at("h").get<double>();
  options.max_steps = data.at("N").get<int>();
  options.epsilon = *options.impulse_step / 10.0;
  options.set_valued() = {.caps = CapsDistribution{}, .solutions = solutions};
  options.backend = Backend::cpu;
  return options;
}

double at_rest(const ImpactProblem& problem, const SampleSet& samples) {
  const RowMatrix outcomes = samples.outcomes();
  double rest = 0.0;
  for (const auto& row : outcomes.rowwise()) {
    const Eigen::VectorXd velocity = row;
    const double speed = std::max((problem.normal_jacobian * velocity).cwiseAbs().maxCoeff(),
                                  (problem.tangent_jacobian * velocity).cwiseAbs().maxCoeff());
    rest += speed < 1e-8 ? 1.0 : 0.0;
  }
  return rest / static_cast<double>(outcomes.rows());
}

class UniformChoice : public testing::TestWithParam<std::string> {};

/// Against 4,096 trajectories of an independent implementation; five standard errors of both.
TEST_P(UniformChoice, HasTheStatisticsOfAnIndependentImplementation) {
  const ImpactProblem problem = test::reference_problem(GetParam());
  SamplingOptions options = options_of(GetParam(), Solutions::all);
  options.trajectories = 1 << 15;
  const nlohmann::json expected = test::read_json("sets/" + GetParam() + ".json").at("all");
  const SampleSet samples = sample(problem, options);
  Summary summary;
  summary.add(problem, samples);

  const double error = expected.at("lcps_per_sample_se");
  EXPECT_NEAR(summary.mean_lcps(), expected.at("lcps_per_sample_mean").get<double>(), 5.0 * error);
  const double rest = expected.at("fraction_all_contact_velocities_below_1em8");
  EXPECT_NEAR(at_rest(problem, samples), rest, 5.0 * std::sqrt(rest * (1.0 - rest) / 4096.0 * 1.2));

  std::uint64_t steps = 0;
  for (int bin = 1; bin < solution_bins; ++bin) {
    steps += summary.solution_steps[static_cast<std::size_t>(bin)];
  }
  EXPECT_EQ(steps, summary.lcps + summary.final_steps);
  EXPECT_EQ(summary.solution_steps[solution_bins - 1], 0u);  // the enumeration missed none
  const double several =
      1.0 - static_cast<double>(summary.solution_steps[1]) / static_cast<double>(steps);
  const double share = expected.at("fraction_of_steps_with_several_solutions");
  EXPECT_NEAR(several, share, 5.0 * std::sqrt(share * (1.0 - share) / 7000.0) + 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Systems, UniformChoice,
                         testing::Values("rocking_block", "compass_gait", "box_wall", "ramone"),
                         [](const auto& param) { return param.param; });

TEST(SolutionSelection, DrawsEachOfThreeSolutionsEquallyOften) {
  const ImpactProblem gait = test::reference_problem("compass_gait");
  SamplingOptions options = options_of("compass_gait", Solutions::all);
  options.max_steps = 1;
  options.impulse_step = 1.0;  // no cap binds, so one step separates whatever it takes
  const ScriptedSampler sampler(gait, options);
  constexpr int draws = 3000;
  std::vector<double> script;
  for (int i = 0; i < draws; ++i) {  // the same caps, selections spread evenly over (0, 1]
    script.insert(script.end(), {0.9, 0.6, (i + 0.5) / draws});
  }
  SampleSet samples;
  sampler.sample(script, samples);
  const StepAnswers answers =
      all_step_solutions(gait, gait.pre_impact_velocity,
                         Eigen::Vector2d(0.9 * *options.impulse_step, 0.6 * *options.impulse_step));
  ASSERT_EQ(answers.answers.size(), 3u);
  std::map<std::size_t, int> counts;
  for (std::size_t row = 0; row < samples.size(); ++row) {
    const Eigen::Map<const Eigen::VectorXd> velocity(&samples.velocity[row * 4], 4);
    for (std::size_t a = 0; a < 3; ++a) {
      if ((answers.answers[a].velocity - velocity).norm() < 1e-9) ++counts[a];
    }
  }
  for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(counts[a], draws / 3, 1) << "solution " << a;
}

TEST(SolutionSelection, RandomCoversFindMoreOfTheGaitThanLemkesFirst) {
  const ImpactProblem gait = test::reference_problem("compass_gait");
  const auto members = [&](Solutions solutions) {
    SamplingOptions options = options_of("compass_gait", solutions);
    options.trajectories = 1 << 14;
    options.epsilon = 0.01;
    return post_impact_set(gait, options).net.size();
  };
  const std::size_t all = members(Solutions::all);
  EXPECT_GT(3 * members(Solutions::cover), all);
  EXPECT_LT(20 * members(Solutions::first), all);
}

TEST(SolutionSelection, IsTheSameInEveryUnitOfMass) {
  test::Random random(5);
  for (const ImpactProblem& problem :
       {test::reference_problem("compass_gait"), test::random_problem(random, 3, 6, 2.0, 2, 4)}) {
    for (const Solutions solutions : {Solutions::first, Solutions::cover, Solutions::all}) {
      SamplingOptions options = options_of("compass_gait", solutions);
      options.trajectories = 200;
      options.max_steps = 1000;  // without final steps, whose cap is epsilon N·s
      const SampleSet expected = sample(problem, options);
      for (const double unit : {0x1p10, 0x1p-20, 1000.0, 1.3}) {
        ImpactProblem scaled = problem;
        scaled.mass_matrix *= unit;
        SamplingOptions own = options;
        own.impulse_step = *options.impulse_step * unit;
        const SampleSet found = sample(scaled, own);
        SCOPED_TRACE(solutions_name(solutions) + (" " + std::to_string(unit)));
        EXPECT_EQ(found.pivot_count, expected.pivot_count);
        EXPECT_LT((found.velocity_rows() - expected.velocity_rows()).cwiseAbs().maxCoeff(), 1e-9);
        const bool exact = unit == 0x1p10 || unit == 0x1p-20;
        EXPECT_TRUE(!exact || found.velocity == expected.velocity);
      }
    }
  }
}

/// A box that slides fast and hardly falls: caps far below its speed change less than residuals
/// accept. A contact with a cap of 0.5 mN·s that is left approaching by 1e-9 m/s is no solution of
/// its own.
TEST(SolutionSelection, OfNeighboursThatResidualsAcceptIsTheBest) {
  ImpactProblem box;
  box.mass_matrix = Eigen::Vector3d(1.0, 1.0, 0.05).asDiagonal();
  box.normal_jacobian.resize(2, 3);
  box.normal_jacobian << 0.0, 1.0, -0.5, 0.0, 1.0, 0.5;
  box.tangent_jacobian.resize(2, 3);
  box.tangent_jacobian << 1.0, 0.0, 0.3, 1.0, 0.0, 0.3;
  box.friction = Eigen::Vector2d(0.5, 0.5);
  box.pre_impact_velocity = Eigen::Vector3d(2.0, -1e-3, 2e-3);
  const StepAnswers found =
      all_step_solutions(box, box.pre_impact_velocity, Eigen::Vector2d(2e-10, 5e-4));
  ASSERT_EQ(found.answers.size(), 1u);
  EXPECT_LT(found.answers[0].residual, 1e-12);
  EXPECT_GT(found.answers[0].normal_impulse(1), 0.0);
  SamplingOptions options;
  options.trajectories = 2048;
  const SampleSet samples = sample(box, options);
  const auto bins = static_cast<std::size_t>(solution_bins);
  for (std::size_t row = 0; row < samples.size(); ++row) {
    EXPECT_EQ(samples.status[row], Status::separated);
    for (std::size_t bin = 2; bin < bins; ++bin) {
      EXPECT_EQ(samples.solution_count[row * bins + bin], 0);
    }
  }
}

/// Each contact's friction pulls nearly along the other one's normal: in double precision the
/// enumeration finds no solution of some steps.
ImpactProblem crossed_problem() {
  test::Random random(14);
  ImpactProblem problem = test::random_problem(random, 2, 3, 1e3);
  const Eigen::MatrixXd tangents = problem.tangent_jacobian;
  problem.tangent_jacobian = problem.normal_jacobian.colwise().reverse() + 1e-6 * tangents;
  return problem;
}

std::vector<std::pair<ImpactProblem, SamplingOptions>> assorted() {
  test::Random random(5);
  std::vector<std::pair<ImpactProblem, SamplingOptions>> list;
  for (const Solutions solutions : {Solutions::cover, Solutions::all}) {
    for (const char* system : {"rocking_block", "compass_gait", "ramone", "disk_stack_m1_ortho"}) {
      list.emplace_back(test::reference_problem(system), options_of(system, solutions));
    }
    SamplingOptions options;
    options.impulse_step = 0.5;
    options.set_valued() = {.caps = CapsDistribution{}, .solutions = solutions};
    options.backend = Backend::cpu;
    list.emplace_back(test::random_problem(random, 3, 6, 0.7, 1, 2), options);
    list.emplace_back(test::random_problem(random, 2, 6, 0.7, 2, 4), options);
    list.emplace_back(test::random_problem(random, 2, 6, 0.7, 2, 8), options);
    if (solutions == Solutions::all) {  // too many modes for a table
      list.emplace_back(test::spatial_problem("brick_corners"), options);
      list.emplace_back(test::spatial_problem("quadruped_grip"), options);
    }
    list.emplace_back(crossed_problem(), options);
  }
  list.push_back(list.back());
  list.back().second.set_valued().solutions = Solutions::table;
  for (auto& entry : list) entry.second.trajectories = 150;
  return list;
}

TEST(SolutionSelection, HasTheSameBitsInEveryInstructionSetAndInPieces) {
  std::size_t undecided_rows = 0;  // of all solutions
  for (const auto& [problem, options] : assorted()) {
    const SampleSet expected = sample(problem, options);
    const test::FlatPlan flat(problem, options);
    for (const ItemRunner* runner : item_runners()) {
      SampleSet samples = test::poisoned_rows(flat.plan(), expected.size());
      const SampleView out = view_of(samples);
      runner->items(flat.plan(), 70, 80, out.from(70, flat.plan().rows));
      runner->items(flat.plan(), 0, 70, out);
      test::expect_same_bits(expected, samples);
    }
    if (!why_no_device(flat.plan()).empty()) continue;
    SampleSet repeated = test::poisoned_rows(flat.plan(), expected.size());  // what a GPU does
    test::fast_items(flat.plan(), 0, repeated.size(), view_of(repeated));
    if (options.set_valued().solutions == Solutions::all) {
      undecided_rows += static_cast<std::size_t>(std::ranges::count(repeated.status, undecided));
    }
    repeat_undecided(flat.plan(), 0, repeated.size(), view_of(repeated), 0);
    test::expect_same_bits(expected, repeated);
  }
  EXPECT_GT(undecided_rows, 0u);  // else no counts of solutions are put back
}

TEST(SolutionSelection, AScriptOfATrajectorysOwnNumbersRepeatsIt) {
  for (const auto& [problem, options] : assorted()) {
    if (options.set_valued().solutions != Solutions::all)
      continue;  // what others draw is not scripted
    const SampleSet expected = sample(problem, options);
    const ScriptedSampler sampler(problem, options);
    std::vector<double> script;
    for (std::uint64_t index = 0; index < 20; ++index) {
      const std::vector<double> numbers = sampler.script_of(index);
      script.insert(script.end(), numbers.begin(), numbers.end());
    }
    SampleSet repeated = test::poisoned_rows(problem, options, 20);
    sampler.sample(script, repeated);
    test::expect_same_bits(test::rows_of(expected, std::views::iota(0u, 20u), 0), repeated);
  }
}

/// Where one foot holds the block in place the other one needs no friction, and both sticking would
/// have no unique impulses: the table has a mode for it.
TEST(SolutionSelection, TheTableServesStepsInWhichOneContactHoldsAnother) {
  const ImpactProblem problem = test::reference_problem("rocking_block");
  SamplingOptions options = options_of("rocking_block", Solutions::table);
  options.trajectories = 1 << 14;
  const SampleSet samples = sample(problem, options);
  std::size_t steps_at_rest = 0;  // of both feet, the second one without friction
  for (std::size_t row = 0; row < samples.size(); ++row) {
    EXPECT_EQ(samples.table_count[row], samples.lcp_count[row] + samples.final_step[row]);
    const double* impulse = &samples.impulse[4 * row];
    const bool both_push = impulse[0] > 0.0 && impulse[2] > 0.0;
    const bool one_idle = (impulse[1] == 0.0) != (impulse[3] == 0.0);
    if (samples.lcp_count[row] == 1 && both_push && one_idle) ++steps_at_rest;
  }
  EXPECT_GT(steps_at_rest, 0u);
}

TEST(SolutionSelection, ABatchHoldsWhatEachProblemGivesAlone) {
  std::vector<ImpactProblem> problems = {test::reference_problem("rocking_block"),
                                         test::reference_problem("box_wall")};
  for (const Solutions solutions : {Solutions::all, Solutions::cover, Solutions::table}) {
    SamplingOptions options = options_of("rocking_block", solutions);
    options.trajectories = 60;
    const SampleSet batch = sample(problems, options);
    for (std::uint32_t p = 0; p < 2; ++p) {
      options.problem_id = p;
      const auto its_rows = std::views::iota(p * 60, (p + 1) * 60);
      test::expect_same_bits(sample(problems[p], options), test::rows_of(batch, its_rows, 0));
    }
  }
}

/// Every selection and every distribution of the caps on a GPU has the CPU's bits.
TEST(CudaParity, EveryBitOfSelectionsAndCapsIsTheCpus) {
  if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device";
  for (auto [problem, options] : assorted()) {
    if (!test::runs_on_devices(problem, options)) continue;
    const bool large = problem.contacts() * (3 + problem.friction_directions) > 10;
    options.trajectories = test::device_rows(20000, large ? 4 : 40);
    std::string scales;
    for (int i = 0; i < problem.contacts(); ++i) scales += i == 0 ? "1" : ",0.5";
    for (const std::string& caps :
         {std::string("uniform"), std::string("simplex"), std::string("corners:6"),
          "weighted:" + scales, std::string("sobol"),
          std::string("0.5*sobol + 0.3*corners:3 + 0.2*simplex")}) {
      // Large steps, and the pilot of a table, take long: there, the mixture stands for the others.
      const bool slow = large || options.set_valued().solutions == Solutions::table;
      if (slow && caps != "uniform" && !caps.starts_with("0.5")) continue;
      options.set_valued().caps = parse_caps(caps);
      options.backend = Backend::cpu;
      const SampleSet expected = sample(problem, options);
      test::expect_same_bits(expected, test::sample_on_device({&problem, 1}, options));
      options.backend = Backend::cuda;
      if (caps != "uniform") continue;
      const Sampler sampler(std::span(&problem, 1), options);
      test::expect_same_bits(expected, sampler.sample_on_device(0, options.trajectories).to_host());
    }
  }
}

}  // namespace
}  // namespace carom
