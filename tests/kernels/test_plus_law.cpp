#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "carom/carom.hpp"
#include "kernels/laws/plus/law.hpp"
#include "tests/support/frictionless_problem.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using nlohmann::json;
using test::cradle;
using testing::AnyOf;

SamplingOptions plus_options(const law::Plus& law) {
  SamplingOptions options;
  options.law = law;
  options.trajectories = 1;
  options.backend = Backend::cpu;
  return options;
}

/// A problem of tests/data/plus and its law.
struct Reference {
  ImpactProblem problem;
  law::Plus law;

  explicit Reference(const json& data) : problem(test::problem_of(data)) {
    problem.restitution = test::vector_of(data.at("e_min"));
    law.v_capture = data.at("v_capture").get<double>();
    law.v_plastic = data.at("v_plastic").get<double>();
    law.v_transition = data.at("v_transition").get<double>();
    law.theta_max = data.at("theta_max").get<double>();
    for (const double number : data.at("mu_static")) law.mu_static.emplace_back(number);
    law.mu_viscous = data.at("mu_viscous").get<double>();
  }
};

const json& references() {
  static const json data = test::read_json("plus/problems.json");
  return data;
}

json reference_named(const std::string& name) {
  const auto found =
      std::ranges::find_if(references(), [&](const json& one) { return one.at("name") == name; });
  return found == references().end() ? json() : *found;
}

double fastest(const Eigen::VectorXd& velocity) { return velocity.cwiseAbs().maxCoeff(); }

Eigen::VectorXd velocity_of(const SampleSet& samples) { return samples.velocity_rows().row(0); }

Eigen::VectorXd outcome(const ImpactProblem& problem, const law::Plus& law = {}) {
  const SampleSet samples = sample(problem, plus_options(law));
  EXPECT_EQ(samples.status[0], Status::separated);
  return velocity_of(samples);
}

/// The paper's examples, problems that can be checked by hand and random ones of up to four
/// contacts, by an independent program; Figure 10's 116, 11 and 8 intervals and Table 2's five
/// rounds among them.
TEST(PlusLaw, AgreesWithAnIndependentProgram) {
  int failures = 0;
  for (const json& data : references()) {
    const Reference reference(data);
    const SampleSet samples = sample(reference.problem, plus_options(reference.law));
    const std::string name = data.at("name");
    ASSERT_EQ(status_name(samples.status[0]), data.at("status").get<std::string>()) << name;
    // An interval without solution counts as a step that was tried.
    const unsigned failed = samples.status[0] == Status::no_solution ? 1 : 0;
    EXPECT_EQ(samples.rounds[0], data.at("rounds").get<unsigned>()) << name;
    // The program cuts intervals where slips turn without friction, too.
    const Eigen::VectorXd at_rest = test::vector_of(data.at("mu_static"));
    const bool slips_count = reference.problem.friction.maxCoeff() > 0.0 ||
                             data.at("mu_viscous").get<double>() > 0.0 ||
                             (at_rest.array() > 0.0).any();
    const auto intervals = data.at(slips_count ? "intervals" : "rounds").get<unsigned>();
    EXPECT_EQ(samples.intervals[0] - failed, intervals) << name;
    EXPECT_TRUE(samples.lcp_count.empty() && samples.impacts.empty());
    const double scale = fastest(reference.problem.pre_impact_velocity);
    EXPECT_LE(fastest(velocity_of(samples) - test::vector_of(data.at("v"))), 1e-9 * scale) << name;
    if (data.contains("impulse")) {
      const Eigen::VectorXd impulse = test::vector_of(data.at("impulse"));
      const Eigen::Map<const Eigen::VectorXd> found(samples.impulse.data(), impulse.size());
      EXPECT_LE(fastest(found - impulse), 1e-8 * (fastest(impulse) + 1e-300)) << name;
    }
    failures += samples.status[0] == Status::separated ? 0 : 1;
  }
  EXPECT_EQ(references().size(), 276u);
  EXPECT_EQ(failures, 5);
}

