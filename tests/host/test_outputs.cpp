#include "carom/outputs.hpp"

#include <algorithm>

#include "carom/carom.hpp"
#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

using nlohmann::json;

/// Two feet in space: contact A at the heel, B at the tip; nv = 6.
ImpactProblem spatial_feet() {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(6, 6);
  problem.normal_jacobian = Eigen::MatrixXd::Identity(2, 6);
  problem.tangent_jacobian = Eigen::MatrixXd::Identity(6, 6).bottomRows(4);
  problem.friction = Eigen::VectorXd::Constant(2, 0.5);
  problem.pre_impact_velocity = Eigen::VectorXd::Constant(6, -1.0);
  problem.contact_names = {"left heel", "tip"};
  problem.friction_directions = 4;
  return validated(problem);
}

TEST(Outputs, ATextIsAContactAndAnAxisInEitherOrderOrNumbers) {
  const ImpactProblem problem = spatial_feet();
  Outputs outputs;
  for (const char* text :
       {"left heel normal", "tangential tip", "left heel tangential2", "1, 0, -0.5, 0, 0, 2e-1"}) {
    add_direction(problem, text, "--direction", outputs);
  }
  validate(outputs, problem);
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(4, 6);
  expected(0, 0) = 1.0;
  expected(1, 4) = 1.0;
  expected(2, 3) = 1.0;
  expected.row(3) << 1.0, 0.0, -0.5, 0.0, 0.0, 0.2;
  EXPECT_EQ(outputs.matrix, expected);
  EXPECT_EQ(outputs.names[0], "left heel normal");
}

TEST(Outputs, AScenarioHasThemAsAMatrixOrAsDirections) {
  const std::string text = "system = \"rocking_block\"\n[outputs]\n";
  const Scenario one =
      parse_scenario(text +
                     "names = [\"x\", \"y \\\"up\\\"\"]\nmatrix = [[1, 0, 0], [0, 1, 0.5]]\n"
                     "directions = [\"A normal\"]\n");
  const Outputs& outputs = one.evidence.outputs;
  ASSERT_EQ(outputs.size(), 3u);
  EXPECT_EQ(outputs.matrix.row(1), Eigen::RowVector3d(0.0, 1.0, 0.5));
  EXPECT_EQ(outputs.matrix.row(2), one.problem.normal_jacobian.row(0));
  const Scenario again = parse_scenario(to_toml(one));
  EXPECT_EQ(again.evidence.outputs.matrix, outputs.matrix);
  EXPECT_EQ(again.evidence.outputs.names, outputs.names);
  EXPECT_EQ(parse_scenario(text + "matrix = [[1, 0, 0]]\n").evidence.outputs.names,
            std::vector<std::string>{"output 1"});
}

TEST(Outputs, BrokenRulesOfATableAreToldWithTheirLine) {
  const auto refused = [](const std::string& keys, const std::string& message) {
    try {
      parse_scenario("system = \"rocking_block\"\n[outputs]\n" + keys, "a.toml");
      FAIL() << keys;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).substr(0, message.size()), message);
    }
  };
  refused("matrix = [[1, 0]]\n",
          "a.toml:3: [outputs] matrix has 2 columns (must have 3: one per velocity)");
  refused("matrix = [[1, 0, 0]]\nnames = [\"x\", \"y\"]\n",
          "a.toml:3: [outputs] names has 2 entries (must have 1: one per row of matrix)");
  refused("matrix = [[0, 0, 0]]\n",
          "a.toml:3: direction \"output 1\" is zero (must be finite and not zero)");
  refused("matrix = [[nan, 0, 0]]\n", "a.toml:3: direction \"output 1\" is not finite");
  refused("names = [\"x\"]\n", "a.toml:3: names is in [outputs] (must be with matrix");
  refused("directions = [\"C normal\"]\n",
          "a.toml:3: an entry of directions is \"C normal\" (must be a contact of A, B with normal "
          "or tangential");
  refused("[outputs.directions]\ngap = 1\n",
          "a.toml:3: directions is a table (must be an array of strings)");
  refused("directions = [\"A normal\", \"A normal\"]\n", "a.toml:3: the name \"A normal\"");
  refused("matrices = [[1, 0, 0]]\n", "a.toml:3: unknown key \"matrices\" in [outputs]");
}

TEST(Outputs, MayNotTakeTheNameOfAContactsSpeed) {
  const ImpactProblem problem = validated(load_scenario("rocking_block").problem);
  Outputs outputs;
  add_output(problem.normal_jacobian.row(0), "A normal", outputs);
  EXPECT_NO_THROW(require_own_names(outputs, problem));
  outputs.matrix(0, 0) += 1.0;
  EXPECT_THROW(require_own_names(outputs, problem), InputError);
  BoundOptions options;
  options.directions = {{"spin", Eigen::Vector3d(0.0, 0.0, 1.0)},
                        {"spin", Eigen::Vector3d(1.0, 0.0, 0.0)}};
  EXPECT_THROW(outer_bound(problem, options), InputError);
}

