#include "carom/result_io.hpp"
#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

using nlohmann::json;

TEST(SelectionKeys, AreReadWrittenAndDoubleByDefault) {
  const std::string system = "system = \"rocking_block\"\n";
  EXPECT_EQ(parse_scenario(system).sampling.precision, Precision::full);
  EXPECT_NE(to_toml(parse_scenario(system)).find("precision = \"double\"\n"), std::string::npos);
  const Scenario stated =
      parse_scenario(system + "[sampling]\nsolutions = \"table\"\nprecision = \"mixed\"\n");
  for (const Scenario& read : {stated, parse_scenario(to_toml(stated))}) {
    EXPECT_EQ(read.sampling.solutions, Solutions::table);
    EXPECT_EQ(read.sampling.precision, Precision::mixed);
  }
}

using TableFlags = CommandLine;

TEST_F(TableFlags, NameThemselvesInErrors) {
  const auto sample = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"sample", write("mass.toml", falling_mass)};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return run(arguments);
  };
  expect_bad_input(sample({"--precision", "single"}),
                   "--precision is \"single\" (must be double or mixed)");
  expect_bad_input(sample({"--precision", "mixed", "--solutions", "all"}),
                   "--precision is \"mixed\" (must be \"double\" with solutions = \"all\"");
  const std::string mixed =
      write("mixed.toml", std::string(falling_mass) + "precision = \"mixed\"\n");
  expect_bad_input(run({"sample", mixed, "--solutions", "all"}),
                   "--solutions is all (must be first, cover or table with precision = \"mixed\")");
  EXPECT_EQ(run({"sample", mixed, "--solutions", "all", "--precision", "double"}).exit_code, 0);
}

TEST_F(TableFlags, OfAFallingMassAreServedByItsTwoModes) {
  // The only contact, without friction, is at its cap or stops.
  const std::string scenario = write("mass.toml", falling_mass);
  const std::string file = text_path("mass.h5");
  const json report = run_json({"sample", scenario, "--solutions", "table", "-o", file});
  EXPECT_EQ(report["sampling"]["solutions"], "table");
  const json& table = report["table"];
  EXPECT_EQ(table["bases"], 2);
  EXPECT_GT(table["pilot_trajectories"], 0);
  EXPECT_EQ(table["hits"], report["lcps"]["total"].get<int>() + report["final_steps"].get<int>());
  EXPECT_EQ(table["hit_rate"], 1.0);

  const PostImpactSet set = read_result(file).set;
  EXPECT_EQ(set.table.bases, 2u);
  EXPECT_EQ(set.table.pilot_trajectories, table["pilot_trajectories"].get<std::uint64_t>());
  EXPECT_EQ(set.summary.table_hits, table["hits"].get<std::uint64_t>());
  const SampleSet rows = read_samples(file, 0, 100);
  EXPECT_EQ(rows.table_count, rows.lcp_count);

  const ProgramRun text = run({"sample", scenario, "--solutions", "table"});
  EXPECT_NE(text.out.find("  table             2 bases, 100 % of LCPs\n"), std::string::npos)
      << text.out;
  const ProgramRun verbose = run({"sample", scenario, "--solutions", "table", "--verbose"});
  EXPECT_NE(verbose.out.find("2 bases from a pilot of "), std::string::npos) << verbose.out;
}

TEST_F(TableFlags, ResumeKeepsSelectionPrecisionAndTable) {
  const std::string whole = text_path("whole.h5");
  const std::string part = text_path("part.h5");
  const auto expect_equal_bits = [&](const std::string& solutions, const std::string& precision) {
    for (const auto& [count, file] : {std::pair{"1000", whole}, {"300", part}}) {
      EXPECT_EQ(run({"sample", "rocking_block", "--trajectories", count, "--solutions", solutions,
                     "--precision", precision, "-o", file})
                    .exit_code,
                0);
    }
    const json report = run_json({"resume", part, "--trajectories", "1000"});
    EXPECT_EQ(report["sampling"]["solutions"], solutions);
    EXPECT_EQ(report["sampling"]["precision"], precision);
    const Result result = read_result(part);
    const Result at_once = read_result(whole);
    EXPECT_EQ(result.set.summary.checksum, at_once.set.summary.checksum);
    EXPECT_EQ(result.set.table.bases, at_once.set.table.bases);
    EXPECT_EQ(to_toml(result.scenario), to_toml(at_once.scenario));
  };
  expect_equal_bits("first", "double");
  expect_equal_bits("table", "mixed");
  expect_bad_input(run({"resume", part, "--trajectories", "2000", "--precision", "double"}),
                   "--precision");
}

TEST_F(TableFlags, MixedPrecisionIsSaidWhereSolutionsAreNamed) {
  const ProgramRun outcome = run({"sample", "rocking_block", "--trajectories", "500", "--precision",
                                  "mixed", "--hold-out", "100"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("solutions first in mixed precision, at most"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("(caps uniform, solutions first in mixed precision, h ="),
            std::string::npos)
      << outcome.out;
}

}  // namespace
}  // namespace carom
