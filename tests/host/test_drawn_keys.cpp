#include <gtest/gtest.h>

#include "carom/carom.hpp"
#include "carom/law_sets.hpp"
#include "host/laws/law_list.hpp"
#include "host/result/same_run.hpp"
#include "tests/support/refusal.hpp"

namespace carom {
namespace {

const std::string head = "system = \"rocking_block\"\n[law]\nname = \"plus\"\n";

const law::Plus& plus_of(const Scenario& scenario) {
  return std::get<law::Plus>(scenario.sampling.law);
}

TEST(DrawnKeys, AreDistributionsInTheLaw) {
  const Scenario scenario =
      parse_scenario(head +
                         "theta_max = {min = 0.1, max = 0.2}\nmu = {mean = 0.3, deviation = 1e-1}\n"
                         "mu_static = [0.5, {max = 0.9, min = 0.25}]\n",
                     "s.toml");
  const law::Plus& law = plus_of(scenario);
  EXPECT_EQ(law.theta_max, Uncertain::even(0.1, 0.2));
  EXPECT_EQ(law.mu, std::vector<Uncertain>{Uncertain::normal(0.3, 0.1)});
  EXPECT_EQ(law.mu_static, (std::vector<Uncertain>{0.5, Uncertain::even(0.25, 0.9)}));
  EXPECT_EQ(scenario.problem.friction, Eigen::Vector2d(0.3, 0.3));  // on average
  const Scenario again = parse_scenario(to_toml(scenario), "again");
  EXPECT_EQ(law_options(again.sampling.law), law_options(scenario.sampling.law));
  EXPECT_EQ(law_words(law, ""),
            "law plus, v_capture 0.01, v_plastic 0.1, v_transition 0.1, theta_max {min = 0.1, max "
            "= 0.2}, mu_static 0.5,{min = 0.25, max = 0.9}, mu {mean = 0.3, deviation = 0.1}, "
            "max_rounds 1000, backtrack false");
}

TEST(DrawnKeys, AreDistributionsInTheProblem) {
  const Scenario scenario =
      parse_scenario(head +
                         "[problem]\nfriction = [0.2, {min = 0.4, max = 0.6}]\n"
                         "restitution = {mean = 0.5, deviation = 0.1}\n"
                         "pre_impact_velocity = [0.0, {mean = -1.0, deviation = 0.1}, 0.5]\n",
                     "s.toml");
  const law::Plus& law = plus_of(scenario);
  EXPECT_EQ(law.mu, (std::vector<Uncertain>{0.2, Uncertain::even(0.4, 0.6)}));
  EXPECT_EQ(law.e_min, std::vector<Uncertain>{Uncertain::normal(0.5, 0.1)});
  EXPECT_EQ(law.v_before, (std::vector<Uncertain>{0.0, Uncertain::normal(-1.0, 0.1), 0.5}));
  EXPECT_EQ(scenario.problem.friction, Eigen::Vector2d(0.2, 0.5));
  EXPECT_EQ(scenario.problem.restitution, Eigen::Vector2d(0.5, 0.5));
  EXPECT_EQ(scenario.problem.pre_impact_velocity, Eigen::Vector3d(0.0, -1.0, 0.5));
  const Scenario again = parse_scenario(to_toml(scenario), "again");
  EXPECT_EQ(law_options(again.sampling.law), law_options(scenario.sampling.law));
  EXPECT_EQ(again.problem.friction, scenario.problem.friction);
}

TEST(DrawnKeys, AreRefusedByLawsThatDrawNothingOfThem) {
  EXPECT_EQ(
      test::text_refusal("system = \"rocking_block\"\n[problem]\nfriction = {min = 0.4, max = "
                         "0.6}\n"),
      "s.toml:3: friction is a distribution (must be numbers with the [law] of the "
      "scenario, set_valued, which draws none; a family of problems varies them with any law)");
  EXPECT_EQ(
      test::text_refusal("system = \"rocking_block\"\n[law]\nv_capture = {min = 0.1, max = 0.2}\n"),
      "s.toml:3: v_capture is a distribution (must be a value: law set_valued does not draw "
      "it; a family of problems may vary it)");
  Scenario drawn = parse_scenario(head + "theta_max = {min = 0.1, max = 0.2}\n", "s.toml");
  try {
    set_option(drawn, "law", "simultaneous", "--law");
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--law is simultaneous (must be plus, of which the scenario draws theta_max; with "
                 "other laws a family of problems may vary it)");
  }
  EXPECT_THROW(sets_of_laws(drawn.problem, drawn.sampling, {}), InputError);
}

TEST(DrawnKeys, SayWhatIsWrong) {
  EXPECT_EQ(test::text_refusal(head + "theta_max = {min = 0.1}\n"),
            "s.toml:4: theta_max is a table (must be a number, {min = ..., max = ...} or {mean = "
            "..., deviation = ...})");
  EXPECT_EQ(test::text_refusal(head + "theta_max = {low = 0.1, high = 0.2}\n"),
            "s.toml:4: theta_max is {high = 0.2, low = 0.1} (must be a number, {min = ..., max = "
            "...} or {mean = ..., deviation = ...})");
  EXPECT_EQ(test::text_refusal(head + "theta_max = {min = 0.1, max = 2}\n"),
            "s.toml:4: theta_max.max is 2 (must be > 0 and below pi / 2, in rad)");
  EXPECT_EQ(test::text_refusal(head + "max_rounds = {min = 1, max = 2}\n"),
            "s.toml:4: max_rounds is a distribution (must be a value: law plus does not draw it; a "
            "family of problems may vary it)");
  EXPECT_EQ(test::text_refusal(head + "mu = 0.3\n[problem]\nfriction = {min = 0.1, max = 0.2}\n"),
            "s.toml:6: friction is a distribution, and [law] replaces it (must be in one of [law] "
            "and [problem])");
  EXPECT_EQ(test::text_refusal(head + "[problem]\nrestitution = {min = 0.6, max = 0.2}\n"),
            "s.toml:5: restitution.min is 0.6 (must be <= max = 0.2)");
  EXPECT_EQ(test::text_refusal(head + "[problem]\nfriction = [0.1, {min = -0.1, max = 0.2}]\n"),
            "s.toml:5: friction.min is -0.1 (must be >= 0 and at most 100000000)");
}

TEST(DrawnKeys, AreTextsAsTomlOrPythonWritesThem) {
  Law law = law::Plus{};
  const auto& plus = std::get<law::Plus>(law);
  for (const char* text : {"{min = 0.1, max = 0.2}", "{'max': 0.2, 'min': 0.1}"}) {
    set_law_option(law, "theta_max", "0.5", "theta_max");
    set_law_option(law, "theta_max", text, "theta_max");
    EXPECT_EQ(plus.theta_max, Uncertain::even(0.1, 0.2));
  }
  set_law_option(law, "v_before", "[1, {'mean': 0.1, 'deviation': 0.2}, -3]", "v_before");
  EXPECT_EQ(plus.v_before, (std::vector<Uncertain>{1.0, Uncertain::normal(0.1, 0.2), -3.0}));
}

TEST(DrawnKeys, BelongToTheRun) {
  const std::string text = head + "theta_max = {min = 0.1, max = 0.2}\n";
  const Scenario scenario = parse_scenario(text, "s.toml");
  EXPECT_TRUE(same_run(scenario, parse_scenario(text, "s.toml")));
  EXPECT_FALSE(same_run(scenario, parse_scenario(head + "theta_max = 0.1\n", "s.toml")));
  EXPECT_FALSE(
      same_run(scenario, parse_scenario(head + "theta_max = {min = 0.1, max = 0.3}\n", "s.toml")));
}

}  // namespace
}  // namespace carom
