#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "carom/carom.hpp"
#include "host/bounds/exact_hulls.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/side_by_side.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using nlohmann::json;

/// In the plane. Of Jn, then Jt, as the reference has them.
const BoundedQuantity& speed(const OuterBound& bound, std::size_t contacts, std::size_t index) {
  return bound.directions[2 * (index % contacts) + index / contacts];
}

void expect_ends(const OuterBound& bound, const json& reference, double tolerance) {
  const json& low = reference.at("u_min");
  const json& high = reference.at("u_max");
  for (std::size_t i = 0; i < low.size(); ++i) {
    const BoundedQuantity& found = speed(bound, low.size() / 2, i);
    EXPECT_NEAR(found.low, low.at(i).get<double>(), tolerance) << found.name;
    EXPECT_NEAR(found.high, high.at(i).get<double>(), tolerance) << found.name;
  }
  EXPECT_NEAR(bound.kinetic_energy, reference.at("kinetic_energy_max"), tolerance);
}

class ReferenceBounds : public testing::TestWithParam<int> {
 protected:
  const json data =
      test::read_json("bounds/outer_bounds.json").at(static_cast<std::size_t>(GetParam()));
  const ImpactProblem problem = validated(test::problem_of(data));
  OuterBound found(BoundScope scope) const {
    BoundOptions options;
    options.scope = scope;
    options.termination_tolerance = 0.0;
    return outer_bound(problem, options);
  }
};

// The reference rounded the input of two systems to 1e-12.
TEST_P(ReferenceBounds, OfStepsWithAnyCapsAreThoseOfAnIndependentProgram) {
  const OuterBound bound = found(BoundScope::any_h);
  EXPECT_TRUE(bound.closed());
  EXPECT_EQ(bound.verified, Verified::exact);
  expect_ends(bound, data, data.at("rounding_of_input") == 0 ? 1e-15 : 1e-9);
  for (const json& vertex : data.at("outcome_vertices")) {
    EXPECT_LT(excess(bound, test::vector_of(vertex)), 1e-9);
  }
}

// Widened cells, where they close, widen the bound by a few of their 1e-9 m/s.
TEST_P(ReferenceBounds, OfTheInclusionAreThoseOfAnIndependentProgram) {
  const OuterBound bound = found(BoundScope::inclusion);
  EXPECT_TRUE(bound.closed());
  expect_ends(bound, data.at("inclusion"), 2e-8);
}

INSTANTIATE_TEST_SUITE_P(Systems, ReferenceBounds, testing::Range(0, 4));

TEST(Bounds, OfTheBlockAreProvedForTheInclusionToo) {
  BoundOptions options;
  options.scope = BoundScope::inclusion;
  const OuterBound bound = outer_bound(test::reference_problem("rocking_block"), options);
  EXPECT_TRUE(bound.closed());
  EXPECT_EQ(bound.verified, Verified::exact);
}

// A slip that ends within the impact: steps with large caps go beyond what the inclusion allows.
TEST(Bounds, OfTheInclusionAreWithinThoseOfSteps) {
  const json data = test::read_json("bounds/outer_bounds.json").at(3);
  const ImpactProblem problem = validated(test::problem_of(data));
  BoundOptions options;
  const OuterBound steps = outer_bound(problem, options);
  options.scope = BoundScope::inclusion;
  const OuterBound paths = outer_bound(problem, options);
  EXPECT_NEAR(paths.directions[0].high, 0.2167709637, 1e-7);
  EXPECT_NEAR(steps.directions[0].high, 0.31, 1e-7);
}

/// Whatever the threads do: a round that costs too much is not begun, in effect.
TEST(Bounds, EndAtTheSameRoundWhenTheirWorkIsSpent) {
  const json block = test::read_json("bounds/outer_bounds.json").at(0);
  const ImpactGeometry geometry(validated(test::problem_of(block)));
  const std::vector<VelocityCell> cells = velocity_cells(geometry, 0);
  const auto hulls = [&](std::int64_t most, int rounds) {
    ProofWork work(most);
    return reachable_hulls(geometry, cells, {.most_rounds = rounds}, work);
  };
  constexpr std::int64_t enough = 1'000'000'000;
  const ReachableHulls one = hulls(enough, 1);
  std::int64_t least = 1;  // that one round takes
  while (hulls(least, 1).rounds == 0) least *= 2;
  EXPECT_GT(least, 1000);
  for (int i = 0; i < 20; ++i) {
    const ReachableHulls found = hulls(least, 10);
    ASSERT_FALSE(found.closed);
    ASSERT_EQ(found.rounds, 1);
    for (std::size_t p = 0; p < one.pieces.size(); ++p) {
      ASSERT_EQ(found.pieces[p].generators(), one.pieces[p].generators());
    }
  }
  EXPECT_TRUE(hulls(enough, 10).closed);
}

