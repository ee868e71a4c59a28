// Bodies on hinges: checked by the two-link equations of textbooks, by conserved quantities, and by
// the problems of the walkers, whose matrices are made another way.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "carom/carom.hpp"
#include "carom/roll.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/roll_options.hpp"

namespace carom {
namespace {

using testing::HasSubstr;

Scenario system(const std::string& name, const std::string& parameters = "") {
  return parse_scenario("system = \"" + name + "\"\n[parameters]\n" + parameters);
}

/// Kinetic energy and speeds of contacts, with the Delassus matrix of normals and tangents: the
/// same in any coordinates.
void expect_same_physics(const ImpactProblem& a, const ImpactProblem& b) {
  ASSERT_EQ(a.contacts(), b.contacts());
  ASSERT_EQ(a.velocities(), b.velocities());
  const auto energy = [](const ImpactProblem& p) {
    return 0.5 * p.pre_impact_velocity.dot(p.mass_matrix * p.pre_impact_velocity);
  };
  const auto rows = [](const ImpactProblem& p) {
    Eigen::MatrixXd all(p.normal_jacobian.rows() + p.tangent_jacobian.rows(), p.velocities());
    all << p.normal_jacobian, p.tangent_jacobian;
    return all;
  };
  const auto delassus = [&](const ImpactProblem& p) -> Eigen::MatrixXd {
    return rows(p) * p.mass_matrix.llt().solve(rows(p).transpose());
  };
  EXPECT_NEAR(energy(a), energy(b), 1e-12 * energy(a));
  EXPECT_LT((rows(a) * a.pre_impact_velocity - rows(b) * b.pre_impact_velocity).norm(), 1e-12);
  EXPECT_LT((delassus(a) - delassus(b)).norm(), 1e-9 * delassus(a).norm());
  EXPECT_EQ(a.friction, b.friction);
}

TEST(LinkedBodies, AreTheWalkersAtTheirImpact) {
  for (const char* name : {"compass_gait", "ramone", "trex"}) {
    const Scenario scenario = system(name);
    expect_same_physics(scenario.problem, first_impact(world_of(scenario)));
  }
  const Scenario heavy = system("compass_gait", "leg_inertia = 0.02\nmass_distance = 0.3");
  expect_same_physics(heavy.problem, first_impact(world_of(heavy)));
}

/// A chain of three bars without gravity, turning against each other.
PlanarWorld chain() {
  const auto bar = [](const char* name, double angle, double rate) {
    PlanarBody body{.name = name, .points = std::vector<Eigen::Vector2d>{}, .mass = 2.0};
    body.inertia = 0.1;
    body.position(2) = angle;
    body.velocity(2) = rate;
    return body;
  };
  PlanarWorld world{
      .bodies = {bar("one", 0.3, 1.0), bar("two", -0.8, -3.0), bar("three", 1.9, 4.0)},
      .floors = {{.name = "floor", .point = {0.0, -100.0}}},
      .gravity = {0.0, 0.0}};
  world.bodies[0].points = {{0.0, 0.5}};
  world.bodies[1].hinge = {.on = "one", .at = {0.1, -0.5}, .own = {0.0, 0.6}};
  world.bodies[2].hinge = {.on = "two", .at = {0.0, -0.6}, .own = {0.2, 0.4}};
  return validated(world);
}

/// Kinetic energy, momentum (x, y) and angular momentum about the origin of a world's bodies.
Eigen::Vector4d conserved(const PlanarWorld& world) {
  Eigen::Vector4d sum = Eigen::Vector4d::Zero();
  for (const PlanarBody& body : world.bodies) {
    const Eigen::Vector3d& q = body.position;
    const Eigen::Vector3d& v = body.velocity;
    sum[0] += 0.5 * body.mass * v.head<2>().squaredNorm() + 0.5 * *body.inertia * v(2) * v(2);
    sum[1] += body.mass * v(0);
    sum[2] += body.mass * v(1);
    sum[3] += body.mass * (q(0) * v(1) - q(1) * v(0)) + *body.inertia * v(2);
  }
  return sum;
}

/// The world at a state: of rollout i, those from i times on.
PlanarWorld at_state(PlanarWorld world, const Rollouts& found, std::size_t state) {
  const auto nq = static_cast<std::size_t>(found.coordinates);
  const std::vector<PlanarCoordinate> coordinates = coordinates_of(world);
  for (std::size_t i = 0; i < nq; ++i) {
    PlanarBody& body = world.bodies[coordinates[i].body];
    body.position(coordinates[i].part) = found.position[state * nq + i];
    body.velocity(coordinates[i].part) = found.velocity[state * nq + i];
  }
  return validated(world);
}

PlanarWorld at_end(const PlanarWorld& world, const Rollouts& found) {
  return at_state(world, found, found.size() * static_cast<std::size_t>(found.times) - 1);
}

TEST(LinkedBodies, KeepEnergyAndMomentaInTheAirToSecondOrder) {
  const PlanarWorld start = chain();
  const Eigen::Vector4d before = conserved(start);
  std::array<double, 2> wrong{};
  for (int k = 0; k < 2; ++k) {
    const Rollouts found = roll(start, {}, test::roll_options(1, 1.0, k == 0 ? 2e-3 : 1e-3));
    wrong[static_cast<std::size_t>(k)] = (conserved(at_end(start, found)) - before).norm();
  }
  EXPECT_LT(wrong[1], 1e-3 * before.norm());
  EXPECT_NEAR(wrong[0] / wrong[1], 4.0, 1.0);
}

/// Angles of stance and swing leg with the stance foot fixed, after `time`, by the equations of the
/// compass gait (Goswami, Thuilot and Espiau, 1998, with gravity g), Runge and Kutta's method.
std::array<double, 4> compass(std::array<double, 4> state, double time) {
  constexpr double mass = 1.0, length = 1.0, below = 0.5, above = 0.5, g = 9.81;
  const auto rate = [&](const std::array<double, 4>& x) -> std::array<double, 4> {
    const double c = -mass * length * below * std::cos(x[0] - x[1]);
    const double s = -mass * length * below * std::sin(x[0] - x[1]);
    const double m11 = mass * (above * above + length * length);
    const double m22 = mass * below * below;
    const double f1 = -s * x[3] * x[3] + (mass * above + mass * length) * g * std::sin(x[0]);
    const double f2 = s * x[2] * x[2] - mass * below * g * std::sin(x[1]);
    const double det = m11 * m22 - c * c;
    return {x[2], x[3], (m22 * f1 - c * f2) / det, (m11 * f2 - c * f1) / det};
  };
  constexpr int steps = 20000;
  const double h = time / steps;
  const auto moved = [](std::array<double, 4> x, const std::array<double, 4>& by, double factor) {
    for (std::size_t i = 0; i < 4; ++i) x[i] += factor * by[i];
    return x;
  };
  for (int i = 0; i < steps; ++i) {
    const auto k1 = rate(state);
    const auto k2 = rate(moved(state, k1, 0.5 * h));
    const auto k3 = rate(moved(state, k2, 0.5 * h));
    const auto k4 = rate(moved(state, k3, h));
    state = moved(moved(moved(moved(state, k1, h / 6.0), k2, h / 3.0), k3, h / 3.0), k4, h / 6.0);
  }
  return state;
}

TEST(LinkedBodies, SwingAboutAFootThatSticks) {
  // The trailing leg stands, the leading one is raised; its foot touches nothing in 0.15 s.
  Scenario scenario = system("compass_gait", "leg_angle_deg = 20");
  auto world = std::get<PlanarWorld>(world_of(scenario));
  const std::array<double, 4> start = {0.3, -0.8, -1.5, 0.7};  // stance, swing and their rates
  const Eigen::Vector2d hip(-std::sin(start[0]), std::cos(start[0]));
  const Eigen::Vector2d hip_rate =
      start[2] * Eigen::Vector2d(-std::cos(start[0]), -std::sin(start[0]));
  PlanarBody& swing = world.bodies[0];  // carries the stance leg
  swing.position << hip.x() + 0.5 * std::sin(start[1]), hip.y() - 0.5 * std::cos(start[1]),
      start[1];
  swing.velocity << hip_rate.x() + 0.5 * start[3] * std::cos(start[1]),
      hip_rate.y() + 0.5 * start[3] * std::sin(start[1]), start[3];
  world.bodies[1].position(2) = start[0];
  world.bodies[1].velocity(2) = start[2];
  const std::array<double, 4> exact = compass(start, 0.15);
  std::array<double, 2> wrong{};
  for (int k = 0; k < 2; ++k) {
    const Rollouts found = roll(world, {}, test::roll_options(1, 0.15, k == 0 ? 1e-3 : 5e-4));
    EXPECT_EQ(found.impacts[0], 0u);
    const PlanarWorld end = at_end(world, found);
    EXPECT_NEAR(touches(end)[1].gap, 0.0, k == 0 ? 5e-9 : 1e-11);
    const Eigen::Vector2d angles(end.bodies[1].position(2), end.bodies[0].position(2));
    const Eigen::Vector2d rates(end.bodies[1].velocity(2), end.bodies[0].velocity(2));
    wrong[static_cast<std::size_t>(k)] = (angles - Eigen::Vector2d(exact[0], exact[1])).norm() +
                                         (rates - Eigen::Vector2d(exact[2], exact[3])).norm();
  }
  EXPECT_LT(wrong[0], 1e-4);
  EXPECT_NEAR(wrong[0] / wrong[1], 4.0, 1.0);
}

TEST(LinkedBodies, FailWhereTheirMassMatrixIsSingular) {
  // Point masses on legs that become parallel, in a split: no step is short enough.
  const Scenario scenario = system("compass_gait");
  RollOptions some = test::roll_options(1, 0.4, 1e-3);
  some.rollouts = 300;
  const Rollouts found = roll(world_of(scenario), sampling_in_time(scenario), some);
  const double before =
      conserved(std::get<PlanarWorld>(world_of(scenario)))[0] + 2.0 * 9.81 * 0.104;
  std::size_t failed = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(!is_whole(found.status[i]) || found.end_energy[i] < before) << i;
    failed += found.status[i] == RolloutStatus::energy_grew ? 1 : 0;
  }
  EXPECT_GE(failed, 1u);
  EXPECT_LT(failed, 30u);
}

TEST(LinkedBodies, AreReadAndWrittenAndDrawnFromRanges) {
  const std::string text = R"(system = "planar"
[world]
friction = 0.8
[[body]]
name = "leg"
points = [[0, -0.5]]
radius = 0.02
mass = 2
inertia = 0.05
position = [0, 0.52]
velocity = [0, -1, 0]
[[body]]
name = "arm"
size = [0.1, 0.6]
mass = 1
hinge = {on = "leg", at = [0, 0.5], own = [0, -0.3]}
angle_deg = 90
velocity = [2]
[[floor]]
name = "ground"
[start.position]
"arm.angle" = {min = 1.0, max = 1.2}
)";
  const Scenario scenario = parse_scenario(text);
  const auto& world = std::get<PlanarWorld>(*scenario.world);
  EXPECT_THAT(coordinate_names(world),
              testing::ElementsAre("leg.x", "leg.y", "leg.angle", "arm.angle"));
  // The arm lies flat: its centre is 0.3 m left of the hinge.
  EXPECT_NEAR(world.bodies[1].position(0), -0.3, 1e-15);
  EXPECT_NEAR(world.bodies[1].position(1), 1.02, 1e-15);
  EXPECT_NEAR(world.bodies[1].velocity(1), -1.0 - 2.0 * 0.3, 1e-15);
  const std::string again = to_toml(scenario);
  EXPECT_EQ(to_toml(parse_scenario(again)), again);
  RollOptions some = *scenario.roll;
  some.rollouts = 20;
  some.duration = 0.01;
  const Rollouts found = roll(world, {}, some);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double angle = found.position[i * static_cast<std::size_t>(found.times) * 4 + 3];
    EXPECT_TRUE(angle >= 1.0 && angle <= 1.2) << angle;
  }
  EXPECT_NE(found.position[3], found.position[static_cast<std::size_t>(found.times) * 4 + 3]);
}