TEST(Outputs, TheirEndsAreThoseOfAllOutcomesOfAnyLaw) {
  Scenario scenario = load_scenario("compass_gait");
  scenario.sampling.trajectories = 500;
  scenario.sampling.backend = Backend::cpu;
  scenario.evidence.hold_out = 0;
  scenario.evidence.comparison = false;
  add_direction(scenario.problem, "0.5, 0, -1, 2", "", scenario.evidence.outputs);
  add_direction(scenario.problem, "B normal", "", scenario.evidence.outputs);
  for (const Law& law : {scenario.sampling.law, Law(law::Sequential{})}) {
    scenario.sampling.law = law;
    Scenario run = scenario;
    resolve(run);
    PostImpactSet set = post_impact_set(run.problem, run.sampling);
    add_evidence(run.problem, run.sampling, run.evidence, set);
    const std::vector<OutputEnds> ends = output_ends(run.evidence.outputs, set.sought);
    ASSERT_EQ(ends.size(), 2u);
    const SampleSet samples = sample(run.problem, run.sampling);
    double low = INFINITY;
    double high = -INFINITY;
    for (std::size_t row = 0; row < samples.size(); ++row) {
      if (samples.status[row] != Status::separated) continue;
      const double* const v = samples.velocity.data() + row * 4;
      const double value = 0.5 * v[0] - v[2] + 2.0 * v[3];
      low = std::min(low, value);
      high = std::max(high, value);
    }
    EXPECT_NEAR(ends[0].found_low, low, 1e-14);
    EXPECT_NEAR(ends[0].found_high, high, 1e-14);
    EXPECT_NEAR(ends[1].found_high, set.summary.normal_velocity[1].greatest, 1e-12);
    EXPECT_EQ(set.sought.front().evaluations, 0u);
  }
}

TEST(Outputs, AreSearchedWithTheOtherEndsAndChangeNoneOfTheirs) {
  Scenario scenario = load_scenario("rocking_block");
  scenario.sampling.trajectories = 512;
  scenario.sampling.backend = Backend::cpu;
  Outputs outputs;
  add_direction(scenario.problem, "A normal", "", outputs);
  add_direction(scenario.problem, "1, 0, 1", "", outputs);
  const auto plain = seek_extremes(scenario.problem, scenario.sampling, 1);
  const auto with = seek_extremes(scenario.problem, scenario.sampling, 1, outputs);
  ASSERT_EQ(with.size(), plain.size() + 4);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(with[i].objective, plain[i].objective);
    EXPECT_EQ(with[i].direction, plain[i].direction);
    EXPECT_EQ(with[i].sampled, plain[i].sampled);
  }
  // The contact's own axis, searched under either name, reaches the closed form.
  const std::vector<OutputEnds> ends = output_ends(outputs, with);
  EXPECT_NEAR(ends[0].found_high, std::sqrt(2.0 * 9.81 * 0.01) * 0.3 * 0.7, 1e-6);
  EXPECT_GT(with.back().evaluations, 0u);
  EXPECT_TRUE(output_ends(outputs, plain).empty());
}

TEST_F(CommandLine, TellsTheEndsOfDirectionsInReportJsonAndFile) {
  const std::string scenario = write("S.toml", falling_mass);
  const std::vector<std::string> flags = {"sample",       scenario,      "--direction",
                                          "A tangential", "--direction", "2, -1"};
  // Without friction the mass slides on at 0.5 m/s and stops falling: 2 * 0.5 - 0.
  const ProgramRun told = run(flags);
  EXPECT_NE(told.out.find("  direction     least  greatest\n"
                          "  A tangential    0.5       0.5\n"
                          "  2, -1             1         1\n"),
            std::string::npos)
      << told.out;
  EXPECT_EQ(told.out.find("Search for extremes"), std::string::npos);
  const json document = run_json(flags);
  ASSERT_EQ(document["directions"].size(), 2u);
  EXPECT_EQ(document["directions"][1]["name"], "2, -1");
  EXPECT_EQ(document["directions"][1]["direction"], (std::vector<double>{2.0, -1.0}));
  EXPECT_NEAR(document["directions"][1]["found_low"].get<double>(), 1.0, 1e-12);
  EXPECT_EQ(run_json({"sample", scenario})["directions"], json::array());

  const std::string file = text_path("a.h5");
  std::vector<std::string> into = flags;
  into.insert(into.end(), {"-o", file, "--seek-extremes", "0"});
  ASSERT_EQ(run(into).exit_code, 0);
  const Result result = read_result(file);
  const auto ends = output_ends(result.scenario.evidence.outputs, result.set.sought);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].name, "A tangential");
  EXPECT_NEAR(ends[0].found_high, 0.5, 1e-12);
  ASSERT_EQ(run({"resume", file, "--trajectories", "200"}).exit_code, 0);
  EXPECT_EQ(read_result(file).set.sought.size(), result.set.sought.size());
}

TEST_F(CommandLine, RefusesADirectionThatTheProblemDoesNotHave) {
  const auto refused = [&](const std::string& direction, const std::string& message) {
    expect_bad_input(run({"sample", "rocking_block", "--direction", direction}), message);
  };
  refused("1, 0", "--direction has 2 numbers (must have 3: one per velocity)");
  refused("C normal", "--direction is \"C normal\" (must be a contact of A, B with normal or ");
  refused("A tangential2", "--direction is \"A tangential2\" (must be a contact of A, B");
  refused("0, 0, 0", "direction \"0, 0, 0\" is zero (must be finite and not zero)");
  refused("1, , 0", "--direction");
}

}  // namespace
}  // namespace carom
