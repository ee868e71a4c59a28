#include <gtest/gtest.h>

#include "carom/error.hpp"
#include "carom/scenario.hpp"
#include "tests/support/refusal.hpp"

namespace carom {
namespace {

Scenario with_evidence(const std::string& keys) {
  return parse_scenario("system = \"rocking_block\"\n[evidence]\n" + keys, "s.toml");
}

std::string refused(const std::string& keys) {
  return test::refusal([&] { with_evidence(keys); });
}

TEST(EvidenceKeys, AreReadAndWrittenBack) {
  const Scenario scenario = with_evidence(
      "hold_out = 100\nconfidence = 0.95\nmiss = 1e-3\nmax_trajectories = 5000\n"
      "max_seconds = 1.5\nnet_size = 7\nseek_extremes = 3\nverify_net = true\n"
      "comparison = false\n");
  for (const Scenario& read : {scenario, parse_scenario(to_toml(scenario))}) {
    const EvidenceOptions& evidence = read.evidence;
    EXPECT_EQ(evidence.hold_out, 100u);
    EXPECT_EQ(evidence.confidence, 0.95);
    EXPECT_EQ(evidence.miss, 1e-3);
    EXPECT_EQ(evidence.max_trajectories, 5000u);
    EXPECT_EQ(evidence.max_seconds, 1.5);
    EXPECT_EQ(evidence.net_size, 7u);
    EXPECT_EQ(evidence.seek_extremes, 3);
    EXPECT_TRUE(evidence.verify_net);
    EXPECT_FALSE(evidence.comparison);
  }
}

TEST(EvidenceKeys, MayAllBeLeftOut) {
  const EvidenceOptions defaults;
  for (const std::string& text : {std::string("system = \"rocking_block\"\n"),
                                  std::string("system = \"rocking_block\"\n[evidence]\n")}) {
    const EvidenceOptions evidence = parse_scenario(text).evidence;
    EXPECT_EQ(evidence.hold_out, defaults.hold_out);
    EXPECT_EQ(evidence.confidence, defaults.confidence);
    EXPECT_EQ(evidence.miss, 0.0);
    EXPECT_EQ(evidence.seek_extremes, -1);
    EXPECT_TRUE(evidence.comparison);
  }
}

TEST(EvidenceKeys, NameLineAndRuleWhereTheyAreWrong) {
  EXPECT_EQ(refused("hold_uot = 3\n"),
            "s.toml:3: unknown key \"hold_uot\" in [evidence]; did you mean \"hold_out\"?");
  EXPECT_EQ(refused("seed = 3\n"),
            "s.toml:3: unknown key \"seed\" in [evidence]; it belongs in [sampling]");
  EXPECT_EQ(refused("\nconfidence = 1.5\n"),
            "s.toml:4: confidence is 1.5 (must be >= 0.5 and <= 1 - 1e-09)");
  EXPECT_EQ(refused("verify_net = 1\n").substr(0, 9), "s.toml:3:");
  EXPECT_NE(refused("verify_net = 1\n").find("must be true or false"), std::string::npos);
  EXPECT_NE(refused("hold_out = -1\n").find("hold_out is -1"), std::string::npos);
  EXPECT_NE(refused("miss = 0.1\nhold_out = 0\n").find("hold_out is 0 (must be > 0 where miss"),
            std::string::npos);
}

}  // namespace
}  // namespace carom