/// A trunk with two legs of the same box.
std::string legs(const std::string& left, const std::string& right) {
  const std::string leg =
      "[[body]]\nsize = [0.1, 0.4]\nmass = 1\nhinge = {on = \"trunk\", own = [0, 0.2], at = ";
  return "system = \"planar\"\n[world]\nfriction = 0.5\n"
         "[[body]]\nname = \"trunk\"\nsize = [0.4, 0.1]\nmass = 3\nposition = [0, 0.8]\n" +
         leg + left + "\nname = \"left\"\n" + leg + right +
         "\nname = \"right\"\n[[floor]]\nname = \"ground\"\n";
}

TEST(LinkedBodies, SideBySideHaveNoContactAtTheirHinges) {
  // Closed, the legs' upper corners are level with the hinges, and no motion parts them.
  const std::string corners[] = {"right 4 left", "left 3 right"};
  for (const double start : {20.0, 0.0}) {  // degrees
    const auto leg = [](double side, double angle, double rate) {
      return fmt::format("[{}, -0.05]}}\nangle_deg = {}\nvelocity = [{}]", side, angle, rate);
    };
    Scenario scenario = parse_scenario(legs(leg(-0.05, -start, 3.0), leg(0.05, start, -3.0)));
    const auto world = std::get<PlanarWorld>(*scenario.world);
    for (const std::string& name : scenario.problem.contact_names) {
      EXPECT_THAT(corners, testing::Not(testing::Contains(name)));
    }
    for (const Law& law : {Law{law::SetValued{}}, Law{law::Sequential{}}}) {
      scenario.sampling.law = law;
      RollOptions some = test::roll_options(1, 0.6, 1e-3);
      some.rollouts = 40;
      const Rollouts found = roll(world, sampling_in_time(scenario), some);
      EXPECT_THAT(found.status, testing::Each(testing::Truly(is_whole))) << start;
      for (std::size_t k = 0; k < found.size() * static_cast<std::size_t>(found.times); ++k) {
        for (const PlanarTouch& touch : touches(at_state(world, found, k))) {
          EXPECT_GT(touch.gap, -1e-5) << start << ' ' << k;
        }
      }
    }
  }
}

