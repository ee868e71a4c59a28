#include <fmt/format.h>

#include "carom/roll_io.hpp"
#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

using nlohmann::json;

constexpr const char* drop = R"(
system = "planar"
[world]
gravity = 9.81
friction = 0.5
[[body]]
name = "box"
size = [0.4, 0.2]
mass = 2.0
position = [0.1, 0.3]
[[body]]
radius = 0.1
mass = 1.0
position = [0.1, 0.6, 0.2]
velocity = [0.1, 0.0, 1.0]
[[floor]]
name = "floor"
friction = 0.3
)";

TEST_F(CommandLine, RollsAndAnswers) {
  const json found = run_json({"roll", "rocking_block", "--rollouts", "50", "--duration", "0.3",
                               "--ask", "impacts > 0", "--ask", "|angle| > 30 deg by 0.3 s"});
  EXPECT_EQ(found["rollouts"], 50);
  EXPECT_EQ(found["status"]["at_rest"], 50);
  EXPECT_EQ(found["time"].size(), 21u);
  EXPECT_EQ(found["position"].size(), 21u);
  EXPECT_EQ(found["position"][0].size(), 3u);
  EXPECT_EQ(found["position"][0][0].size(), 5u);
  EXPECT_EQ(found["answers"][0]["yes"], 50);
  EXPECT_EQ(found["answers"][1]["yes"], 0);
  EXPECT_LT(found["answers"][1]["interval"][1], 0.1);
  EXPECT_EQ(found["notes"][0]["code"], "cover_solutions");
  EXPECT_EQ(found["roll"]["duration"], 0.3);
  EXPECT_EQ(found["roll"]["times"], "auto");
  EXPECT_EQ(found["roll"]["derivative"], false);
  EXPECT_EQ(found["roll"]["step"], 1e-3);
  EXPECT_EQ(found["roll"]["step_asked"], "auto");
  EXPECT_EQ(found["roll"]["impact_speed"], 5e-4);
  EXPECT_EQ(found["restitution"], 0.0);
}

/// One step may not be enough for an impact of two contacts.
TEST_F(CommandLine, RolloutsOfWhichNoneEndsAreNoNumbers) {
  const std::vector<std::string> rolling{"roll",       "rocking_block", "--rollouts", "1",
                                         "--duration", "0.2",           "--law",      "sequential",
                                         "--ask",      "impacts > 0",   "--max-steps"};
  const auto with_steps = [&](const char* steps) {
    std::vector<std::string> arguments = rolling;
    arguments.emplace_back(steps);
    return arguments;
  };
  EXPECT_EQ(run(with_steps("100")).exit_code, 0);
  const auto none = run(with_steps("1"));
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.out, testing::HasSubstr("No rollout came to its end"));
  std::vector<std::string> as_json = with_steps("1");
  as_json.emplace_back("--json");
  const json found = json::parse(run(as_json).out);
  EXPECT_EQ(found["position"][0][0][0], nullptr);
  EXPECT_EQ(found["impacts"]["mean"], nullptr);
  EXPECT_EQ(found["answers"][0]["open"], 1);
  EXPECT_EQ(found["answers"][0]["rollouts"], 1);
  EXPECT_EQ(found["answers"][0]["interval"][0], 0.0);
}

TEST_F(CommandLine, RolloutsAreAFileThatGrows) {
  const std::string scenario = write("drop.toml", drop);
  const std::string file = text_path("drop.h5");
  const std::string whole = text_path("whole.h5");
  const auto roll = [&](const char* rollouts, const std::string& output) {
    run_json({"roll", scenario, "--rollouts", rollouts, "--duration", "0.5", "-o", output});
  };
  roll("20", file);
  roll("50", whole);
  run_json({"resume", file, "--rollouts", "50"});
  const RollResult one = read_rollouts(file);
  const RollResult other = read_rollouts(whole);
  EXPECT_EQ(one.rollouts.size(), 50u);
  EXPECT_EQ(one.rollouts.position, other.rollouts.position);
  EXPECT_EQ(one.rollouts.event_time, other.rollouts.event_time);
  EXPECT_EQ(to_toml(one.scenario), to_toml(other.scenario));
  EXPECT_EQ(read_text(file), read_text(whole));
  expect_bad_input(run({"resume", file, "--rollouts", "50"}), "must be above the 50");
  expect_bad_input(run({"resume", file, "--trajectories", "99"}), "--trajectories");
}

