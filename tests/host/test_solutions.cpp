#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "carom/carom.hpp"
#include "host/modes/solution_finder.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/step_solver.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

constexpr bool is_capped = true;

double distance_to(const StepAnswers& answers, const Eigen::VectorXd& velocity) {
  double nearest = INFINITY;
  for (const StepAnswer& answer : answers.answers) {
    nearest = std::min(nearest, (answer.velocity - velocity).norm());
  }
  return nearest;
}

/// A system, and whether by the table of modes.
class SolutionLists : public testing::TestWithParam<std::tuple<std::string, bool>> {};

/// Every list of an independent enumeration: the same number of velocities, each of them.
TEST_P(SolutionLists, AreThoseOfAnIndependentEnumeration) {
  const auto& [system, by_modes] = GetParam();
  const SolutionFinder finder(validated(test::reference_problem(system)), is_capped, by_modes);
  const nlohmann::json data = test::read_json("cases/" + system + ".json");
  int tested = 0;
  for (const auto& entry : data.at("cases")) {
    const Eigen::VectorXd velocity = test::vector_of(entry.at("v"));
    const StepAnswers answers = finder.find(velocity, test::vector_of(entry.at("lambda_max")));
    EXPECT_EQ(answers.answers.size(), entry.at("v_plus").size()) << "case " << tested;
    EXPECT_EQ(answers.segments.size(), entry.at("segments").size()) << "case " << tested;
    for (const auto& listed : entry.at("v_plus")) {
      EXPECT_LE(distance_to(answers, test::vector_of(listed)), 1e-10 * (1.0 + velocity.norm()))
          << "case " << tested;
    }
    for (const auto& listed : entry.at("segments")) {
      double nearest = INFINITY;
      for (const auto& [from, to] : answers.segments) {
        const Eigen::VectorXd one = test::vector_of(listed[0]);
        const Eigen::VectorXd other = test::vector_of(listed[1]);
        nearest = std::min({nearest, std::max((from - one).norm(), (to - other).norm()),
                            std::max((from - other).norm(), (to - one).norm())});
      }
      EXPECT_LE(nearest, 1e-10 * (1.0 + velocity.norm())) << "case " << tested;
    }
    for (const StepAnswer& answer : answers.answers) EXPECT_LE(answer.residual, 1e-9);
    ++tested;
  }
  EXPECT_EQ(tested, 200);
}

INSTANTIATE_TEST_SUITE_P(AllSystems, SolutionLists,
                         testing::Combine(testing::Values("rocking_block", "compass_gait",
                                                          "box_wall", "ramone",
                                                          "disk_stack_m1_ortho", "ball_fall"),
                                          testing::Bool()),
                         [](const auto& param) {
                           return std::get<0>(param.param) +
                                  (std::get<1>(param.param) ? "ByModes" : "BySigns");
                         });

TEST(StepSolutions, OfABallHaveTheModesThatAHandComputes) {
  // Mass 1 falls at 1 m/s without spin: stops with any cap of 1 or more, by sticking or on the
  // verge of either slide; a cap of 0.25 leaves 0.75 m/s.
  const ImpactProblem ball = test::reference_problem("ball_fall");
  Eigen::VectorXd velocity = Eigen::VectorXd::Zero(3);
  velocity(1) = -1.0;
  const double mass = ball.mass_matrix(1, 1);
  const StepAnswers stopped =
      all_step_solutions(ball, velocity, Eigen::VectorXd::Constant(1, 5 * mass));
  ASSERT_EQ(stopped.answers.size(), 1u);
  EXPECT_NEAR(stopped.answers[0].velocity.norm(), 0.0, 1e-14);
  EXPECT_NEAR(stopped.answers[0].normal_impulse(0), mass, 1e-13);
  EXPECT_EQ(stopped.answers[0].modes.front(), "1");
  const StepAnswers capped =
      all_step_solutions(ball, velocity, Eigen::VectorXd::Constant(1, 0.25 * mass));
  ASSERT_EQ(capped.answers.size(), 1u);
  EXPECT_NEAR(capped.answers[0].velocity(1), -0.75, 1e-14);
  EXPECT_EQ(capped.answers[0].modes.front(), "4");
}