TEST(LinkedBodies, PassOneAnotherWhereTheyExcludeEachOther) {
  const std::string left = "[0, -0.05]}\nangle_deg = 20\nvelocity = [-1]";
  const std::string right = "[0, -0.05]}\nangle_deg = -20\nvelocity = [1]";
  EXPECT_THAT(test::refusal([&] { parse_scenario(legs(left, right)); }),
              testing::AllOf(HasSubstr("m deep (must have a gap"), HasSubstr("exclude")));
  const Scenario scenario = parse_scenario(legs(left, right + "\nexclude = [\"left\"]"));
  EXPECT_THAT(pair_names(std::get<PlanarWorld>(*scenario.world)),
              testing::Each(testing::EndsWith(" ground")));
  const std::string again = to_toml(scenario);
  EXPECT_THAT(again, HasSubstr("exclude = [\"left\"]"));
  EXPECT_EQ(to_toml(parse_scenario(again)), again);
  const Rollouts found = roll(*scenario.world, {}, test::roll_options(1, 0.5, 1e-3));
  EXPECT_EQ(found.status[0], RolloutStatus::moving);
  for (const char* other : {"right", "lefft"}) {
    const std::string text = legs(left, right + "\nexclude = [\"" + other + "\"]");
    EXPECT_THAT(test::refusal([&] { parse_scenario(text); }),
                HasSubstr(std::string("body \"right\" excludes \"") + other +
                          "\" (must be the name of another body)"));
  }
}

