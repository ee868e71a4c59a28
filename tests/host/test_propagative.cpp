#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "carom/error.hpp"
#include "carom/propagative.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/frictionless_problem.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

using nlohmann::json;
using test::cradle;
using test::frictionless;
using test::matrix_of;
using test::vector_of;
using testing::HasSubstr;

double fastest(const Eigen::VectorXd& velocity) { return velocity.cwiseAbs().maxCoeff(); }

/// An independent program's outcomes, with exact rationals where masses are rational.
TEST(Propagative, HasTheOutcomesOfAnIndependentProgram) {
  int cases = 0;
  for (const json& data : test::read_json("propagative/outcomes.json")) {
    const std::string name = data.at("name");
    for (const json& one : data.at("cases")) {
      const Eigen::VectorXd v = vector_of(one.at("v"));
      ImpactProblem problem =
          frictionless(matrix_of(data.at("mass_matrix")), matrix_of(data.at("normal_jacobian")), v);
      const double tolerance = (name == "wall_pi_3" ? 1e-9 : 1e-11) * fastest(v);
      const PropagativeOutcomes found = propagative_outcomes(problem);
      EXPECT_EQ(found.states, one.at("states").get<std::uint64_t>()) << name;
      EXPECT_NEAR(found.indeterminacy, one.at("xi").get<double>(), 1e-9) << name;
      const json& wanted = one.at("outcomes");
      ASSERT_EQ(found.outcomes.size(), wanted.size()) << name;
      for (const PropagativeOutcome& outcome : found.outcomes) {
        const auto same = std::ranges::find_if(wanted, [&](const json& its) {
          return fastest(vector_of(its.at("v")) - outcome.velocity) <= tolerance;
        });
        ASSERT_NE(same, wanted.end()) << name << ": " << outcome.velocity.transpose();
        EXPECT_NEAR(outcome.probability, same->at("p").get<double>(), 1e-12) << name;
        EXPECT_EQ(outcome.sequences, same->at("n").get<std::string>()) << name;
        EXPECT_EQ(outcome.fewest_impacts, same->at("least").get<std::uint64_t>()) << name;
        EXPECT_EQ(outcome.most_impacts, same->at("most").get<std::uint64_t>()) << name;
        EXPECT_EQ(outcome.example.size() >= outcome.fewest_impacts, true);
        if (outcome.minimal && !same->at("minimal").is_null()) {
          EXPECT_EQ(*outcome.minimal, same->at("minimal").get<bool>()) << name;
        }
        EXPECT_NEAR(outcome.energy, kinetic_energy(problem, v), 1e-9 * outcome.energy) << name;
      }
      PropagativeOptions plastic;
      problem.restitution = Eigen::VectorXd::Zero(problem.contacts());
      const PropagativeOutcomes sticking = propagative_outcomes(problem, plastic);
      ASSERT_EQ(sticking.outcomes.size(), 1u) << name;
      EXPECT_LE(fastest(sticking.outcomes[0].velocity - vector_of(one.at("plastic"))),
                1e-9 * fastest(v))
          << name;
      plastic.plastic = Plastic::projection;
      EXPECT_LE(fastest(propagative_outcomes(problem, plastic).outcomes[0].velocity -
                        vector_of(one.at("projection"))),
                1e-9 * fastest(v))
          << name;
      ++cases;
    }
  }
  EXPECT_GT(cases, 50);
}

TEST(Propagative, JudgesThePairsAsAnIndependentProgram) {
  for (const json& data : test::read_json("propagative/outcomes.json")) {
    const std::string name = data.at("name");
    const Eigen::MatrixXd mass = matrix_of(data.at("mass_matrix"));
    if (data.at("normal_jacobian").size() > 24) continue;  // beyond the compiled capacity
    const PropagativeVerdict verdict = propagative_verdict(frictionless(
        mass, matrix_of(data.at("normal_jacobian")), Eigen::VectorXd::Zero(mass.rows())));
    EXPECT_EQ(verdict.separating_velocity.has_value(), data.at("pointed").get<bool>()) << name;
    EXPECT_EQ(verdict.kind == PropagativeVerdict::Kind::orthogonal,
              data.at("orthogonal").get<bool>())
        << name;
    EXPECT_EQ(verdict.kind != PropagativeVerdict::Kind::not_guaranteed,
              data.at("reflection_group").get<bool>())
        << name;
    for (const json& pair : data.at("pairs")) {
      const auto i = pair.at("i").get<Eigen::Index>();
      const auto j = pair.at("j").get<Eigen::Index>();
      EXPECT_NEAR(verdict.inner_products(i, j), pair.at("inner_product").get<double>(), 1e-12);
      const int stages = pair.at("stages").is_null() ? 0 : pair.at("stages").get<int>();
      EXPECT_EQ(verdict.stages(i, j), stages) << name;
      if (pair.at("bound").is_number()) {
        EXPECT_EQ(verdict.bounds(i, j), pair.at("bound").get<int>()) << name;
      }
    }
  }
}

