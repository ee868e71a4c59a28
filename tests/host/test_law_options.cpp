#include <gtest/gtest.h>

#include "carom/carom.hpp"
#include "host/laws/law_list.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

TEST(LawKeys, AreReadFromTheirTableAndFromSampling) {
  const auto law_of = [](const std::string& text) {
    return parse_scenario("system = \"rocking_block\"\n" + text, "s.toml").sampling.law;
  };
  EXPECT_STREQ(law_name(law_of("")), "set_valued");
  EXPECT_STREQ(law_name(law_of("[law]\nname = \"sequential\"\n")), "sequential");
  const std::vector<std::pair<std::string, std::string>> options{
      {"caps", "simplex"}, {"solutions", "all"}, {"v_capture", "0"}};
  EXPECT_EQ(law_options(law_of("[law]\ncaps = \"simplex\"\nsolutions = \"all\"\n")), options);
  EXPECT_EQ(law_options(law_of("[sampling]\ncaps = \"simplex\"\nsolutions = \"all\"\n")), options);
  EXPECT_EQ(law_options(law_of("[law]\ncaps = \"simplex\"\n[sampling]\nsolutions = \"all\"\n")),
            options);
}

TEST(LawKeys, MayBeNumbers) {
  const Law law =
      parse_scenario("system = \"rocking_block\"\n[law]\nv_capture = 0.25\n").sampling.law;
  EXPECT_EQ(std::get<law::SetValued>(law).v_capture, 0.25);
  EXPECT_EQ(test::text_refusal("system = \"rocking_block\"\n[law]\nv_capture = \"fast\"\n"),
            "s.toml:3: v_capture is \"fast\" (must be a number)");
  EXPECT_EQ(test::text_refusal("system = \"rocking_block\"\n[law]\nv_capture = -1\n"),
            "s.toml:3: v_capture is -1 (must be >= 0 and finite, in m/s)");
}

TEST(LawKeys, ThatAreWrongAreToldWithLineAndRule) {
  const std::string head = "system = \"rocking_block\"\n";
  EXPECT_EQ(test::text_refusal(head + "[law]\nname = \"sequentail\"\n"),
            "s.toml:3: law is \"sequentail\" (must be one of set_valued, simultaneous, "
            "sequential, propagative, plus); did you mean \"sequential\"?");
  EXPECT_EQ(
      test::text_refusal(head + "[law]\ncaps = \"simplex\"\n[sampling]\ncaps = \"uniform\"\n"),
      "s.toml:5: caps is in [law], too (must be in one of [law] and [sampling])");
  EXPECT_EQ(
      test::text_refusal(head + "[law]\nname = \"sequential\"\n[sampling]\ncaps = \"uniform\"\n"),
      "s.toml:5: caps is not an option of law sequential (it is one of law set_valued)");
  EXPECT_EQ(test::text_refusal(head + "[law]\nsolutions = \"some\"\n"),
            "s.toml:3: solutions is \"some\" (must be auto, first, cover, all or table)");
}

TEST(LawKeys, MayBeLists) {
  const std::string head = "system = \"rocking_block\"\n[law]\nname = \"plus\"\n";
  const Scenario scenario = parse_scenario(
      head +
          "theta_max = 0.15\nv_plastic = 1\nmu_static = [0.25, 0.5]\nmax_rounds = 7\n"
          "backtrack = true\n",
      "s.toml");
  const auto& law = std::get<law::Plus>(scenario.sampling.law);
  EXPECT_EQ(law.theta_max, 0.15);
  EXPECT_EQ(law.v_plastic, 1.0);
  EXPECT_EQ(law.mu_static, (std::vector<Uncertain>{0.25, 0.5}));
  EXPECT_EQ(law.max_rounds, 7);
  EXPECT_TRUE(law.backtrack);
  const Scenario again = parse_scenario(to_toml(scenario), "again");
  EXPECT_EQ(law_options(again.sampling.law), law_options(scenario.sampling.law));
  Law other = law::Plus{};
  for (const char* text : {"0.25,0.5", "[0.25, 0.5]"}) {
    set_law_option(other, "mu_static", text, "mu_static");
    EXPECT_EQ(std::get<law::Plus>(other).mu_static, law.mu_static);
  }
  set_law_option(other, "mu_static", "auto", "mu_static");
  EXPECT_TRUE(std::get<law::Plus>(other).mu_static.empty());
  EXPECT_EQ(test::text_refusal(head + "mu_static = [0.25, \"half\"]\n"),
            "s.toml:4: an entry of mu_static is \"half\", a string (must be a number)");
  EXPECT_EQ(test::text_refusal(head + "backtrack = 1\n"),
            "s.toml:4: backtrack is 1, an integer (must be true or false)");
  EXPECT_EQ(test::text_refusal(head + "theta_max = \"wide\"\n"),
            "s.toml:4: theta_max is \"wide\" "
            "(must be a number)");
}