/// A figure seen from its side: thighs, shanks, feet and arms.
std::string figure() {
  std::string text =
      "system = \"planar\"\n[world]\nfriction = 0.8\n[[body]]\nname = \"trunk\"\n"
      "size = [0.25, 0.5]\nmass = 25\nposition = [0, 1.5]\nangle_deg = 15\n"
      "velocity = [0.5, 0, 2]\n[[floor]]\nname = \"ground\"\n";
  const auto limb = [&](const char* name, const char* size, double mass, const char* on,
                        const char* at, const char* own, double angle, const char* exclude) {
    text += fmt::format(
        "[[body]]\nname = \"{}\"\nsize = [{}]\nmass = {}\nhinge = {{on = \"{}\", at = [{}], own = "
        "[{}]}}\nangle_deg = {}\nexclude = [{}]\n",
        name, size, mass, on, at, own, angle, exclude);
  };
  const char* const right = "\"Rthigh\", \"Rshank\", \"Rfoot\", \"Rarm\"";
  const char* const right_and_trunk = "\"Rthigh\", \"Rshank\", \"Rfoot\", \"Rarm\", \"trunk\"";
  limb("Lthigh", "0.1, 0.4", 5, "trunk", "0, -0.25", "0, 0.2", 15, right);
  limb("Lshank", "0.08, 0.4", 3, "Lthigh", "0, -0.2", "0, 0.2", -5, right_and_trunk);
  limb("Lfoot", "0.22, 0.05", 1, "Lshank", "0, -0.2", "-0.05, 0.025", 0, right_and_trunk);
  limb("Rthigh", "0.1, 0.4", 5, "trunk", "0, -0.25", "0, 0.2", -20, "");
  limb("Rshank", "0.08, 0.4", 3, "Rthigh", "0, -0.2", "0, 0.2", -40, "\"trunk\"");
  limb("Rfoot", "0.22, 0.05", 1, "Rshank", "0, -0.2", "-0.05, 0.025", 0, "\"trunk\"");
  limb("Larm", "0.07, 0.55", 3, "trunk", "0, 0.2", "0, 0.25", 20,
       "\"Lthigh\", \"Lshank\", \"Rthigh\", \"Rshank\", \"Rfoot\", \"Rarm\"");
  limb("Rarm", "0.07, 0.55", 3, "trunk", "0, 0.2", "0, 0.25", -35, "\"Rthigh\", \"Rshank\"");
  return text;
}

