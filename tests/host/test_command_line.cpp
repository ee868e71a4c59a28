#include <sys/stat.h>

#include <iomanip>
#include <sstream>

#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST_F(CommandLine, TellsItsVersionAndHelpInEveryCommand) {
  for (const char* command :
       {"sample", "resume", "step", "solutions", "describe", "systems", "plot"}) {
    const ProgramRun help = run({command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.out.find("Exit codes"), std::string::npos) << command;
    const ProgramRun version = run({command, "--version"});
    EXPECT_EQ(version.exit_code, 0);
    EXPECT_EQ(version.out.rfind("carom ", 0), 0U) << version.out;
  }
}

TEST_F(CommandLine, EndsEachHelpWithAnExampleThatRuns) {
  for (const char* command : {"describe", "step", "solutions", "systems", "outcomes", "bound",
                              "derivative", "laws", "sample"}) {
    const std::string help = run({command, "--help"}).out;
    const std::string_view start = "Example: carom ";
    ASSERT_NE(help.rfind(start), std::string::npos) << command;
    std::istringstream words(help.substr(help.rfind(start) + start.size()));
    std::vector<std::string> arguments;
    for (std::string word; words >> std::quoted(word);) {
      arguments.push_back(word.ends_with(".h5") ? path(word).string() : word);
    }
    EXPECT_EQ(arguments.front(), command);
    EXPECT_EQ(run(arguments).exit_code, 0) << help;
  }
}

TEST_F(CommandLine, WithoutACommandPrintsHelpAndExitsWith2) {
  const ProgramRun outcome = run({});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("sample"), std::string::npos);
}

TEST_F(CommandLine, NamesTheNearestFlagCommandAndSystem) {
  expect_bad_input(run({"sample", "rocking_block", "--epsilom", "0.1"}), "\"--epsilon\"");
  expect_bad_input(run({"smaple", "rocking_block"}), "\"sample\"");
  expect_bad_input(run({"sample", "rocking_block", "--seed", "1", "--seed", "2"}),
                   "--seed is given more than once (must be once)");
  const std::string point = write("point.toml",
                                  "system = \"matrices\"\n[problem]\nmass_matrix = [[1]]\n"
                                  "normal_jacobian = [[1]]\npre_impact_velocity = [-1]\n");
  expect_bad_input(run({"sample", point, "--impulse-step", "1e-300"}),
                   "impulse_step is 1e-300 (must be larger");
  expect_bad_input(run({"sample", "rocking_blok"}), "\"rocking_block\"");
  expect_bad_input(run({"smaple", "--help"}), "\"sample\"");
  expect_bad_input(run({"explore", "rocking_block"}), "--explore is an option of carom sample");
  EXPECT_EQ(run({"sample", "--help"}).exit_code, 0);
}

TEST_F(CommandLine, FlagsOfTheFileNeedAFile) {
  const auto sample = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"sample", "rocking_block", "--trajectories", "100"});
    return run(flags);
  };
  for (const char* flag : {"--samples", "--paths", "--shard-rows", "--checkpoint"}) {
    expect_bad_input(sample({flag, "10"}), std::string(flag) + " is given (must be with --output)");
  }
  expect_bad_input(sample({"--force"}), "--force is given (must be with --output)");
  EXPECT_EQ(sample({"--samples", "none", "--paths", "0"}).exit_code, 0);
}

TEST_F(CommandLine, APipeIsNoResultFile) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (const char* force : {"--quiet", "--force"}) {
    expect_bad_input(run({"sample", "rocking_block", "-o", text_path("pipe"), force}),
                     "pipe (must be a file, not a device)");
  }
  expect_bad_input(run({"resume", text_path("pipe")}),
                   "pipe is no file (must be a result of carom sample)");
}

TEST_F(CommandLine, NamesTheFlagAndTheRuleItBreaks) {
  const auto sample = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"sample", "rocking_block"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return run(arguments);
  };
  expect_bad_input(sample({"--epsilon", "0"}), "--epsilon is 0 (must be > 0");
  expect_bad_input(sample({"--epsilon", "nan"}), "--epsilon is nan (must be finite)");
  expect_bad_input(sample({"--epsilon", "small"}), "--epsilon is \"small\" (must be a number)");
  expect_bad_input(sample({"--impulse-step", "-1"}), "--impulse-step is -1 (must be");
  expect_bad_input(sample({"--trajectories", "0"}), "--trajectories is 0 (must be");
  expect_bad_input(sample({"--trajectories", "1.5"}), "--trajectories is 1.5 (must be");
  expect_bad_input(sample({"--max-steps", "0"}), "--max-steps is 0 (must be");
  expect_bad_input(sample({"--seed", "4294967296"}), "--seed is 4294967296 (must be");
  expect_bad_input(sample({"--backend", "gpu"}), "--backend is \"gpu\" (must be");
  expect_bad_input(sample({"--norm", "max"}), "--norm is \"max\" (must be");
  expect_bad_input(sample({"--samples", "some"}), "--samples is \"some\" (must be");
  expect_bad_input(sample({"--threads", "-1"}), "--threads is -1 (must be");
}