TEST(Propagative, NewtonsCradlePassesOnTheFirstBall) {
  const PropagativeOutcomes found = propagative_outcomes(cradle({1, 1, 1, 1, 1}, {1, 0, 0, 0, 0}));
  ASSERT_EQ(found.outcomes.size(), 1u);
  const PropagativeOutcome& only = found.outcomes.front();
  EXPECT_LT(fastest(only.velocity - Eigen::VectorXd::Unit(5, 4)), 1e-14);
  EXPECT_EQ(only.example, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(found.verdict.kind, PropagativeVerdict::Kind::reflection_group);
  EXPECT_EQ(found.indeterminacy, 0.0);
}

TEST(Propagative, TenBallsOfTwoMassesHave46BillionSequences) {
  const PropagativeOutcomes found =
      propagative_outcomes(cradle({1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(found.states, 9274u);
  EXPECT_EQ(found.outcomes.size(), 247u);
  std::uint64_t sequences = 0;
  double probability = 0.0;
  for (const PropagativeOutcome& outcome : found.outcomes) {
    sequences += std::stoull(outcome.sequences);
    probability += outcome.probability;
  }
  EXPECT_EQ(sequences, 46'327'516'389u);
  EXPECT_NEAR(probability, 1.0, 1e-12);
}

/// Three equal balls: R mixes the elastic outcome (0, 0, 1) with the plastic one.
TEST(Propagative, RestitutionMixesWithThePlasticOutcome) {
  ImpactProblem balls = cradle({1, 1, 1}, {1, 0, 0});
  balls.restitution = Eigen::Vector2d::Constant(0.7);
  const PropagativeOutcomes found = propagative_outcomes(balls);
  ASSERT_EQ(found.outcomes.size(), 1u);
  EXPECT_LT(fastest(found.outcomes[0].velocity - Eigen::Vector3d(0.1, 0.1, 0.8)), 1e-12);
  EXPECT_NEAR(found.outcomes[0].energy, 0.5 * (1.0 - 0.51 * 2.0 / 3.0), 1e-12);
}

TEST(Propagative, SaysWhenTheGraphIsTooLarge) {
  PropagativeOptions options;
  options.max_states = 100;
  const PropagativeOutcomes found = propagative_outcomes(
      cradle({1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}), options);
  EXPECT_FALSE(found.complete);
  EXPECT_TRUE(found.outcomes.empty());
}

/// A ball that flies across a corner of a small angle, a right angle from its bisector: it bounces
/// pi / 2 / angle times, and each impact changes the speeds by little.
TEST(Propagative, CountsTheImpactsInANarrowCorner) {
  const auto corner = [](double angle) {
    const Eigen::MatrixXd normals =
        (Eigen::MatrixXd(2, 2) << 1.0, 0.0, -std::cos(angle), std::sin(angle)).finished();
    return frictionless(Eigen::Matrix2d::Identity(), normals, Eigen::Vector2d(-1.0, -angle));
  };
  const PropagativeOutcomes found = propagative_outcomes(corner(1e-4));
  ASSERT_EQ(found.outcomes.size(), 1u);
  EXPECT_NEAR(static_cast<double>(found.outcomes[0].most_impacts), M_PI_2 / 1e-4, 2.0);
  PropagativeOptions options;
  options.max_states = 100'000;
  EXPECT_FALSE(propagative_outcomes(corner(1e-6), options).complete) << "1.6 million impacts";
}

std::string refusal_of(const ImpactProblem& problem, const PropagativeOptions& options = {}) {
  try {
    propagative_outcomes(problem, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Propagative, RefusesWithTheRule) {
  ImpactProblem balls = cradle({1, 1, 1}, {1, 0, 0});
  PropagativeOptions options;
  balls.restitution = Eigen::Vector2d(1.0, 1.5);
  EXPECT_THAT(refusal_of(balls), HasSubstr("restitution is 1.5 (must be from 0 to 1) for contact"));
  balls.restitution = Eigen::Vector2d(1.0, 0.5);
  EXPECT_THAT(refusal_of(balls), HasSubstr("must be one number for all contacts"));
  balls.restitution = {};
  options.max_states = 0;
  EXPECT_THAT(refusal_of(balls, options), HasSubstr("max_states is 0"));
  balls.friction(1) = 0.5;
  EXPECT_THAT(refusal_of(balls), HasSubstr("friction is 0.5 for contact \"B\" (must be 0"));
  // A ball between two walls.
  const Eigen::MatrixXd walls = (Eigen::MatrixXd(2, 1) << 1.0, -1.0).finished();
  EXPECT_THAT(refusal_of(frictionless(Eigen::MatrixXd::Identity(1, 1), walls,
                                      Eigen::VectorXd::Constant(1, 1.0))),
              HasSubstr("not pointed (must have a velocity that separates all contacts: "));
}

TEST_F(CommandLine, OutcomesOfImpactsInTurnAreListed) {
  const std::string file =
      write("balls.toml",
            "system = \"matrices\"\n[problem]\nmass_matrix = [[1, 0, 0], [0, 2, 0], [0, 0, 3]]\n"
            "normal_jacobian = [[-1, 1, 0], [0, -1, 1]]\npre_impact_velocity = [2, 1, 0]\n");
  const json found = run_json({"outcomes", file, "--law", "propagative"});
  EXPECT_TRUE(found["complete"]);
  ASSERT_EQ(found["outcomes"].size(), 2u);
  for (const json& outcome : found["outcomes"]) {
    EXPECT_EQ(outcome["probability"], 0.5);
    EXPECT_EQ(outcome["sequences"], "1");
    EXPECT_EQ(outcome["velocity"].size(), 3u);
  }
  EXPECT_EQ(found["verdict"]["kind"], "not guaranteed");
  EXPECT_TRUE(found["verdict"]["pointed"]);
  EXPECT_NEAR(found["verdict"]["indeterminacy"].get<double>(), 0.2667, 1e-4);
  EXPECT_THAT(run({"outcomes", file}).out, HasSubstr("not guaranteed: the outcome may depend"));
  EXPECT_EQ(run_json({"describe", file})["propagative"]["kind"], "not guaranteed");
  expect_bad_input(run({"outcomes", file, "--restitution", "1.5"}), "restitution");
  expect_bad_input(run({"outcomes", file, "--law", "sequential"}), "--law");
  expect_bad_input(run({"outcomes", file, "--plastic", "soft"}), "--plastic");
  expect_bad_input(run({"outcomes", "rocking_block"}), "friction");
  const ProgramRun full = run({"outcomes", file, "--max-states", "2"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("more than 2 states"));
}

/// By hand: corners of a block a wide and b high have G = (b^2 - 2 a^2) / (4 a^2 + b^2).
TEST_F(CommandLine, ValuesAtWhichImpactsCommuteAreFound) {
  const json found = run_json(
      {"describe", "rocking_block", "--unique-by", "height", "--from", "0.2", "--to", "20"});
  EXPECT_EQ(found["unique_by"]["path"], "parameters.height");
  const json& values = found["unique_by"]["values"];
  ASSERT_EQ(values.size(), 1u);
  EXPECT_NEAR(values[0]["value"].get<double>(), std::sqrt(2.0), 1e-12);  // a is 1 m
  EXPECT_EQ(values[0]["pairs"], json({{0, 1}}));
  EXPECT_TRUE(values[0]["all"]);
  EXPECT_THAT(
      run({"describe", "rocking_block", "--unique-by", "mass", "--from", "1", "--to", "2"}).out,
      HasSubstr("none in the interval"));
  expect_bad_input(run({"describe", "rocking_block", "--unique-by", "height"}), "--from");
  expect_bad_input(
      run({"describe", "rocking_block", "--unique-by", "hight", "--from", "1", "--to", "2"}),
      "hight");
  expect_bad_input(
      run({"describe", "rocking_block", "--unique-by", "height", "--from", "-1", "--to", "2"}),
      "height");
  expect_bad_input(
      run({"describe", "rocking_block", "--unique-by", "height", "--from", "2", "--to", "1"}),
      "from");
}

}  // namespace
}  // namespace carom