TEST(LinkedBodies, DoNotSinkWhereAStepHasSeveralMotions) {
  // A foot lies flat with the thigh on it: in one motion it lifts, in another one it stays.
  Scenario scenario = parse_scenario(figure());
  scenario.sampling.law = law::Simultaneous{};
  RollOptions some = test::roll_options(1, 1.3, 1e-3);
  for (int i = 500; i <= 650; ++i) some.times.push_back(2e-3 * i);
  const auto world = std::get<PlanarWorld>(*scenario.world);
  const Rollouts found = roll(world, sampling_in_time(scenario), some);
  EXPECT_EQ(found.status[0], RolloutStatus::moving);
  for (std::size_t k = 0; k < some.times.size(); ++k) {
    for (const PlanarTouch& touch : touches(at_state(world, found, k))) {
      EXPECT_GT(touch.gap, -1e-5) << some.times[k];
    }
  }
}

/// Velocities of bodies that lie still alternated from step to step, by ever so little.
TEST(LinkedBodies, ComeToRest) {
  const auto bar = [](const char* name, double length, double angle, double hinge) {
    PlanarBody body{.name = name,
                    .corners = {{-length / 2, -0.02},
                                {length / 2, -0.02},
                                {length / 2, 0.02},
                                {-length / 2, 0.02}},
                    .mass = length,
                    .position = {0.0, 0.5, angle}};
    if (hinge != 0.0) body.hinge = {.on = "middle", .at = {hinge, 0.0}, .own = {-length / 2, 0.0}};
    return body;
  };
  const PlanarWorld world{.bodies = {bar("middle", 0.4, 0.35, 0.0), bar("right", 0.3, -0.5, 0.2),
                                     bar("left", 0.3, 2.8, -0.2)},
                          .floors = {{.name = "ground"}},
                          .friction = 0.6};
  for (const double step : {2e-3, 1e-3, 2e-4}) {
    const Rollouts found = roll(world, {}, test::roll_options(5, 1.5, step));
    for (const RolloutStatus status : found.status)
      EXPECT_EQ(status, RolloutStatus::at_rest) << step;
  }
}

std::string refusal(const PlanarWorld& world) {
  return test::refusal([&] { validated(world); });
}

TEST(LinkedBodies, ThatBreakARuleAreNamed) {
  PlanarWorld world = chain();
  world.bodies[1].hinge->on = "three";
  EXPECT_THAT(refusal(world),
              HasSubstr("body \"two\" has a hinge on \"three\" (must be the name of "
                        "an earlier body)"));
  world = chain();
  world.bodies[2].hinge->at.x() = NAN;
  EXPECT_THAT(refusal(world), HasSubstr("body \"three\" has an entry of hinge that is no number"));
  world = chain();
  world.bodies[2].inertia.reset();
  EXPECT_THAT(refusal(world), HasSubstr("body \"three\" has points, but no inertia"));
  world = chain();  // a point mass that turns about itself
  world.bodies[2].inertia = 0.0;
  world.bodies[2].hinge->own = {0.0, 0.0};
  EXPECT_THAT(refusal(world), HasSubstr("mass matrix that is not positive definite"));
}

}  // namespace
}  // namespace carom