TEST_F(CommandLine, ResumedRolloutsOfAPapersSystemKeepTheirOwnImpulseStep) {
  const auto rolled = [&](const char* name, const char* rollouts) {
    const std::string file = text_path(name);
    run_json({"roll", "rocking_block", "--duration", "0.05", "--step", "5e-3", "--rollouts",
              rollouts, "-o", file});
    return file;
  };
  const std::string whole = rolled("whole.h5", "30");
  const std::string grown = rolled("grown.h5", "10");
  for (const char* rollouts : {"20", "30"}) run_json({"resume", grown, "--rollouts", rollouts});
  EXPECT_EQ(read_rollouts(grown).rollouts.first_velocity,
            read_rollouts(whole).rollouts.first_velocity);
  EXPECT_EQ(to_toml(read_rollouts(grown).scenario), to_toml(read_rollouts(whole).scenario));
}

TEST_F(CommandLine, DamagedRolloutsAreTold) {
  const std::string file = text_path("drop.h5");
  run_json({"roll", write("drop.toml", drop), "--rollouts", "20", "--duration", "0.1", "-o", file});
  std::string bytes = read_text(file);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(file, std::ios::binary) << bytes;
  expect_bad_input(run({"resume", file, "--rollouts", "50"}), "damaged");
}

TEST_F(CommandLine, AWorldsScenarioIsWrittenAsItWasRead) {
  const Scenario scenario = parse_scenario(drop);
  const Scenario again = parse_scenario(to_toml(scenario));
  EXPECT_EQ(to_toml(again), to_toml(scenario));
  EXPECT_EQ(again.problem.pre_impact_velocity, scenario.problem.pre_impact_velocity);
  EXPECT_EQ(std::get<PlanarWorld>(*again.world).bodies[1].name, "body 2");
}

TEST_F(CommandLine, OtherCommandsTakeTheFirstImpactOfAWorld) {
  const json found = run_json({"sample", write("drop.toml", drop), "--trajectories", "100"});
  EXPECT_EQ(found["contacts"].size(), 2u);
}

TEST_F(CommandLine, BodiesInSpaceHaveFilesSetsAndReports) {
  const std::string scenario = CAROM_SOURCE_DIR "/scenarios/tossed_brick.toml";
  const std::string file = text_path("brick.h5");
  const auto roll = [&](const char* rollouts, const std::string& output) {
    return run_json({"roll", scenario, "--rollouts", rollouts, "--tube-time", "0.1", "--ask",
                     "z > 0.1 m by 0.1 s", "--ask", "|qw| > 0.5 at 0.2 s", "--duration", "0.25",
                     "-o", output});
  };
  const json found = roll("10", file);
  EXPECT_EQ(found["coordinates"].size(), 7u);
  EXPECT_EQ(found["velocity"][0].size(), 6u);
  EXPECT_EQ(found["tube"]["nets"].size(), found["time"].size());
  EXPECT_EQ(found["answers"][0]["yes"], 10);
  roll("20", text_path("whole.h5"));
  run_json({"resume", file, "--rollouts", "20"});
  EXPECT_EQ(read_text(file), read_text(text_path("whole.h5")));
  EXPECT_EQ(run_json({"sample", scenario, "--trajectories", "100"})["contacts"].size(), 1u);
  expect_bad_input(run({"roll", scenario, "--ask", "tilt > 1 at 1 s"}), "ask has");
}

/// Only rolling takes a motion without an impact.
TEST_F(CommandLine, MotionsWithoutAnImpactRoll) {
  const std::string scenario = write("slide.toml", R"(system = "planar"
    [world]
    friction = 0.5
    [[body]]
    mass = 1.0
    size = [0.4, 0.2]
    position = [0.0, 0.1]
    velocity = [1.0, 0.0]
    [[floor]]
    [problem]
    restitution = 0.3
    [roll]
    rollouts = 2
  )");
  const std::string file = text_path("slide.h5");
  const json found = run_json({"roll", scenario, "-o", file});
  EXPECT_NEAR(found["position"].back()[0][2], 1.0 / (2.0 * 0.5 * 9.81), 1e-3) << "m, to rest";
  EXPECT_EQ(found["notes"][0]["code"], "no_impacts");
  EXPECT_EQ(found["restitution"], 0.3);
  EXPECT_THAT(run({"roll", scenario, "--restitution", "0.8"}).out,
              testing::HasSubstr(", restitution 0.8, "));
  const Scenario kept = read_rollouts(file).scenario;
  EXPECT_EQ(kept.problem.contacts(), 0);
  EXPECT_EQ(kept.problem.restitution(0), 0.3);
  EXPECT_EQ(to_toml(parse_scenario(to_toml(kept))), to_toml(kept));
  run_json({"resume", file, "--rollouts", "4"});
  for (const char* command : {"sample", "describe", "laws"}) {
    expect_bad_input(run({command, scenario}), "slide.toml:1: no contact approaches within 60 s");
  }
}