/// Of every problem with an outcome: no contact approaches, impulses lie in the circular cone and
/// give the change of velocity.
TEST(PlusLaw, OutcomesSeparateByImpulsesOfTheCone) {
  for (const json& data : references()) {
    const Reference reference(data);
    const ImpactProblem& problem = reference.problem;
    const SampleSet samples = sample(problem, plus_options(reference.law));
    if (samples.status[0] != Status::separated) continue;
    const std::string name = data.at("name");
    const Eigen::VectorXd velocity = velocity_of(samples);
    const double scale = fastest(problem.pre_impact_velocity);
    EXPECT_GE((problem.normal_jacobian * velocity).minCoeff(), -1e-8 - 1e-12 * scale) << name;
    const int d = problem.tangent_dimension();
    Eigen::VectorXd force = Eigen::VectorXd::Zero(problem.velocities());
    double largest = 0.0;
    for (int i = 0; i < problem.contacts(); ++i) {
      const Eigen::Map<const Eigen::VectorXd> push(&samples.impulse[0] + i * (1 + d), 1 + d);
      largest = std::max(largest, push.norm());
      force += problem.normal_jacobian.row(i).transpose() * push(0);
      force += problem.tangent_jacobian.middleRows(i * d, d).transpose() * push.tail(d);
    }
    for (int i = 0; i < problem.contacts(); ++i) {
      const Eigen::Map<const Eigen::VectorXd> push(&samples.impulse[0] + i * (1 + d), 1 + d);
      const double slip =
          (problem.tangent_jacobian.middleRows(i * d, d) * problem.pre_impact_velocity).norm();
      const double mu = (slip < reference.law.v_transition.first()
                             ? reference.law.mu_static[static_cast<std::size_t>(i)].first()
                             : problem.friction(i)) +
                        reference.law.mu_viscous.first() * slip;
      EXPECT_LE(push.tail(d).norm(), mu * push(0) + 1e-7 * largest) << name;
    }
    EXPECT_LE(fastest(problem.mass_matrix * (velocity - problem.pre_impact_velocity) - force),
              1e-11 * (largest + scale * problem.mass_matrix.norm()))
        << name;
  }
}

TEST(PlusLaw, RestitutionFallsFromOneToItsLeastValue) {
  const PlusParameters parameters{.capture_speed = 0.01, .plastic_speed = 0.1};
  EXPECT_EQ(plus_restitution(-1.0, 0.4, parameters), 0.0);
  EXPECT_EQ(plus_restitution(0.005, 0.4, parameters), 0.0);
  EXPECT_NEAR(plus_restitution(0.01, 0.4, parameters), 0.94, 1e-15);
  EXPECT_NEAR(plus_restitution(0.05, 0.4, parameters), 0.7, 1e-15);
  EXPECT_EQ(plus_restitution(0.1, 0.4, parameters), 0.4);
  EXPECT_EQ(plus_restitution(2.0, 0.4, parameters), 0.4);
  EXPECT_EQ(plus_restitution(0.0, 0.4, {}), 0.0);  // rests
}

/// A point of 2 kg on the floor y = 0.
ImpactProblem sliding_point(double slip, double approach, double friction, double restitution) {
  ImpactProblem problem;
  problem.mass_matrix = 2.0 * Eigen::Matrix2d::Identity();
  problem.normal_jacobian = Eigen::RowVector2d(0.0, 1.0);
  problem.tangent_jacobian = Eigen::RowVector2d(1.0, 0.0);
  problem.friction = Eigen::VectorXd::Constant(1, friction);
  problem.restitution = Eigen::VectorXd::Constant(1, restitution);
  problem.pre_impact_velocity = Eigen::Vector2d(slip, -approach);
  return problem;
}

/// By hand: friction takes mu (1 + e) x of the slip, or all of it.
TEST(PlusLaw, StopsOrSlowsASlidingPoint) {
  EXPECT_LT((outcome(sliding_point(3.0, 2.0, 0.3, 0.5)) - Eigen::Vector2d(2.1, 1.0)).norm(), 1e-14);
  EXPECT_LT((outcome(sliding_point(0.75, 2.0, 0.3, 0.5)) - Eigen::Vector2d(0.0, 1.0)).norm(),
            1e-14);
  EXPECT_LT((outcome(sliding_point(-3.0, 2.0, 0.3, 0.0)) - Eigen::Vector2d(-2.4, 0.0)).norm(),
            1e-14);
}