TEST(LawKeys, AreWrittenAsTheyWereRead) {
  for (const Law& law : all_laws()) {
    Scenario scenario = load_scenario("compass_gait");
    scenario.problem.friction.setZero();  // all laws can take it
    scenario.sampling.law = law;
    resolve(scenario);
    const Scenario again = parse_scenario(to_toml(scenario), "again");
    EXPECT_STREQ(law_name(again.sampling.law), law_name(law));
    EXPECT_EQ(law_options(again.sampling.law), law_options(scenario.sampling.law));
  }
}

using LawCommands = CommandLine;

TEST_F(LawCommands, SampleWithReportsJsonAndFilesOfTheLaw) {
  const ProgramRun sampled =
      run({"sample", "compass_gait", "--law", "sequential", "--max-steps", "100", "--trajectories",
           "2000", "-o", text_path("r.h5"), "--json"});
  ASSERT_EQ(sampled.exit_code, 0) << sampled.err;
  const auto json = nlohmann::json::parse(sampled.out);
  EXPECT_EQ(json.at("law"), nlohmann::json({{"name", "sequential"}}));
  EXPECT_FALSE(json.at("sampling").contains("caps"));
  const std::string sentence = json.at("evidence").at("certificate").at("sentence");
  EXPECT_NE(sentence.find("(law sequential, N = 100)"), std::string::npos) << sentence;
  const Result result = read_result(path("r.h5"));
  EXPECT_STREQ(law_name(result.scenario.sampling.law), "sequential");
  ASSERT_TRUE(result.set.certificate);
  EXPECT_STREQ(law_name(result.set.certificate->law), "sequential");
  // Longer by `resume` is as long from the start.
  ASSERT_EQ(run({"resume", text_path("r.h5"), "--trajectories", "3000"}).exit_code, 0);
  const ProgramRun whole = run({"sample", "compass_gait", "--law", "sequential", "--max-steps",
                                "100", "--trajectories", "3000", "-o", text_path("w.h5")});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  test::expect_same_bits(read_samples(path("r.h5"), 0, 3000), read_samples(path("w.h5"), 0, 3000));
}

TEST_F(LawCommands, TellWhatDoesNotBelongToTheLaw) {
  const ProgramRun caps =
      run({"sample", "compass_gait", "--law", "sequential", "--caps", "simplex"});
  EXPECT_EQ(caps.exit_code, 2);
  EXPECT_NE(caps.err.find("--caps is not an option of law sequential (it is one of law "
                          "set_valued)"),
            std::string::npos)
      << caps.err;
  const ProgramRun extremes =
      run({"sample", "compass_gait", "--law", "sequential", "--seek-extremes", "2"});
  EXPECT_EQ(extremes.exit_code, 2);
  EXPECT_NE(extremes.err.find("--seek-extremes is 2 (must be off with law sequential"),
            std::string::npos)
      << extremes.err;
  const ProgramRun angle = run({"sample", "compass_gait", "--law", "plus", "--theta-max", "2"});
  EXPECT_EQ(angle.exit_code, 2);
  EXPECT_NE(angle.err.find("--theta-max is 2 (must be > 0 and below pi / 2, in rad)"),
            std::string::npos)
      << angle.err;
  const ProgramRun unknown = run({"sample", "compass_gait", "--law", "set-valued"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("--law is \"set-valued\""), std::string::npos) << unknown.err;
}

}  // namespace
}  // namespace carom