TEST_F(CommandLine, SaysThatLargeIntegersAreWrittenOut) {
  const std::string rule = "above 2^53, all digits and no exponent)";
  for (const char* flag : {"--trajectories", "--samples"}) {
    expect_bad_input(run({"sample", "rocking_block", flag, "1e17"}),
                     std::string(flag) + " is 1e17 (must be an integer >= ");
    expect_bad_input(run({"sample", "rocking_block", flag, "1e17"}), rule);
  }
  expect_bad_input(run({"sample", "rocking_block", "--trajectories", "1e99"}),
                   "(must be an integer >= 1 and <= 18446744073709551615)");
}

TEST_F(CommandLine, AResultIsNoScenario) {
  const std::string file = text_path("block.h5");
  ASSERT_EQ(run({"sample", "rocking_block", "--trajectories", "100", "-o", file}).exit_code, 0);
  for (const char* command : {"describe", "sample", "step"}) {
    expect_bad_input(run({command, file}), file + ": is an HDF5 file (must be a scenario file;");
  }
}

TEST_F(CommandLine, AModelIsNoScenario) {
  const std::string file = write("robot.xml", "\n  <mujoco/>\n");
  expect_bad_input(run({"sample", file}), file + ": is XML (must be a scenario file;");
}

TEST_F(CommandLine, ChunksBeyondAnyMemoryAreAFailedRunThatSaysSo) {
  const std::string beyond = "1152921504606846976";  // 2^60 rows
  const ProgramRun outcome =
      run({"sample", "rocking_block", "--trajectories", beyond, "--chunk", beyond});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("out of memory"), std::string::npos) << outcome.err;
}

TEST_F(CommandLine, ReportsTheRunAsOneJsonDocument) {
  const json report = run_json({"sample", "rocking_block", "--trajectories", "1000"});
  EXPECT_GT(report["seconds_in_all"], report["seconds"]);
  EXPECT_EQ(report["system"], "rocking_block");
  EXPECT_TRUE(report["complete"]);
  EXPECT_EQ(report["size"]["n"], 10);
  EXPECT_EQ(report["trajectories"], 1000);
  int counted = 0;
  for (const auto& [status, count] : report["status"].items()) counted += count.get<int>();
  EXPECT_EQ(counted, 1000);
  EXPECT_EQ(report["outcomes"], report["status"]["separated"]);
  EXPECT_EQ(report["contacts"].size(), 2U);
  EXPECT_GE(report["contacts"][0]["normal_velocity"][0], -1e-8);
  EXPECT_TRUE(report["file"].is_null());
}

TEST_F(CommandLine, ReportsNullForWhatHasNoNumber) {
  // One step of at most h = 0.1 N·s cannot stop 2 kg m/s, and the final step is smaller still.
  const std::string scenario = write("falling.toml", falling_mass);
  const ProgramRun failed =
      run({"sample", scenario, "--max-steps", "1", "--impulse-step", "0.1", "--json"});
  EXPECT_EQ(failed.exit_code, 1);
  const json report = json::parse(failed.out);
  EXPECT_EQ(report["outcomes"], 0);
  EXPECT_TRUE(report["evidence"]["certificate"].is_null());
  EXPECT_EQ(report["status"]["step_limit"], 100);
  EXPECT_EQ(report["net"]["size"], 0);
  EXPECT_TRUE(report["energy"]["mean_after"].is_null());
  EXPECT_TRUE(report["contacts"][0]["normal_velocity"].is_null());
  EXPECT_EQ(report["notes"][0]["code"], "no_outcomes");
  EXPECT_EQ(report["notes"][0]["severity"], "error");
}

TEST_F(CommandLine, SaysThatASeparatedVelocityIsItsOwnOutcome) {
  std::string text = falling_mass;
  text.replace(text.find("[0.5, -1.0]"), 11, "[0.5, 1.0]");
  const std::string scenario = write("rising.toml", text);
  const ProgramRun outcome = run({"sample", scenario});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("separated already"), std::string::npos) << outcome.out;
  const json report = run_json({"sample", scenario});
  EXPECT_EQ(report["outcomes"], 100);
  EXPECT_EQ(report["lcps"]["total"], 0);
  EXPECT_EQ(report["net"]["size"], 1);
}

TEST_F(CommandLine, UsesNoTerminalCodesInAFile) {
  const ProgramRun outcome = run({"sample", "rocking_block", "--trajectories", "200000"});
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(outcome.err, "");
}

