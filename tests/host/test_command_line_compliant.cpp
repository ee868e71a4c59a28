#include <cmath>

#include "carom/roll_io.hpp"
#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

using nlohmann::json;

constexpr const char* landing = CAROM_SOURCE_DIR "/scenarios/landing.toml";

TEST_F(CommandLine, MovesSystemsWhoseContactsGiveWay) {
  const json found = run_json({"roll", landing, "--rollouts", "50"});
  EXPECT_EQ(found["status"]["done"], 50);
  EXPECT_EQ(found["coordinates"], json({"z", "angle"}));
  EXPECT_GE(found["impacts"]["mean"], 4.0);
  EXPECT_EQ(found["answers"][0]["rollouts"], 50);
  EXPECT_EQ(found["roll"]["contact"], "compliant");
  EXPECT_EQ(found["tube"]["nets"].size(), 21u);
  ASSERT_EQ(found["notes"].size(), 1u);  // 25 rollouts are few for a net
  EXPECT_EQ(found["notes"][0]["code"], "net_misses");
  const ProgramRun text = run({"roll", landing, "--rollouts", "5", "--crossing", "safe"});
  EXPECT_NE(text.out.find("compliant, crossing safe, seed 1"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("angle, deg"), std::string::npos);
}

TEST_F(CommandLine, CompliantRolloutsAreAFileThatGrows) {
  const std::string grown = text_path("grown.h5");
  const std::string whole = text_path("whole.h5");
  const auto rolled = [&](const std::string& file, const char* rollouts) {
    run_json({"roll", landing, "--derivative", "--rollouts", rollouts, "-o", file});
  };
  rolled(grown, "20");
  rolled(whole, "50");
  run_json({"resume", grown, "--rollouts", "50"});
  const RollResult one = read_rollouts(grown);
  EXPECT_EQ(one.rollouts.derivative.size(), 50u * 16u);
  EXPECT_EQ(one.rollouts.derivative, read_rollouts(whole).rollouts.derivative);
  EXPECT_TRUE(read_text(grown) == read_text(whole));
}

TEST_F(CommandLine, ARolloutThatGrazesHasItsStatusAndNoDerivative) {
  const std::string file = text_path("graze.h5");
  const std::string scenario = write("graze.toml", R"(
system = "springs"
[problem]
mass_matrix = [[1.0]]
force = [-10.0]
normal_jacobian = [[-1.0]]
gap_offset = [5.0]
contact_stiffness = 100.0
[start]
velocity = [10.0]
[roll]
duration = 2.0
derivative = true
rollouts = 1
graze_speed = 1e-3
)");
  const ProgramRun told = run({"roll", scenario, "-o", file});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  const RollResult found = read_rollouts(file);
  // The top of the flight is at the guard: rounding decides whether it is met.
  ASSERT_TRUE(found.rollouts.status[0] == RolloutStatus::graze || found.rollouts.impacts[0] == 0u);
  EXPECT_NEAR(found.rollouts.position.back(), 0.0, 1e-9);
  if (found.rollouts.status[0] == RolloutStatus::graze) {
    EXPECT_TRUE(std::isnan(found.rollouts.derivative[0]));
  }
}

TEST_F(CommandLine, CompliantRollingRefusesBadInput) {
  const std::string good = read_text(landing);
  const auto with = [&](const char* before, const char* after) {
    std::string text = good;
    text.replace(text.find(before), std::string(before).size(), after);
    return run({"roll", write("bad.toml", text)});
  };
  expect_bad_input(with("[200.0, 200.0]", "[200.0, -200.0]"),
                   "bad.toml:10: contact_stiffness contains -200 (must be >= 0)");
  expect_bad_input(with("[[1.0, -1.0], [1.0, 1.0]]", "[[1.0, -1.0], [0.0, 0.0]]"),
                   "row 2 of normal_jacobian is 0");
  expect_bad_input(with("step = 2e-3", "step = 0.0"), "step");
  expect_bad_input(with("contact = \"compliant\"", "contact = \"rigid\""), "contact is rigid");
  expect_bad_input(with("contact_damping", "contact_dampin"), "did you mean \"contact_damping\"");
  expect_bad_input(with("high = [3.0, 0.1]", "high = [3.0]"),
                   "position has 1 numbers (must have 2)");
  expect_bad_input(with("high = [3.0, 0.1]", "high = [1.0, 0.1]"), "must not decrease");
  expect_bad_input(with("crossing = \"fast\"", "crossing = \"fats\""), "crossing");
  expect_bad_input(with("force = ", "forces = "), "force is missing");
  expect_bad_input(with("gap_offset", "highest = [2.0, -1.0]\nlowest = [0.0, 1.0]\ngap_offset"),
                   "bad.toml:9: highest is -1 (must be above lowest, 1) for angle");
  expect_bad_input(run({"sample", landing}), "whose contacts give way");
  expect_bad_input(run({"roll", "rocking_block", "--contact", "compliant"}),
                   "contact is compliant (must be rigid");
  expect_bad_input(run({"roll", "rocking_block", "--derivative"}), "derivative is true");
  const std::string table = read_text(CAROM_SOURCE_DIR "/scenarios/order_test.toml");
  const auto without = [&](const std::string& part) {
    std::string text = table;
    text.erase(text.find(part), part.size());
    return run({"roll", write("bad.toml", text)});
  };
  expect_bad_input(without("bits = \"011\"\n"), "bits is missing");
  expect_bad_input(run({"roll", CAROM_SOURCE_DIR "/scenarios/order_test.toml", "--law", "plus"}),
                   "--law is plus (must be left out of contacts that give way)");
  expect_bad_input(run({"roll", CAROM_SOURCE_DIR "/scenarios/order_test.toml", "--tube-time", "1"}),
                   "tube_time is 1 (must be 0");
}

}  // namespace
}  // namespace carom