TEST(Bounds, EndWhenTheCallerStopsThem) {
  const ImpactProblem problem = test::problem_of(test::read_json("bounds/outer_bounds.json").at(0));
  struct Enough {};
  const auto poll = [](double) { throw Enough{}; };
  EXPECT_THROW(outer_bound(problem, {}, law::SetValued{}, poll), Enough);
  EXPECT_TRUE(outer_bound(problem, {}, law::SetValued{}, [](double) {}).closed());
}

TEST(Bounds, GrowWithTheSlackOfCellsAsComputedElsewhere) {
  for (const json& data : test::read_json("bounds/exact_relaxed.json")) {
    if (data.at("system") != "rocking_block, v0 = (0, -1, 0) m/s") continue;
    const json block = test::read_json("bounds/outer_bounds.json").at(0);
    const ImpactGeometry geometry(validated(test::problem_of(block)));
    const Rational slack = exact(data.at("delta").get<double>());
    ProofWork work(1'000'000'000);
    const ReachableHulls hulls =
        reachable_hulls(geometry, velocity_cells(geometry, slack), {.most_rounds = 10}, work);
    EXPECT_TRUE(hulls.closed);
    EXPECT_EQ(hulls.rounds, data.at("rounds"));
    Rational lift = 0;
    const Condition separating[] = {{primitive(geometry.normal(0)), false},
                                    {primitive(geometry.normal(1)), false}};
    for (const Polyhedron& piece : hulls.pieces) {
      const Polyhedron outcomes = piece.cut({std::begin(separating), std::end(separating)});
      for (const IntegerVector& point : outcomes.generators()) {
        const RationalVector v = geometry.velocity(point);
        lift = std::max<Rational>(lift, v[1] - v[2] / 2);
      }
    }
    EXPECT_NEAR(rounded_up(lift), data.at("u_max").at(0), 1e-15);  // 0.21 + 1.99 delta
  }
}

// Outcomes computed in doubles miss exact steps by what their residuals allow, 1e-9 at most.
constexpr double allowance = 5e-9;

double worst_excess(const ImpactProblem& problem, const SamplingOptions& options,
                    const OuterBound& bound) {
  const RowMatrix outcomes = sample(problem, options).outcomes();
  double worst = -1.0;
  for (Eigen::Index i = 0; i < outcomes.rows(); ++i) {
    worst = std::max(worst, excess(bound, outcomes.row(i)));
  }
  return worst;
}

TEST(Bounds, HoldEveryOutcomeOfEveryLaw) {
  for (const char* system : {"rocking_block", "box_wall", "compass_gait"}) {
    const Scenario scenario = load_scenario(system);
    const OuterBound bound = outer_bound(scenario.problem, {});
    for (const Law& law :
         {Law(law::SetValued{}), Law(law::Simultaneous{}), Law(law::Sequential{})}) {
      SamplingOptions options = scenario.sampling;
      options.law = law;
      options.trajectories = 2000;
      EXPECT_LE(worst_excess(scenario.problem, options, bound), allowance) << system;
    }
  }
}

TEST(Bounds, HoldEveryOutcomeOfRandomProblems) {
  test::Random random(2026);
  int closed = 0;
  int tested = 0;
  for (int i = 0; i < 24; ++i) {
    const int contacts = 1 + i % 2;
    const ImpactProblem problem =
        validated(test::random_problem(random, contacts, 2 + i % 4, i % 3 == 0 ? 0.3 : -1.0));
    if (!friction_cone_support(problem)) continue;
    const OuterBound bound = outer_bound(problem, {.rounds = 4, .orders = 0});
    SamplingOptions options;
    options.trajectories = 200;
    options.max_steps = 3;  // the final step is the fourth
    options.seed = static_cast<std::uint32_t>(i);
    EXPECT_LE(worst_excess(problem, options, bound), allowance) << "problem " << i;
    closed += bound.closed() ? 1 : 0;
    ++tested;
  }
  EXPECT_GT(tested, 12);
  EXPECT_GT(closed, 6);
}

// Bounds of N steps by an independent program with linear programs: these are wider. Found outcomes
// reach the ends.
TEST(Bounds, OfThreeContactsOfOneBodyCloseWhereOutcomesEnd) {
  for (const json& data : test::read_json("bounds/n_step.json")) {
    const std::string name = data.at("system");
    if (name != "corner3" && name != "plank3") continue;
    const ImpactProblem problem = validated(test::problem_of(data));
    BoundOptions options;
    options.termination_tolerance = 0.0;
    const OuterBound bound = outer_bound(problem, options);
    EXPECT_TRUE(bound.closed());
    for (std::size_t i = 0; i < 6; ++i) {
      const BoundedQuantity& found = speed(bound, 3, i);
      const std::string key = (i < 3 ? "un" : "ut") + std::to_string(i % 3);
      EXPECT_LE(found.high, data.at("bound").at(key).at(1).get<double>()) << name << key;
      EXPECT_GE(found.low, data.at("bound").at(key).at(0).get<double>()) << name << key;
      EXPECT_NEAR(found.high, data.at("sampled").at("u").at(key).at(1).get<double>(), 2e-3);
      EXPECT_NEAR(found.low, data.at("sampled").at("u").at(key).at(0).get<double>(), 2e-3);
    }
  }
}

TEST(Bounds, HoldEveryOutcomeInSpace) {
  test::Random random(5);
  for (int i = 0; i < 4; ++i) {
    const int contacts = 1 + i % 2;
    const ImpactProblem problem = validated(
        test::random_problem(random, contacts, 3, 0.4, 2, i % 3 == 0 && contacts == 1 ? 8 : 4));
    if (!friction_cone_support(problem)) continue;
    const OuterBound bound = outer_bound(problem, {.rounds = 3, .orders = 0});
    EXPECT_NE(bound.status, BoundStatus::none);
    SamplingOptions options;
    options.trajectories = 200;
    options.max_steps = 2;  // the final step is the third
    EXPECT_LE(worst_excess(problem, options, bound), allowance) << "problem " << i;
  }
}

/// The 19th direction has no letter of its own: cells would take its slip for none.
TEST(Bounds, AreThoseOfOrdersWhereDirectionsHaveNoLetters) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Matrix3d::Identity();
  problem.normal_jacobian = Eigen::RowVector3d(0.0, 0.0, 1.0);
  problem.tangent_jacobian = Eigen::Matrix<double, 2, 3>::Identity();
  problem.friction = Eigen::VectorXd::Constant(1, 0.3);
  const double opposite = (18.0 / 20.0 - 0.5) * 2.0 * std::numbers::pi;
  problem.pre_impact_velocity = Eigen::Vector3d(std::cos(opposite), std::sin(opposite), -1.0);
  for (const auto& [directions, method] :
       {std::pair(18, BoundMethod::hulls), std::pair(20, BoundMethod::orders)}) {
    problem.friction_directions = directions;
    const OuterBound bound = outer_bound(problem, {});
    EXPECT_EQ(bound.method, method);
    SamplingOptions options;
    options.trajectories = 20;
    EXPECT_LE(worst_excess(problem, options, bound), allowance);
  }
  BoundOptions steps;
  steps.steps = 2;
  EXPECT_THROW(outer_bound(problem, steps), InputError);
}

