#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

#include "carom/carom.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using testing::HasSubstr;

struct Expected {
  const char* system;
  const char* reference;            // tests/data/sets
  std::optional<double> mean_lcps;  // none: another covering vector selects other solutions
  double tolerance = 0.0;
};

std::ostream& operator<<(std::ostream& out, const Expected& e) { return out << e.system; }

const System& system_named(const std::string& name) {
  for (const System& system : systems()) {
    if (system.name == name) return system;
  }
  throw InputError("no system " + name);
}

Scenario scenario_of(const std::string& name, std::uint64_t trajectories) {
  Scenario scenario = parse_scenario("system = \"" + name + "\"\n");
  scenario.sampling = system_named(name).sampling;
  scenario.sampling.set_valued().solutions = Solutions::first;
  scenario.sampling.trajectories = trajectories;
  scenario.sampling.backend = Backend::cpu;
  return scenario;
}

class PaperSystems : public testing::TestWithParam<Expected> {};

TEST_P(PaperSystems, TakeAsManyLcpsPerTrajectoryAsMeasuredElsewhere) {
  const Scenario scenario = scenario_of(GetParam().system, 1 << 15);
  const PostImpactSet set = post_impact_set(scenario.problem, scenario.sampling);
  const Summary& summary = set.summary;
  if (GetParam().mean_lcps) {
    EXPECT_NEAR(summary.mean_lcps(), *GetParam().mean_lcps, GetParam().tolerance);
  }
  EXPECT_EQ(summary.status_counts[2] + summary.status_counts[3] + summary.status_counts[4], 0u);
  EXPECT_LE(summary.energy.greatest, summary.energy_before * (1.0 + 1e-12));
}