TEST_F(CommandLine, StepAppliesItsCap) {
  // 2 kg at -1 m/s: an impulse of 0.5 N·s leaves -0.75 m/s.
  const std::string scenario = write("falling.toml", falling_mass);
  const json capped = run_json({"step", scenario, "--caps", "0.5"});
  EXPECT_EQ(capped["status"], "solved");
  EXPECT_NEAR(capped["normal_impulse"][0], 0.5, 1e-15);
  EXPECT_NEAR(capped["velocity"]["after"][1], -0.75, 1e-15);
  EXPECT_NEAR(capped["velocity"]["after"][0], 0.5, 1e-15);
  EXPECT_NEAR(capped["energy"]["before"], 1.25, 1e-15);
  const json stopped = run_json({"step", scenario, "--caps", "100", "--velocity", "-0.5,-3"});
  EXPECT_NEAR(stopped["normal_impulse"][0], 6.0, 1e-14);
  EXPECT_NEAR(stopped["velocity"]["after"][1], 0.0, 1e-15);
}

TEST_F(CommandLine, StepChecksSizeAndSignOfItsNumbers) {
  const std::string scenario = write("falling.toml", falling_mass);
  expect_bad_input(run({"step", scenario, "--caps", "1,2"}), "--caps has 2 numbers (must have 1)");
  expect_bad_input(run({"step", scenario, "--caps", "-1"}), "--caps has -1 (must be >= 0)");
  expect_bad_input(run({"step", scenario, "--velocity", "1,"}), "--velocity is \"\"");
}

TEST_F(CommandLine, DescribeTellsMassSpectrumAndStoppingImpulse) {
  const std::string scenario = write("falling.toml", falling_mass);
  const json found = run_json({"describe", scenario});
  EXPECT_EQ(found["size"]["nv"], 2);
  EXPECT_NEAR(found["mass_matrix"]["condition"], 1.0, 1e-12);
  EXPECT_EQ(found["delassus"]["rank"], 2);
  EXPECT_NEAR(found["delassus"]["eigenvalues"][0], 0.5, 1e-12);
  EXPECT_NEAR(found["stopping_impulse"], 2.0, 1e-12);
  EXPECT_TRUE(found["friction_cone"]["pointed"]);
  // 2 |r_y| / 2 = 1 for a unit normal impulse: r = (0, 2).
  EXPECT_NEAR(found["friction_cone"]["support_norm"], 2.0, 1e-9);
  EXPECT_NEAR(found["contacts"][0]["normal_velocity"], -1.0, 1e-15);
  const ProgramRun words = run({"describe", scenario});
  EXPECT_EQ(words.exit_code, 0);
  EXPECT_NE(words.out.find("Delassus"), std::string::npos);
}

TEST_F(CommandLine, SystemsListsThoseOfThePapers) {
  const json list = run_json({"systems"});
  std::vector<std::string> names;
  for (const json& system : list["systems"]) names.push_back(system["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"rocking_block", "compass_gait", "box_wall", "ramone",
                                             "disk_stack", "billiards", "trex"}));
  EXPECT_EQ(run({"systems"}).exit_code, 0);
}

TEST_F(CommandLine, PlotNeedsAResultFile) {
  expect_bad_input(run({"plot", text_path("none.h5")}), "does not exist");
}

TEST_F(CommandLine, PlotHandsNamesToPythonUnchanged) {
  const std::string python = write("python", R"(#!/bin/sh
printf '%s\n' "$PYTHONPATH" "$@"
exit $FAKE_EXIT_CODE
)");
  fs::permissions(python, fs::perms::owner_all);
  const std::string odd = write("a 'b\";$(c).h5", "");
  const std::string modules = CAROM_SOURCE_DIR "/python";
  setenv("CAROM_PYTHON", python.c_str(), 1);
  setenv("CAROM_PYTHONPATH", modules.c_str(), 1);
  setenv("FAKE_EXIT_CODE", "0", 1);
  const ProgramRun drawn = run({"plot", odd, "-o", text_path("a.png")});
  setenv("FAKE_EXIT_CODE", "3", 1);
  const ProgramRun failed = run({"plot", odd});
  unsetenv("CAROM_PYTHON");
  unsetenv("CAROM_PYTHONPATH");
  unsetenv("FAKE_EXIT_CODE");
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  const std::string expected =
      ")\n" + odd + "\n-o\n" + text_path("a.png") + "\n";  // after Python's code
  EXPECT_EQ(drawn.out.rfind(modules, 0), 0U) << drawn.out;
  EXPECT_NE(drawn.out.find(expected), std::string::npos) << drawn.out;
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.err.find("exit code 3"), std::string::npos) << failed.err;
}

TEST_F(CommandLine, AFullStandardOutputIsAFailedRun) {
  const std::string command = std::string(CAROM_EXECUTABLE) + " systems > /dev/full 2> /dev/null";
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

}  // namespace
}  // namespace carom