TEST(Bounds, OfBodiesThatDoNotActOnOneAnotherAreThoseOfEach) {
  const ImpactProblem one = test::reference_problem("rocking_block");
  const ImpactProblem other = test::reference_problem("compass_gait");
  ImpactProblem problem = test::side_by_side(one, other);
  const auto nv = static_cast<Eigen::Index>(one.velocities());
  const Eigen::Index both = problem.velocities();

  BoundOptions options;
  Eigen::VectorXd across = Eigen::VectorXd::Zero(both);
  across(0) = 1.0;
  across(nv) = -2.0;  // of a quantity that has parts of both
  options.directions = {{"across", across}};
  const OuterBound bound = outer_bound(problem, options);
  EXPECT_EQ(bound.method, BoundMethod::groups);
  EXPECT_TRUE(bound.closed());
  EXPECT_EQ(bound.verified, Verified::exact);
  const OuterBound first = outer_bound(one, {});
  const OuterBound second = outer_bound(other, {});
  for (std::size_t i = 0; i < 8; ++i) {
    const BoundedQuantity& alone = (i < 4 ? first : second).directions[i % 4];
    EXPECT_NEAR(bound.directions[i].low, alone.low, 1e-15);
    EXPECT_NEAR(bound.directions[i].high, alone.high, 1e-15);
  }
  EXPECT_NEAR(bound.directions[8].low, first.box(0, 0) - 2.0 * second.box(1, 0), 1e-14);
  EXPECT_NEAR(bound.directions[8].high, first.box(1, 0) - 2.0 * second.box(0, 0), 1e-14);
  SamplingOptions sampling;
  sampling.trajectories = 1000;
  EXPECT_LE(worst_excess(problem, sampling, bound), allowance);

  ImpactProblem apart = problem;
  apart.pre_impact_velocity *= -1.0;  // where nothing approaches, there is no step
  for (const BoundedQuantity& end : outer_bound(apart, options).directions) {
    const double before = end.row.dot(apart.pre_impact_velocity);
    EXPECT_NEAR(end.low, before, 1e-14) << end.name;
    EXPECT_NEAR(end.high, before, 1e-14) << end.name;
  }

  problem.mass_matrix(nv, 0) = problem.mass_matrix(0, nv) = 1e-3;  // now they do
  EXPECT_EQ(outer_bound(problem, options).method, BoundMethod::orders);
}