TEST_P(PaperSystems, SpreadAsFarAsTheReferenceSet) {
  const Scenario scenario = scenario_of(GetParam().system, 1 << 15);
  const SampleSet samples = sample(scenario.problem, scenario.sampling);
  const nlohmann::json reference =
      test::read_json(std::string("sets/") + GetParam().reference + ".json").at("iid");
  const auto levels = reference.at("quantile_levels").get<std::vector<double>>();
  const ImpactProblem& problem = scenario.problem;
  Eigen::MatrixXd jacobian(2 * problem.contacts(), problem.velocities());
  jacobian << problem.normal_jacobian, problem.tangent_jacobian;
  for (Eigen::Index axis = 0; axis < jacobian.rows(); ++axis) {
    std::vector<double> values;
    for (std::size_t row = 0; row < samples.size(); ++row) {
      if (samples.status[row] != Status::separated) continue;
      const Eigen::Map<const Eigen::VectorXd> velocity(
          &samples.velocity[row * static_cast<std::size_t>(problem.velocities())],
          problem.velocities());
      values.push_back(jacobian.row(axis).dot(velocity));
    }
    std::sort(values.begin(), values.end());
    const std::size_t a = static_cast<std::size_t>(axis);
    const double span =
        reference.at("max").at(a).get<double>() - reference.at("min").at(a).get<double>();
    for (std::size_t q = 0; q < levels.size(); ++q) {
      if (levels[q] != 0.05 && levels[q] != 0.95) continue;
      const double value =
          values[static_cast<std::size_t>(levels[q] * static_cast<double>(values.size() - 1))];
      constexpr double rounding = 1e-9;  // sets that are a point have a span of rounding noise
      EXPECT_NEAR(value, reference.at("quantiles").at(a).at(q).get<double>(),
                  0.05 * span + rounding)
          << "axis " << axis << ", quantile " << levels[q];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PaperSystems,
                         testing::Values(Expected{"rocking_block", "rocking_block", 2.47, 0.02},
                                         Expected{"compass_gait", "compass_gait", {}},
                                         Expected{"box_wall", "box_wall", 1.54, 0.03},
                                         Expected{"ramone", "ramone", 3.02, 0.05},
                                         Expected{"disk_stack", "disk_stack_m1_ortho", 2.35, 0.05}),
                         [](const auto& param) { return std::string(param.param.system); });

TEST(RockingBlock, OutcomesFillTheSquareOfNormalSpeeds) {
  const Scenario scenario = scenario_of("rocking_block", 1 << 14);
  const PostImpactSet set = post_impact_set(scenario.problem, scenario.sampling);
  const double corner = scenario.problem.pre_impact_velocity(1) * -0.3 * 0.7;  // 0.093018 m/s
  EXPECT_NEAR(corner, 0.093018, 1e-6);
  for (const Range& range : set.summary.normal_velocity) {
    EXPECT_GE(range.least, -1e-8);
    EXPECT_LE(range.greatest, corner + 1e-9);
    EXPECT_GE(range.greatest, 0.0885);
  }
}

TEST(PostImpactSet, DoesNotDependOnChunksThreadsOrResuming) {
  Scenario scenario = scenario_of("disk_stack", 3000);
  const PostImpactSet whole = post_impact_set(scenario.problem, scenario.sampling);
  scenario.sampling.chunk = 700;
  scenario.sampling.threads = 2;
  const PostImpactSet chunked = post_impact_set(scenario.problem, scenario.sampling);
  SamplingOptions first = scenario.sampling;
  first.trajectories = 1100;
  const PostImpactSet resumed =
      grow(scenario.problem, scenario.sampling, post_impact_set(scenario.problem, first));
  for (const PostImpactSet* other : {&chunked, &resumed}) {
    EXPECT_EQ(whole.summary.checksum, other->summary.checksum);
    EXPECT_EQ(whole.summary.energy_sum, other->summary.energy_sum);
    EXPECT_EQ(whole.summary.lcp_histogram, other->summary.lcp_histogram);
    EXPECT_EQ(whole.net.index(), other->net.index());
    EXPECT_TRUE(other->complete);
  }
}

TEST(PostImpactSet, OfAnotherRunIsNotContinued) {
  const ImpactProblem block = load_scenario("rocking_block").problem;
  SamplingOptions options;
  options.trajectories = 200;
  options.epsilon = 0.01;
  const auto refusal = [&](const ImpactProblem& problem, const SamplingOptions& its) {
    PostImpactSet start = post_impact_set(block, options);
    SamplingOptions more = its;
    more.trajectories = 300;
    return test::refusal([&] { grow(problem, more, std::move(start)); });
  };
  EXPECT_EQ(refusal(block, options), "");
  SamplingOptions other = options;
  other.seed = 2;
  EXPECT_THAT(refusal(block, other), HasSubstr("trajectory 0 does not end at its member 0"));
  other = options;
  other.epsilon = 0.5;
  EXPECT_THAT(refusal(block, other), HasSubstr("epsilon is 0.01 (must be 0.5)"));
  ImpactProblem faster = block;
  faster.pre_impact_velocity *= 2.0;
  EXPECT_THAT(refusal(faster, options), HasSubstr("is of another run"));
  EXPECT_THAT(refusal(load_scenario("compass_gait").problem, options),
              HasSubstr("net has 3 velocities (must have 4)"));
  PostImpactSet set = post_impact_set(block, options);
  EXPECT_THAT(
      test::refusal([&] { add_evidence(load_scenario("compass_gait").problem, options, {}, set); }),
      HasSubstr("net has 3 velocities (must have 4)"));
}

TEST(PostImpactSet, StopsWhereTheObserverSaysAndIsMarkedIncomplete) {
  Scenario scenario = scenario_of("rocking_block", 1000);
  scenario.sampling.chunk = 100;
  int chunks = 0;
  const PostImpactSet set =
      post_impact_set(scenario.problem, scenario.sampling,
                      [&](const SampleSet& chunk, const PostImpactSet& so_far) {
                        EXPECT_EQ(chunk.first + chunk.size(), so_far.summary.trajectories);
                        return ++chunks < 3;
                      });
  EXPECT_FALSE(set.complete);
  EXPECT_EQ(set.summary.trajectories, 300u);
}

TEST(PostImpactSet, CapsTheFinalStepAtEpsilonOverThreePsi) {
  const Scenario scenario = scenario_of("rocking_block", 1);
  const PostImpactSet set = post_impact_set(scenario.problem, scenario.sampling);
  EXPECT_NEAR(set.psi, 22.736563390991936, 1e-9);
  EXPECT_DOUBLE_EQ(set.final_cap, 0.01 / (3.0 * set.psi));
}

/// A mass of 2 kg that falls, M^-1 J' = 1/2: psi = 1/2 (1 + 0) + 1 = 3/2, the cap is 0.09 / (3 psi)
/// = 0.02 N·s, and the final step slows the mass by no more than 0.01 m/s.
TEST(PostImpactSet, TheFinalStepPushesWithTheCapThatIsReported) {
  ImpactProblem problem;
  problem.mass_matrix = 2.0 * Eigen::Matrix2d::Identity();
  problem.normal_jacobian = Eigen::RowVector2d(0.0, 1.0);
  problem.tangent_jacobian = Eigen::RowVector2d(0.5, 0.0);
  problem.friction = Eigen::VectorXd::Zero(1);
  problem.pre_impact_velocity = Eigen::Vector2d(0.0, -1.0);
  SamplingOptions options;
  options.trajectories = 10;
  options.impulse_step = 0.9;
  options.max_steps = 1;
  options.epsilon = 0.09;
  options.backend = Backend::cpu;
  EXPECT_NEAR(post_impact_set(problem, options).final_cap, 0.02, 1e-16);
  const Sampler sampler(std::span(&problem, 1), options);
  for (std::uint64_t i = 0; i < options.trajectories; ++i) {
    const std::vector<double> path = sampler.path(i);
    ASSERT_EQ(path.size(), 6u);  // before, after the step, after the final one
    EXPECT_NEAR(path[5] - path[3], 0.01, 1e-15);
  }
}

TEST(Summary, OfTwoPartsIsThatOfTheWhole) {
  const Scenario scenario = test::small_scenario(100);
  Summary parts;
  parts.add(scenario.problem, test::made_up_samples(0, 41));
  parts.add(scenario.problem, test::made_up_samples(41, 59));
  const Summary whole = summarize(scenario.problem, test::made_up_samples(0, 100));
  EXPECT_EQ(parts.trajectories, 100u);
  EXPECT_EQ(parts.status_counts, whole.status_counts);
  EXPECT_EQ(parts.lcp_histogram, whole.lcp_histogram);
  EXPECT_EQ(parts.final_steps, whole.final_steps);
  EXPECT_EQ(parts.lcps, whole.lcps);
  EXPECT_EQ(parts.max_lcps, whole.max_lcps);
  EXPECT_EQ(parts.pivots, whole.pivots);
  EXPECT_EQ(parts.retries, whole.retries);
  EXPECT_GT(parts.retries, 0u);
  EXPECT_EQ(parts.table_hits, whole.table_hits);
  EXPECT_EQ(parts.energy_sum, whole.energy_sum);
  EXPECT_EQ(parts.checksum, whole.checksum);
}

TEST(Summary, RefusesRowsOutOfOrder) {
  const Scenario scenario = scenario_of("rocking_block", 10);
  SampleSet samples = sample(scenario.problem, scenario.sampling);
  samples.first = 5;
  Summary summary;
  EXPECT_THROW(summary.add(scenario.problem, samples), InputError);
}

}  // namespace
}  // namespace carom
