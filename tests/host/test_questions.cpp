#include "carom/questions.hpp"

#include <cmath>
#include <numbers>

#include "carom/carom.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/refusal.hpp"

namespace carom {
namespace {

using nlohmann::json;

ImpactProblem rocking_block() { return validated(load_scenario("rocking_block").problem); }

Outputs asked(const ImpactProblem& problem, const std::vector<std::string>& questions) {
  Outputs outputs;
  for (const std::string& text : questions) add_question(problem, text, outputs);
  return outputs;
}

TEST(Questions, AreAboutOutputsAndAddThoseThatThereAreNot) {
  Outputs outputs;
  add_output(Eigen::Vector3d(0.0, 0.0, 1.0), "spin up", outputs);
  const ImpactProblem problem = rocking_block();
  for (const char* text : {"spin up < -2.5", "|A tangential|>0.1m/s", " B normal > 1e-3",
                           "1, 0, -0.5 < 0", "spin up > 90 deg/s"}) {
    add_question(problem, text, outputs);
  }
  const std::vector<std::string> names = {"spin up", "A tangential", "B normal", "1, 0, -0.5"};
  EXPECT_EQ(outputs.names, names);
  EXPECT_EQ(outputs.matrix.row(1), problem.tangent_jacobian.row(0));
  EXPECT_EQ(outputs.matrix.row(2), problem.normal_jacobian.row(1));
  EXPECT_EQ(outputs.matrix.row(3), Eigen::RowVector3d(1.0, 0.0, -0.5));
  const std::vector<Question>& its = outputs.questions;
  ASSERT_EQ(its.size(), 5u);
  EXPECT_EQ(its[0].output, 0u);
  EXPECT_FALSE(its[0].greater);
  EXPECT_DOUBLE_EQ(its[0].value, -2.5);
  EXPECT_TRUE(its[1].absolute && its[1].greater);
  EXPECT_EQ(its[1].text, "|A tangential|>0.1m/s");
  EXPECT_EQ(its[4].output, 0u);
  EXPECT_DOUBLE_EQ(its[4].value, std::numbers::pi / 2.0);
}

TEST(Questions, AreAboutVelocitiesOfOneSize) {
  const ImpactProblem problem = rocking_block();
  Outputs outputs = asked(problem, {"A normal > 1"});
  EXPECT_THROW(add_output(Eigen::Vector2d(1.0, 0.0), "short", outputs), InputError);
  EXPECT_EQ(outputs.matrix.cols(), 3);
  const std::vector<double> numbers(6);
  EXPECT_THROW(output_ends(outputs, RowMatrixView(numbers.data(), 3, 2)), InputError);
  const std::vector<OutputEnds> ends(2);
  EXPECT_THROW(answers(problem, outputs, ends, nullptr, 1e-8), InputError);
}

TEST(Questions, AskAboutNamedDirectionsOnce) {
  const ImpactProblem problem = rocking_block();
  Outputs outputs;
  add_direction(problem, " tilt rate =0, 0, 1", "--direction", outputs);
  for (const char* text : {"tilt rate > 0.1", "tilt rate = 0, 0, 1 < 0", "up = 0, 1, 0 > 0",
                           "|up| > 0.2", "up = 0, 1, 0 < 0"}) {
    add_question(problem, text, outputs);
  }
  const std::vector<std::string> names = {"tilt rate", "up"};
  EXPECT_EQ(outputs.names, names);
  EXPECT_EQ(outputs.questions[1].output, 0u);
  EXPECT_EQ(outputs.questions[3].output, 1u);
  EXPECT_NO_THROW(validate(outputs, problem));
  Scenario scenario = load_scenario("rocking_block");
  scenario.evidence.outputs = outputs;
  const Outputs again = parse_scenario(to_toml(scenario)).evidence.outputs;
  EXPECT_EQ(again.names, names);
  EXPECT_EQ(again.questions.size(), 5u);
  EXPECT_EQ(again.questions[4].output, 1u);
  add_question(problem, "up = 1, 0, 0 > 0", outputs);  // another row of this name
  EXPECT_THROW(validate(outputs, problem), InputError);
}

TEST(Questions, FindContactsWhoseNamesBeginAlike) {
  ImpactProblem problem = rocking_block();
  problem.contact_names = {"knee", "knee limit"};
  problem.speed_units = {"m/s", "rad/s"};
  const Outputs outputs = asked(problem, {"knee limit normal > 10 deg/s", "knee normal > 1 m/s"});
  EXPECT_EQ(outputs.matrix.row(0), problem.normal_jacobian.row(1));
  EXPECT_NE(test::refusal([&] {
              asked(problem, {"knee limit normal > 10 m/s"});
            }).find("whose knee limit normal is in rad/s"),
            std::string::npos);
  problem.contact_names = {"a>b", "a  b"};
  EXPECT_EQ(asked(problem, {"a>b normal > 1", "a  b normal < 1"}).size(), 2u);
  problem.contact_names.clear();
  EXPECT_EQ(asked(problem, {"1, 0, 1 > 1"}).size(), 1u);
}

TEST(Questions, AreRefusedWithTheirTextAndTheRule) {
  ImpactProblem problem = rocking_block();
  EXPECT_EQ(test::refusal([&] { asked(problem, {"A normal >= 1"}); }).substr(0, 66),
            "ask has \"A normal >= 1\", with >= or <= (must be > or <) (must be l");
  const std::pair<const char*, const char*> wrong[] = {
      {"A normal", "without > or < after its quantity"},
      {"> 1", "which begins without its quantity"},
      {"A normal >", "which ends before its value"},
      {"A normal > x", "whose value is x"},
      {"A normal > nan", "whose value is nan"},
      {"A normal > 1 cm/s", "whose value is followed by cm/s, not by a unit (m/s, rad/s, deg/s)"},
      {"A normal > 1 by 2 s", "which goes on after its end"},
      {"A normal > 1 m/s 2", "which goes on after its end"},
      {"A normal > 1 deg/s", "whose A normal is in m/s"},
      {"|A normal| < 1", "whether an absolute value is less"},
      {"C normal > 1",
       "what \"C normal > 1\" asks about is \"C normal\" (must be a contact of A, B"},
      {"1, 2 > 1", "what \"1, 2 > 1\" asks about has 2 numbers (must have 3"}};
  for (const auto& [question, rule] : wrong) {
    const std::string told = test::refusal([&] { asked(problem, {question}); });
    EXPECT_NE(told.find(rule), std::string::npos) << told;
  }
  problem.speed_units = {"rad/s", "m/s"};
  EXPECT_EQ(test::refusal([&] { asked(problem, {"A normal > 1 deg/s"}); }), "");
  EXPECT_NE(test::refusal([&] {
              asked(problem, {"A normal > 1 m/s"});
            }).find("whose A normal is in rad/s"),
            std::string::npos);
}

TEST(Questions, AreAnsweredByWhatIsFoundAndProved) {
  const ImpactProblem problem = rocking_block();
  const Outputs outputs =
      asked(problem, {"A normal > 0.1", "A normal > 0.2", "A normal > 0.3", "A normal < -0.1",
                      "A normal < 0", "|A normal| > 0.25", "|A normal| > 0.31"});
  const Eigen::VectorXd row = problem.normal_jacobian.row(0);
  const std::vector<OutputEnds> ends = {{"A normal", {row.begin(), row.end()}, -5e-9, 0.15}};
  OuterBound bound;
  bound.status = BoundStatus::closed;
  bound.verified = Verified::exact;
  bound.directions = {{"A normal", row, -1e-8, 0.25}};
  const auto verdicts = [&](const std::vector<OutputEnds>& its, const OuterBound* proved) {
    std::string all;
    for (const Answer& answer : answers(problem, outputs, its, proved, 1e-8)) {
      all += std::string(verdict_name(answer.verdict)) + " ";
    }
    return all;
  };
  EXPECT_EQ(verdicts(ends, &bound), "yes open no no no no no ");
  EXPECT_EQ(verdicts({}, &bound), "open open no no no no no ");
  EXPECT_EQ(verdicts(ends, nullptr), "yes open open open open open open ");
  EXPECT_EQ(verdicts({}, nullptr), "open open open open open open open ");
  bound.scope = BoundScope::inclusion;  // of which an outcome of steps is none
  EXPECT_EQ(verdicts(ends, &bound), "open open no no no no no ");
  bound.scope = BoundScope::any_h;
  bound.status = BoundStatus::n_steps;
  EXPECT_EQ(verdicts(ends, &bound), "yes open no_within no_within no_within no_within no_within ");
  bound.status = BoundStatus::none;
  EXPECT_EQ(verdicts(ends, &bound), "yes open open open open open open ");
  // Outcomes end within the termination tolerance of the contact's speed.
  const Answer approach = answers(problem, outputs, ends, nullptr, 1e-8)[4];
  EXPECT_GE(approach.tolerance, 1e-8);
  EXPECT_EQ(approach.found, -5e-9);
  EXPECT_TRUE(std::isnan(approach.bound));
}

TEST(Questions, OfABoundThatIsNotVerifiedStayOpen) {
  const ImpactProblem problem = rocking_block();
  const Outputs outputs = asked(problem, {"A normal > 0.5"});
  OuterBound bound;
  bound.status = BoundStatus::closed;
  bound.directions = {{"A normal", problem.normal_jacobian.row(0), 0.0, 0.1}};
  EXPECT_EQ(answers(problem, outputs, {}, &bound, 1e-8)[0].verdict, Answer::Verdict::open);
  bound.verified = Verified::certified;
  EXPECT_EQ(answers(problem, outputs, {}, &bound, 1e-8)[0].verdict, Answer::Verdict::no);
}

/// A contact speed of 1e-8 m/s is a velocity of 1e-5 where its row is a thousandth of it.
TEST(Questions, AllowForWhatContactSpeedsMayBeOff) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(2, 2);
  problem.normal_jacobian = Eigen::RowVector2d(0.001, 0.0);
  problem.tangent_jacobian = Eigen::RowVector2d::Zero();
  problem.friction = Eigen::VectorXd::Zero(1);
  problem.pre_impact_velocity = Eigen::Vector2d(-1.0, 3.0);
  problem = validated(problem);
  const Outputs outputs = asked(problem, {"1, 0 < 0", "0, 1 > 3", "A normal < 0"});
  const std::vector<Answer> found = answers(problem, outputs, {}, nullptr, 1e-8);
  EXPECT_NEAR(found[0].tolerance, 1e-5, 1e-7);
  EXPECT_NEAR(found[1].tolerance, 0.0, 1e-8);  // nothing pushes along it
  EXPECT_NEAR(found[2].tolerance, 1e-8, 2e-9);
}

TEST(Questions, OfAnInterruptedRunAreAnsweredByItsNet) {
  Scenario scenario = load_scenario("rocking_block");
  scenario.sampling.trajectories = 4096;
  resolve(scenario);
  const PostImpactSet set = post_impact_set(scenario.problem, scenario.sampling);
  ASSERT_TRUE(set.sought.empty());  // as nothing has sought the ends
  const Outputs outputs = asked(scenario.problem, {"A normal > 0.05", "A normal > 1"});
  const std::vector<Answer> found = answers(scenario.problem, outputs, set, 1e-8);
  EXPECT_EQ(found[0].verdict, Answer::Verdict::yes);
  EXPECT_EQ(found[1].verdict, Answer::Verdict::open);
  EXPECT_GT(found[1].found, 0.05);
}

/// The answers that a document has, as a list of words.
std::vector<std::string> answers_of(const json& document) {
  std::vector<std::string> list;
  for (const json& answer : document.at("answers")) list.push_back(answer.at("answer"));
  return list;
}

// The block's greatest speed of a corner has a closed form: test_outputs.cpp.
const std::vector<std::string> three_questions = {
    "--ask", "A normal > 0.08", "--ask", "A normal > 0.0931", "--ask", "B normal < -0.001"};

std::vector<std::string> with_questions(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), three_questions.begin(), three_questions.end());
  return arguments;
}