TEST_F(CommandLine, RollingRefusesBadInput) {
  const auto with = [&](const char* before, const char* after) {
    std::string text = drop;
    text.replace(text.find(before), std::string(before).size(), after);
    return run({"roll", write("bad.toml", text)});
  };
  expect_bad_input(run({"roll", CAROM_SOURCE_DIR "/scenarios/matrices_example.toml"}),
                   "only the impact");
  expect_bad_input(run({"roll", "rocking_block", "--step", "0"}), "--step");
  expect_bad_input(run({"roll", "rocking_block", "--times", "-1"}), "--times");
  expect_bad_input(run({"roll", "rocking_block", "--ask", "angle > 1"}), "ask has");
  expect_bad_input(run({"roll", "rocking_block", "--law", "propagative"}), "friction");
  expect_bad_input(run({"roll", "rocking_block", "--caps", "weighted:1,2"}), "weighted");
  expect_bad_input(run({"roll", "rocking_block", "--force"}), "--output");
  expect_bad_input(run({"sample", "rocking_block", "--duration", "1"}), "--duration");
  expect_bad_input(with("size = [0.4, 0.2]", ""), "size, radius, corners and points");
  expect_bad_input(with("size = [0.4, 0.2]", "size = [0.4, -0.2]"),
                   "size contains -0.2 (must be > 0");
  expect_bad_input(with("mass = 2.0", "mass = 0.0"), "mass");
  expect_bad_input(with("mass = 2.0", "mas = 2.0"), "did you mean \"mass\"");
  expect_bad_input(with("[[floor]]", "[floor]"), "[[floor]]");
  std::string sole;
  for (int i = 0; i < 25; ++i) sole += fmt::format("{}[{}, -0.1]", i == 0 ? "" : ", ", 0.01 * i);
  const std::string flat = "inertia = 0.1\npoints = [" + sole + "]";
  expect_bad_input(with("size = [0.4, 0.2]", flat.c_str()), "more contacts at a time than an LCP");
  expect_bad_input(with("position = [0.1, 0.3]", "position = [0.1, 0.05]"), "must have a gap");
  expect_bad_input(with("[world]", "[problem]\nmass_matrix = [[1]]\n[world]"), "mass_matrix");
  expect_bad_input(with("system = \"planar\"", "system = \"rocking_block\""), "[world]");
  expect_bad_input(with("mass = 2.0", "mass = 2.0\nfriction = 0.1"),
                   "bad.toml:10: unknown key \"friction\" in [[body]]; it belongs in [world]");
  const auto after_floor = [&](const char* rest) {
    return with("friction = 0.3\n", (std::string("friction = 0.3\n") + rest).c_str());
  };
  expect_bad_input(after_floor("[roll]\nask = [\"bx.x > 1 m at 1 s\"]"),
                   "bad.toml:20: ask has \"bx.x > 1 m at 1 s\", which is about bx.x");
  expect_bad_input(after_floor("[roll]\nask = [\"x > 1 m at 1 s\"]"), "did you mean \"box.x\"?");
  expect_bad_input(after_floor("[roll]\nask = [\"box.x >= 1 m at 1 s\"]"), "must be > or <");
  expect_bad_input(after_floor("[start.position]\n\"box.z\" = 1.0"),
                   "bad.toml:19: start has box.z (must be one of box.x");
  expect_bad_input(after_floor("[start.velocity]\n\"box.x\" = {min = 2.0, max = 1.0}"),
                   "bad.toml:19: start of box.x is from 2 to 1");
  // A time beyond the duration of the file may be within the one that is asked for.
  const std::string late = "[roll]\nduration = 0.1\nask = [\"box.x > 1 m at 0.2 s\"]";
  expect_bad_input(after_floor(late.c_str()), "not from 0 to the duration");
  const json found =
      run_json({"roll", write("late.toml", drop + late), "--duration", "0.2", "--rollouts", "2"});
  EXPECT_EQ(found["answers"][0]["rollouts"], 2);
}

}  // namespace
}  // namespace carom