/// Friction at rest counts by the slip before the impact, viscous friction as well.
TEST(PlusLaw, FrictionDependsOnTheFirstSlip) {
  law::Plus law;
  law.mu_viscous = 0.1;
  EXPECT_NEAR(outcome(sliding_point(3.0, 2.0, 0.3, 0.0), law)(0), 3.0 - (0.3 + 0.1 * 3.0) * 2.0,
              1e-14);
  EXPECT_NEAR(outcome(sliding_point(0.05, 1.0, 0.01, 0.0))(0), 0.04, 1e-14);
  law.mu_viscous = 0.0;
  law.mu_static = {0.5};
  EXPECT_NEAR(outcome(sliding_point(0.05, 1.0, 0.01, 0.0), law)(0), 0.0, 1e-14);
  EXPECT_NEAR(outcome(sliding_point(3.0, 2.0, 0.3, 0.0), law)(0), 3.0 - 0.3 * 2.0,
              1e-14);  // slides
}

/// Equal balls: the last one leaves with the speed of the first, by a round for each ball.
TEST(PlusLaw, PassesTheSpeedAlongNewtonsCradle) {
  for (const int balls : {2, 5, 9}) {
    std::vector<double> velocity(static_cast<std::size_t>(balls), 0.0);
    velocity[0] = 2.0;
    ImpactProblem problem =
        cradle(std::vector<double>(static_cast<std::size_t>(balls), 1.0), velocity);
    problem.restitution = Eigen::VectorXd::Ones(problem.contacts());
    const SampleSet samples = sample(problem, plus_options({}));
    EXPECT_LT((velocity_of(samples) - 2.0 * Eigen::VectorXd::Unit(balls, balls - 1)).norm(), 1e-13);
    EXPECT_EQ(samples.rounds[0], static_cast<unsigned>(balls));
    EXPECT_EQ(samples.intervals[0], static_cast<unsigned>(balls));
  }
}

/// Blocks without friction that fall onto one another and a floor stop, whatever their masses and
/// their speed. In the end a contact may need a tiny impulse to stop an approach that still counts.
TEST(PlusLaw, StopsColumnsOfBlocks) {
  ImpactProblem problem;
  problem.normal_jacobian = Eigen::Matrix3d{{1, 0, 0}, {-1, 1, 0}, {0, -1, 1}};
  problem.tangent_jacobian = Eigen::Matrix3d::Zero();
  problem.friction = Eigen::Vector3d::Zero();
  law::Plus law;
  law.v_capture = law.v_plastic;  // no restitution at any speed
  law.max_rounds = 20'000;
  const std::vector<double> masses = {0.1, 1.0, 2.0};
  for (const double low : masses) {
    for (const double middle : masses) {
      for (const double high : masses) {
        problem.mass_matrix = Eigen::Vector3d(low, middle, high).asDiagonal();
        for (const double speed : {1.0, 1e3}) {
          problem.pre_impact_velocity = Eigen::Vector3d::Constant(-speed);
          EXPECT_LT(fastest(outcome(problem, law)), 1e-5) << low << " " << middle << " " << high;
        }
      }
    }
  }
}

/// Without friction, tangents count for nothing; a contact that would pull has no grip to lose.
TEST(PlusLaw, NeedsNoTangentsWithoutFriction) {
  test::Random random(8);
  for (int i = 0; i < 200; ++i) {
    const int contacts = 2 + i % 4;
    ImpactProblem problem = test::random_problem(random, contacts, contacts + i % 3, 0.0);
    problem.restitution = Eigen::VectorXd::Constant(contacts, i % 5 == 0 ? 0.5 : 0.0);
    const SampleSet wanted = sample(problem, plus_options({}));
    problem.tangent_jacobian.setZero();
    const SampleSet found = sample(problem, plus_options({}));
    // Nearly dependent contacts can take more rounds than there are.
    EXPECT_THAT(wanted.status[0], AnyOf(Status::separated, Status::step_limit)) << i;
    EXPECT_EQ(found.status[0], wanted.status[0]) << i;
    EXPECT_EQ(found.rounds[0], wanted.rounds[0]) << i;
    EXPECT_LT((velocity_of(found) - velocity_of(wanted)).norm(), 1e-9) << i;
  }
}