TEST(Bounds, AreThoseOfOrdersWhereOneOfTwoBodiesHasTooManyCells) {
  const ImpactProblem problem = test::side_by_side(load_scenario("rocking_block").problem,
                                                   load_scenario("disk_stack").problem);
  EXPECT_EQ(outer_bound(problem, {.orders = 1}).method, BoundMethod::orders);
}

/// A contact that separates and slips can jam in the steps of an impact of others.
TEST(Bounds, OfGroupsKnowThatStepsGoOnWhereOneHasSeparated) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(6, 6);
  problem.mass_matrix.topLeftCorner(2, 2) = Eigen::Matrix2d{{1.0, 0.9}, {0.9, 1.0}}.inverse();
  problem.normal_jacobian = problem.tangent_jacobian = Eigen::MatrixXd::Zero(3, 6);
  problem.friction = Eigen::Vector3d(2.0, 0.3, 0.3);
  problem.pre_impact_velocity.resize(6);
  problem.pre_impact_velocity << 0.01, 1.0, -1.0, 0.5, -1.0, -0.5;
  for (int i = 0; i < 3; ++i) {
    problem.normal_jacobian(i, 2 * i) = 1.0;
    problem.tangent_jacobian(i, 2 * i + 1) = 1.0;
  }
  const OuterBound bound = outer_bound(problem, {});
  ASSERT_EQ(bound.method, BoundMethod::groups);
  SamplingOptions sampling;
  sampling.trajectories = 1000;
  sampling.impulse_step = 20.0;
  EXPECT_LE(worst_excess(problem, sampling, bound), allowance);
  EXPECT_LT(bound.directions[1].low, 1e-6);  // of its slip: it jams
  EXPECT_GT(bound.directions[1].high, 1.0 - 1e-6);
}