TEST(StepSolutions, WithoutCapsAreTheSimultaneousLaws) {
  const ImpactProblem gait = test::reference_problem("compass_gait");
  const Eigen::VectorXd velocity = gait.pre_impact_velocity;
  const StepAnswers simultaneous = simultaneous_solutions(gait, velocity);
  const StepAnswers step = all_step_solutions(gait, velocity, Eigen::VectorXd::Constant(2, 100.0));
  ASSERT_EQ(simultaneous.answers.size(), 3u);
  ASSERT_EQ(step.answers.size(), 3u);
  for (const StepAnswer& answer : simultaneous.answers) {
    EXPECT_LE(distance_to(step, answer.velocity), 1e-12);
  }
}

TEST(StepSolutions, OfCapsOfZeroAreTheVelocityItself) {
  const ImpactProblem disks = test::reference_problem("disk_stack_m1_ortho");
  const StepAnswers answers =
      all_step_solutions(disks, disks.pre_impact_velocity, Eigen::VectorXd::Zero(5));
  ASSERT_EQ(answers.answers.size(), 1u);
  EXPECT_LE((answers.answers[0].velocity - disks.pre_impact_velocity).norm(), 1e-15);
}

/// A brick of 2.4 kg falls flat at 1 m/s, and slides a little: with caps that bind nowhere it
/// stops, whatever parts of the impulse its corners take. The mode is that all four stick.
TEST(StepSolutions, OfABrickOnItsFaceAreFoundBySigns) {
  const ImpactProblem brick = test::spatial_problem("brick_corners");
  Eigen::VectorXd velocity = brick.pre_impact_velocity;
  const StepAnswers stopped =
      all_step_solutions(brick, velocity, Eigen::VectorXd::Constant(4, 9.0));
  ASSERT_EQ(stopped.answers.size(), 1u);
  EXPECT_TRUE(stopped.complete);
  EXPECT_EQ(stopped.components, 1);
  EXPECT_LE(stopped.answers[0].velocity.norm(), 1e-13);
  EXPECT_EQ(stopped.answers[0].modes, std::vector<std::string>{"1111"});
  EXPECT_NEAR(stopped.answers[0].normal_impulse.sum(), 2.4, 1e-12);
  const StepAnswers simultaneous = simultaneous_solutions(brick, velocity);
  ASSERT_EQ(simultaneous.answers.size(), 1u);
  EXPECT_LE(distance_to(simultaneous, Eigen::VectorXd::Zero(6)), 1e-12);

  // Without slip, and with caps that together take a quarter of the fall: all corners stick at
  // them.
  velocity = -Eigen::VectorXd::Unit(6, 2);
  const StepAnswers capped =
      all_step_solutions(brick, velocity, Eigen::VectorXd::Constant(4, 0.15));
  ASSERT_EQ(capped.answers.size(), 1u);
  EXPECT_LE((capped.answers[0].velocity - 0.75 * velocity).norm(), 1e-14);
  EXPECT_EQ(capped.answers[0].modes, std::vector<std::string>{"aaaa"});
}

TEST(StepSolutions, OfASearchThatIsGivenUpAreThoseOnLines) {
  test::Random random(19);
  const ImpactProblem problem = validated(test::random_problem(random, 4, 12, 0.3, 2, 4));
  const SolutionFinder finder(problem, is_capped);
  const Eigen::VectorXd cap = Eigen::VectorXd::Constant(4, 0.5);
  const StepAnswers all = finder.find(problem.pre_impact_velocity, cap);
  ASSERT_TRUE(all.complete);
  const StepAnswers some = finder.find(problem.pre_impact_velocity, cap, 1);
  EXPECT_FALSE(some.complete);
  ASSERT_FALSE(some.answers.empty());
  for (const StepAnswer& answer : some.answers) {
    EXPECT_LE(distance_to(all, answer.velocity), 1e-9);
    EXPECT_EQ(answer.modes.size(), 1u);
  }
}