/// By hand: the second contact is captured and does not expand; then the balls swap twice.
TEST(PlusLaw, CanGainEnergyWithoutFriction) {
  ImpactProblem problem = cradle({1, 1, 1}, {1, 0.005, 0});
  problem.restitution = Eigen::Vector2d::Ones();
  const SampleSet samples = sample(problem, plus_options({}));
  EXPECT_LT((velocity_of(samples) - Eigen::Vector3d(-0.33, 0.335, 1.0)).norm(), 1e-14);
  EXPECT_EQ(samples.rounds[0], 4u);
  EXPECT_NEAR(samples.energy[0] / kinetic_energy(problem, problem.pre_impact_velocity), 1.2211,
              1e-4);
}

/// A uniformly heavier body moves alike; turned tangents and another order of contacts are another
/// description of the same impact.
TEST(PlusLaw, DoesNotDependOnUnitsAndFrames) {
  for (const char* name :
       {"example1_mu0.225_theta0.15", "example2", "brick_7_101", "brick_7_125"}) {
    const json data = reference_named(name);
    if (data.is_null()) continue;
    const Reference reference(data);
    const Eigen::VectorXd expected = outcome(reference.problem, reference.law);
    Reference other = reference;
    ImpactProblem& problem = other.problem;
    problem.mass_matrix *= 3.7;
    const int m = problem.contacts();
    for (int i = 0; i < m; ++i) {
      const int from = m - 1 - i;
      problem.normal_jacobian.row(i) = reference.problem.normal_jacobian.row(from);
      const Eigen::MatrixXd tangents = reference.problem.tangent_jacobian.middleRows(2 * from, 2);
      problem.tangent_jacobian.row(2 * i) = 0.6 * tangents.row(0) + 0.8 * tangents.row(1);
      problem.tangent_jacobian.row(2 * i + 1) = -0.8 * tangents.row(0) + 0.6 * tangents.row(1);
    }
    problem.friction.reverseInPlace();
    problem.restitution.reverseInPlace();
    std::ranges::reverse(other.law.mu_static);
    EXPECT_LT((outcome(problem, other.law) - expected).norm(), 1e-10 * expected.norm()) << name;
  }
}

/// A trunk of 12 kg on four feet, 0.4 m x 0.26 m apart and 0.3 m below its centre, tilted by an
/// angle about either horizontal axis.
ImpactProblem trunk(double tilt, const Eigen::VectorXd& velocity, double friction,
                    double restitution) {
  const Eigen::Matrix3d turn = (Eigen::AngleAxisd(tilt, Eigen::Vector3d::UnitY()) *
                                Eigen::AngleAxisd(tilt, Eigen::Vector3d::UnitX()))
                                   .toRotationMatrix();
  ImpactProblem problem;
  problem.mass_matrix = 12.0 * Eigen::MatrixXd::Identity(6, 6);
  problem.mass_matrix.bottomRightCorner(3, 3) =
      turn * Eigen::Vector3d(0.1, 0.3, 0.3).asDiagonal() * turn.transpose();
  problem.mass_matrix = (0.5 * (problem.mass_matrix + problem.mass_matrix.transpose())).eval();
  problem.normal_jacobian.resize(4, 6);
  problem.tangent_jacobian.resize(8, 6);
  for (int i = 0; i < 4; ++i) {
    const Eigen::Vector3d foot =
        turn * Eigen::Vector3d(i < 2 ? 0.2 : -0.2, i % 2 == 0 ? 0.13 : -0.13, -0.3);
    Eigen::Matrix<double, 3, 6> speeds;
    speeds.leftCols(3).setIdentity();
    for (int axis = 0; axis < 3; ++axis) {
      speeds.col(3 + axis) = Eigen::Vector3d::Unit(axis).cross(foot);
    }
    problem.normal_jacobian.row(i) = speeds.row(2);
    problem.tangent_jacobian.middleRows(2 * i, 2) = speeds.topRows(2);
  }
  problem.friction_directions = 4;
  problem.friction = Eigen::VectorXd::Constant(4, friction);
  problem.restitution = Eigen::VectorXd::Constant(4, restitution);
  problem.pre_impact_velocity = velocity;
  return problem;
}