/// Beyond the limits of hulls, the kinetic energy bounds every outcome.
TEST(Bounds, AreThoseOfTheEnergyWhereNoOrdersAreAsked) {
  for (const char* system : {"disk_stack", "brick_corners"}) {
    const std::filesystem::path file =
        std::filesystem::path(CAROM_SOURCE_DIR) / "scenarios" / (std::string(system) + ".toml");
    const Scenario scenario = load_scenario(file.string());
    const ImpactProblem& problem = scenario.problem;
    const BoundOptions by_energy{.orders = 0};
    const OuterBound bound = outer_bound(problem, by_energy);
    EXPECT_EQ(bound.method, BoundMethod::energy);
    EXPECT_EQ(status_text(bound), "closed");
    EXPECT_NEAR(bound.kinetic_energy, kinetic_energy(problem, problem.pre_impact_velocity), 1e-12);
    SamplingOptions sampling = scenario.sampling;
    sampling.trajectories = 1000;
    sampling.set_valued().solutions = Solutions::first;
    const BoundCheck check = check_bound(problem, resolved(sampling, problem), by_energy);
    EXPECT_GT(check.outcomes, 500u);
    EXPECT_EQ(check.outside, 0u) << system;
    // A quantity . v of which the energy is half of v' M v reaches sqrt(2 K row M^-1 row').
    const Eigen::VectorXd row = problem.normal_jacobian.row(0);
    const double reach =
        std::sqrt(2.0 * bound.kinetic_energy * row.dot(problem.mass_matrix.ldlt().solve(row)));
    EXPECT_LE(bound.directions[0].high, reach * (1.0 + 1e-12));
    EXPECT_GT(bound.directions[0].high, 0.1 * reach);
  }
}

/// One frictionless contact: reversing its speed keeps the energy, and no impulse reaches farther.
TEST(Bounds, OfTheEnergyAreExact) {
  constexpr int contacts = 6;  // balls on a line that fly apart but for the last two
  ImpactProblem balls;
  balls.mass_matrix = Eigen::MatrixXd::Identity(contacts + 1, contacts + 1);
  balls.normal_jacobian = Eigen::MatrixXd::Zero(contacts, contacts + 1);
  for (int i = 0; i < contacts; ++i) {
    balls.normal_jacobian(i, i) = -1.0;
    balls.normal_jacobian(i, i + 1) = 1.0;
  }
  balls.tangent_jacobian = Eigen::MatrixXd::Zero(contacts, contacts + 1);
  balls.friction = Eigen::VectorXd::Zero(contacts);
  balls.pre_impact_velocity = Eigen::VectorXd::Zero(contacts + 1);
  balls.pre_impact_velocity(0) = 1.0;
  const OuterBound bound = outer_bound(balls, {.orders = 0});
  ASSERT_EQ(bound.method, BoundMethod::energy);
  // The sum of speeds stays 1 and that of their squares at most 1: about the mean 1/7 the radius is
  // sqrt(6/7), and v_2 - v_1 reaches sqrt(2) times it.
  EXPECT_NEAR(bound.directions[0].high, std::sqrt(2.0 * 6.0 / 7.0), 1e-12);
  EXPECT_GE(bound.directions[0].high, std::sqrt(2.0 * 6.0 / 7.0));
  EXPECT_EQ(bound.directions[0].low, -1e-8);
}

TEST(Bounds, LeaveOutWhatCannotHappen) {
  const Scenario scenario = load_scenario("rocking_block");
  const OuterBound bound = outer_bound(scenario.problem, {});
  EXPECT_LE(excess(bound, Eigen::Vector3d::Zero()), 1e-15);
  EXPECT_GT(excess(bound, Eigen::Vector3d(0.0, 0.05, 0.0)), 0.01);  // straight up
  EXPECT_GT(excess(bound, Eigen::Vector3d(0.05, 0.0, 0.0)), 0.01);  // sideways
  EXPECT_GT(excess(bound, scenario.problem.pre_impact_velocity), 0.1);
}

TEST(Bounds, OfASeparatedVelocityAreThatVelocity) {
  ImpactProblem problem = test::reference_problem("rocking_block");
  problem.pre_impact_velocity << 0.1, 0.5, 0.2;
  const OuterBound bound = outer_bound(problem, {});
  EXPECT_TRUE(bound.closed());
  ASSERT_EQ(bound.pieces.size(), 1u);
  EXPECT_NEAR(bound.directions[0].low, 0.4, 1e-15);
  EXPECT_NEAR(bound.directions[0].high, 0.4, 1e-15);
}