struct Shape {
  int m, nv, d, k;
  double mu;
};

class RandomSolutions : public testing::TestWithParam<Shape> {};

/// Lemke's method knows nothing of modes: whatever it finds must be on the list, or on a segment
/// of a continuum.
TEST_P(RandomSolutions, HoldLemkesWithRandomCovers) {
  const Shape shape = GetParam();
  test::Random random(17);
  const int problems = shape.m >= 3 ? 3 : 12;
  int several = 0;
  for (int p = 0; p < problems; ++p) {
    const ImpactProblem problem =
        validated(test::random_problem(random, shape.m, shape.nv, shape.mu, shape.d, shape.k));
    const SolutionFinder finder(problem, is_capped);
    const test::StepSolver solver(problem);
    for (int trial = 0; trial < 40; ++trial) {
      const Eigen::VectorXd velocity = random.normal(shape.nv, 1);
      Eigen::VectorXd cap(shape.m);
      for (int i = 0; i < shape.m; ++i) cap(i) = random.uniform(0.0, 1.0);
      if (trial % 10 == 9) cap(0) = 0.0;
      const test::Step step = solver.solve(velocity, cap);
      ASSERT_EQ(step.outcome.status, Status::separated);
      const StepAnswers answers = finder.find(velocity, cap);
      several += answers.answers.size() > 1;
      if (answers.segments.empty()) {
        EXPECT_LE(distance_to(answers, step.post_velocity), 1e-7)
            << "problem " << p << " trial " << trial;
      }
      for (const StepAnswer& answer : answers.answers) {
        EXPECT_LE(answer.energy, kinetic_energy(problem, velocity) * (1.0 + 1e-12));
      }
    }
  }
  RecordProperty("steps_with_several", several);
}