TEST_F(CommandLine, AnswersQuestionsBySampleExplorationAndBound) {
  const std::vector<std::string> expected = {"yes", "no", "no"};
  const std::string sample = text_path("s.h5");
  const std::string search = text_path("e.h5");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"sample", "rocking_block", "--trajectories", "4096", "-o", sample},
        {"sample", "rocking_block", "--explore", "--budget", "8000", "-o", search},
        {"bound", "rocking_block"}}) {
    std::vector<std::string> arguments = with_questions(command);
    arguments.emplace_back("--json");
    const ProgramRun told = run(arguments);
    ASSERT_EQ(told.exit_code, 0) << told.err;
    EXPECT_EQ(answers_of(json::parse(told.out)), expected);
  }
  for (const auto& [file, more] :
       {std::pair(sample, std::pair("--trajectories", "5000")), {search, {"--budget", "20000"}}}) {
    const ProgramRun again = run({"resume", file, more.first, more.second, "--json"});
    ASSERT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(answers_of(json::parse(again.out)), expected);
  }
}

TEST_F(CommandLine, TellsAnswersInItsReport) {
  const ProgramRun told =
      run(with_questions({"sample", "rocking_block", "--trajectories", "4096", "--no-comparison"}));
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const std::size_t table = told.out.find("Questions\n");
  ASSERT_NE(table, std::string::npos);
  EXPECT_NE(told.out.find("  A normal > 0.0931      no ", table), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("proved that none has, with any caps", table), std::string::npos);
  EXPECT_EQ(told.out.find("  open: "), std::string::npos);
}