TEST(Bounds, OfStatedDirectionsFollowThoseOfContacts) {
  BoundOptions options;
  options.termination_tolerance = 0.0;
  options.directions = {{"spin", Eigen::Vector3d(0.0, 0.0, 2.0)}};
  const OuterBound bound = outer_bound(test::reference_problem("rocking_block"), options);
  ASSERT_EQ(bound.directions.size(), 5u);
  EXPECT_EQ(bound.directions[4].name, "spin");
  EXPECT_NEAR(bound.directions[4].high, 2.0 * bound.directions[0].high,
              1e-15);  // un_B = 0, width 1
}

/// The hulls of RAMone gain ever smaller corners.
TEST(Bounds, OfHullsThatDoNotCloseHoldForAsManySteps) {
  const ImpactProblem ramone = load_scenario("ramone").problem;
  const OuterBound bound =
      outer_bound(ramone, {.rounds = 4, .orders = 0, .termination_tolerance = 0.0});
  EXPECT_EQ(status_text(bound), "at most 4 steps");
  EXPECT_NEAR(bound.directions[2].high, 0.000330823, 1e-9);
  EXPECT_NEAR(bound.directions[3].low, -0.0273501, 1e-7);
}

TEST(Bounds, AreThoseOfOrdersWhereHullsDoNotClose) {
  const ImpactProblem ramone = load_scenario("ramone").problem;
  const OuterBound orders = outer_bound(ramone, {.rounds = 4});
  EXPECT_EQ(orders.method, BoundMethod::orders);
  EXPECT_TRUE(orders.closed());
  EXPECT_EQ(orders.rounds, 4);  // of hulls
  const OuterBound hulls = outer_bound(ramone, {});
  ASSERT_EQ(hulls.method, BoundMethod::hulls);
  for (std::size_t i = 0; i < hulls.directions.size(); ++i) {
    EXPECT_LE(orders.directions[i].low, hulls.directions[i].low + 1e-9);
    EXPECT_GE(orders.directions[i].high, hulls.directions[i].high - 1e-9);
  }
  EXPECT_LT(orders.directions[2].high, 0.02);  // B lifts; the energy would allow 1 m/s
}

TEST(Bounds, CloseWherePiecesOfFewFacetsHoldAllFurtherSteps) {
  BoundOptions options;
  options.termination_tolerance = 0.0;
  const ImpactProblem ramone = load_scenario("ramone").problem;
  const OuterBound bound = outer_bound(ramone, options);
  EXPECT_TRUE(bound.closed());
  EXPECT_EQ(bound.verified, Verified::exact);
  EXPECT_NEAR(bound.directions[2].high, 0.000330823, 1e-9);
  EXPECT_NEAR(bound.directions[3].low, -0.0273501, 1e-7);
  // Wider by little: pieces hold what four steps reach, and not much more.
  options.steps = 4;
  const OuterBound four = outer_bound(ramone, options);
  for (std::size_t i = 0; i < bound.directions.size(); ++i) {
    EXPECT_LE(bound.directions[i].low, four.directions[i].low);
    EXPECT_GE(bound.directions[i].low, four.directions[i].low - 1e-6);
    EXPECT_GE(bound.directions[i].high, four.directions[i].high);
    EXPECT_LE(bound.directions[i].high, four.directions[i].high + 1e-6);
  }
}

std::string refusal(const ImpactProblem& problem, const BoundOptions& options,
                    const Law& law = law::SetValued{}) {
  return test::refusal([&] { outer_bound(problem, options, law); });
}

TEST(Bounds, AreRefusedWithTheRule) {
  const ImpactProblem block = test::reference_problem("rocking_block");
  BoundOptions options;
  options.directions = {{"spin", Eigen::Vector2d(0.0, 1.0)}};
  EXPECT_EQ(refusal(block, options),
            "direction \"spin\" has 2 entries (must have 3: one per velocity)");
  options = {};
  options.scope = BoundScope::inclusion;
  EXPECT_EQ(refusal(block, options, law::Sequential{}),
            "scope is inclusion (must be any-h for the law sequential, which makes large steps)");

  ImpactProblem wedge = block;  // two opposite walls
  wedge.normal_jacobian << 0.0, 1.0, 0.0, 0.0, -1.0, 0.0;
  wedge.tangent_jacobian << 1.0, 0.0, 0.0, -1.0, 0.0, 0.0;
  EXPECT_NE(refusal(wedge, {}).find("friction: the contacts' friction cones"), std::string::npos);
}

}  // namespace
}  // namespace carom