/// The table of modes and the search over signs find the same velocities.
TEST_P(RandomSolutions, AreTheSameByModesAndBySigns) {
  const Shape shape = GetParam();
  test::Random random(18);
  const int problems = shape.m >= 3 ? 3 : 12;
  for (int p = 0; p < problems; ++p) {
    const ImpactProblem problem =
        validated(test::random_problem(random, shape.m, shape.nv, shape.mu, shape.d, shape.k));
    const SolutionFinder by_modes(problem, is_capped, true);
    const SolutionFinder by_signs(problem, is_capped, false);
    for (int trial = 0; trial < 40; ++trial) {
      const Eigen::VectorXd velocity = random.normal(shape.nv, 1);
      Eigen::VectorXd cap(shape.m);
      for (int i = 0; i < shape.m; ++i) cap(i) = random.uniform(0.0, 1.0);
      if (trial % 10 == 9) cap(0) = 0.0;
      const StepAnswers expected = by_modes.find(velocity, cap);
      const StepAnswers found = by_signs.find(velocity, cap);
      EXPECT_TRUE(found.complete);
      EXPECT_EQ(found.components, expected.components) << "problem " << p << " trial " << trial;
      if (!expected.segments.empty() || !found.segments.empty()) continue;
      ASSERT_EQ(found.answers.size(), expected.answers.size())
          << "problem " << p << " trial " << trial;
      for (const StepAnswer& answer : found.answers) {
        EXPECT_LE(distance_to(expected, answer.velocity), 1e-9 * (1.0 + velocity.norm()));
        // Its own mode is among those that lead to it, unless redundant contacts all stick.
        if (cap(0) == 0.0 || shape.nv < shape.m * (1 + shape.d)) continue;
        const auto same = std::min_element(
            expected.answers.begin(), expected.answers.end(), [&](const auto& a, const auto& b) {
              return (a.velocity - answer.velocity).norm() < (b.velocity - answer.velocity).norm();
            });
        EXPECT_TRUE(std::ranges::count(same->modes, answer.modes.front()) > 0)
            << answer.modes.front() << " is not among the modes of problem " << p << " trial "
            << trial;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RandomSolutions,
    testing::Values(Shape{1, 3, 1, 2, 0.5}, Shape{2, 3, 1, 2, 0.8}, Shape{2, 6, 1, 2, 0.0},
                    Shape{3, 6, 1, 2, -1.0}, Shape{4, 9, 1, 2, -1.0}, Shape{2, 6, 2, 4, 0.7},
                    Shape{2, 6, 2, 6, 0.7}, Shape{2, 3, 2, 8, 0.4}, Shape{3, 6, 2, 4, 1.2},
                    Shape{2, 7, 1, 2, 1e5}, Shape{3, 3, 1, 2, 0.9}),
    [](const auto& param) {
      const Shape& s = param.param;
      return fmt::format("m{}nv{}d{}k{}mu{}", s.m, s.nv, s.d, s.k,
                         s.mu < 0.0 ? std::string("Mixed") : std::to_string(int(10.0 * s.mu)));
    });

/// A rigid ring on sixteen feet has 48 coordinates: a search of all sign patterns would take days.
TEST(Solutions, OfManyContactsAreGivenUpInTime) {
  constexpr int feet = 16;
  ImpactProblem ring;
  ring.mass_matrix = Eigen::Vector<double, 6>(3.0, 3.0, 3.0, 0.2, 0.25, 0.3).asDiagonal();
  ring.normal_jacobian.resize(feet, 6);
  ring.tangent_jacobian.resize(2 * feet, 6);
  for (int i = 0; i < feet; ++i) {
    const double angle = 2.0 * std::acos(-1.0) * i / feet;
    const double x = 0.4 * std::cos(angle);
    const double y = 0.3 * std::sin(angle);
    ring.normal_jacobian.row(i) << 0.0, 0.0, 1.0, y, -x, 0.0;
    ring.tangent_jacobian.row(2 * i) << 1.0, 0.0, 0.0, 0.0, -0.3, -y;
    ring.tangent_jacobian.row(2 * i + 1) << 0.0, 1.0, 0.0, 0.3, 0.0, x;
  }
  ring.friction = Eigen::VectorXd::Constant(feet, 0.5);
  ring.pre_impact_velocity = Eigen::Vector<double, 6>(0.4, 0.1, -1.0, 0.2, 0.1, 0.3);
  ring.friction_directions = 4;
  const StepAnswers answers = simultaneous_solutions(ring, ring.pre_impact_velocity);
  EXPECT_FALSE(answers.complete);
  ASSERT_FALSE(answers.answers.empty());
  for (const StepAnswer& answer : answers.answers) EXPECT_LE(answer.residual, 1e-9);
}

/// A list mixes problems whose steps are proven to have one solution with others.
TEST(Solutions, OfAProblemInAListHaveTheBitsOfTheProblemAlone) {
  std::vector<ImpactProblem> problems(5, test::reference_problem("rocking_block"));
  for (const std::size_t smooth : {0u, 3u}) problems[smooth].friction.setZero();
  SamplingOptions options;
  options.trajectories = 200;
  options.epsilon = 0.01;
  options.max_steps = 100;
  options.problem_id = 7;
  const SampleSet list = sample(problems, options);
  ASSERT_EQ(list.size(), 1000u);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const SampleSet alone = sample(problems[i], options);
    const std::size_t size = alone.velocity.size();
    EXPECT_TRUE(std::equal(alone.velocity.begin(), alone.velocity.end(),
                           list.velocity.begin() + static_cast<std::ptrdiff_t>(i * size)))
        << i;
    ++options.problem_id;
  }
}

}  // namespace
}  // namespace carom