Eigen::VectorXd velocities(std::initializer_list<double> numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.begin(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

/// Feet in a plane that roll are redundant. A hair's breadth out of the plane they are still
/// nearly so: then rows that the least norm passes over do not hold to rounding.
TEST(PlusLaw, LandsOnFeetAlmostInAPlaneAsOnFeetInOne) {
  const Eigen::VectorXd straight = velocities({0.3, 0.0, -1.0, 0.0, 0.0, 0.0});
  const Eigen::VectorXd turning = velocities({0.5, 0.0, -1.0, 0.0, 0.0, 0.5});
  for (const auto& [before, friction] :
       {std::pair(straight, 0.3), std::pair(straight, 0.7), std::pair(turning, 0.7)}) {
    const Eigen::VectorXd flat = outcome(trunk(0.0, before, friction, 0.3));
    for (const double tilt : {1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4}) {
      const Eigen::VectorXd tilted = outcome(trunk(tilt, before, friction, 0.3));
      EXPECT_LT((tilted - flat).norm(), 1e-4 + 20.0 * tilt) << tilt;
    }
  }
}

/// Newton's method ends beside the directions of two feet that begin to slip, from wherever it
/// starts; sweeps come near them.
TEST(PlusLaw, FindsDirectionsOfImpendingSlipThatNewtonsMethodMisses) {
  const ImpactProblem problem = trunk(0.0, velocities({0.6, 1.4, -1.7, 0.0, 0.0, -1.3}), 0.7, 0.0);
  EXPECT_GE((problem.normal_jacobian * outcome(problem)).minCoeff(), -1e-8);
}

/// The independent program gives up where the paper's loop over active sets meets one without an
/// impulse. Going on changes no outcome that the loop finds, and lets rolling contacts roll again:
/// of the four problems of which it finds none because of friction, all have one.
TEST(PlusLaw, GoesOnBehindContactsWithoutAnImpulse) {
  int found = 0;
  for (const json& data : references()) {
    const Reference reference(data);
    law::Plus law = reference.law;
    law.backtrack = true;
    const SampleSet samples = sample(reference.problem, plus_options(law));
    const std::string name = data.at("name");
    if (data.at("status") == "separated") {
      const SampleSet usual = sample(reference.problem, plus_options(reference.law));
      EXPECT_EQ(samples.velocity, usual.velocity) << name;
      EXPECT_EQ(samples.impulse, usual.impulse) << name;
    } else if (samples.status[0] == Status::separated) {
      ++found;
      const Eigen::VectorXd velocity = velocity_of(samples);
      EXPECT_GE((reference.problem.normal_jacobian * velocity).minCoeff(), -1e-8) << name;
      EXPECT_LE(kinetic_energy(reference.problem, velocity),
                kinetic_energy(reference.problem, reference.problem.pre_impact_velocity))
          << name;
    }
  }
  EXPECT_EQ(found, 4);
}

TEST(PlusLaw, LetsAFootRollAgain) {
  const ImpactProblem problem = trunk(0.0, velocities({0.0, 2.1, -1.9, 0.0, -0.1, 0.8}), 0.5, 0.0);
  EXPECT_EQ(sample(problem, plus_options({})).status[0], Status::no_solution);
  law::Plus law;
  law.backtrack = true;
  EXPECT_GE((problem.normal_jacobian * outcome(problem, law)).minCoeff(), -1e-8);
}

TEST(PlusLaw, IsDroppedAtItsLimits) {
  const Reference reference(reference_named("example3"));  // five rounds of an interval each
  law::Plus law = reference.law;
  law.max_rounds = 4;
  EXPECT_EQ(sample(reference.problem, plus_options(law)).status[0], Status::step_limit);
  law.max_rounds = 5;
  EXPECT_EQ(sample(reference.problem, plus_options(law)).status[0], Status::separated);
  SamplingOptions options = plus_options(law);
  options.max_steps = 4;
  EXPECT_EQ(sample(reference.problem, options).status[0], Status::step_limit);
}

}  // namespace
}  // namespace carom