TEST_F(CommandLine, LeavesQuestionsOpenWhereNothingIsProved) {
  for (const std::vector<std::string>& law :
       {std::vector<std::string>{"--law", "plus"}, {"--restitution", "0.5"}}) {
    std::vector<std::string> arguments = {"sample", "rocking_block", "--trajectories", "256",
                                          "--ask",  "A normal > 5",  "--json"};
    arguments.insert(arguments.end(), law.begin(), law.end());
    const ProgramRun told = run(arguments);
    ASSERT_EQ(told.exit_code, 0) << told.err;
    const json document = json::parse(told.out);
    EXPECT_EQ(answers_of(document), std::vector<std::string>{"open"});
    EXPECT_TRUE(document["bound"].is_null());
    EXPECT_TRUE(document["answers"][0]["bound"].is_null());
  }
}

TEST_F(CommandLine, ReadsQuestionsOfAScenario) {
  const std::string text = "system = \"rocking_block\"\n[outputs]\nmatrix = [[0, 0, 1]]\n";
  const std::string scenario = write(
      "s.toml", text + "names = [\"spin\"]\nask = [\"|spin| > 0.05\", \"B tangential > 0.01\"]\n");
  const Scenario read = load_scenario(scenario);
  const Outputs& again = parse_scenario(to_toml(read)).evidence.outputs;
  ASSERT_EQ(again.questions.size(), 2u);
  EXPECT_EQ(again.questions[1].text, "B tangential > 0.01");
  EXPECT_EQ(again.names, read.evidence.outputs.names);
  EXPECT_EQ(again.questions[1].output, 1u);
  const ProgramRun wrong =
      run({"sample", write("w.toml", text + "ask = [\"spin > 1\"]\n"), "--json"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("w.toml:4: what \"spin > 1\" asks about is \"spin\""), std::string::npos)
      << wrong.err;
}

}  // namespace
}  // namespace carom
