#include "carom/result_io.hpp"
#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

using nlohmann::json;

TEST(SelectionKeys, AreReadAndWritten) {
  const Scenario stated =
      parse_scenario("system = \"rocking_block\"\n[sampling]\nsolutions = \"table\"\n");
  for (const Scenario& read : {stated, parse_scenario(to_toml(stated))}) {
    EXPECT_EQ(read.sampling.set_valued().solutions, Solutions::table);
  }
}

using TableFlags = CommandLine;

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

TEST_F(TableFlags, ResumeKeepsSelectionAndTable) {
  const std::string whole = text_path("whole.h5");
  const std::string part = text_path("part.h5");
  const auto expect_equal_bits = [&](const std::string& solutions) {
    for (const auto& [count, file] : {std::pair{"1000", whole}, {"300", part}}) {
      EXPECT_EQ(run({"sample", "rocking_block", "--trajectories", count, "--solutions", solutions,
                     "-o", file})
                    .exit_code,
                0);
    }
    const json report = run_json({"resume", part, "--trajectories", "1000"});
    EXPECT_EQ(report["sampling"]["solutions"], solutions);
    const Result result = read_result(part);
    const Result at_once = read_result(whole);
    EXPECT_EQ(result.set.summary.checksum, at_once.set.summary.checksum);
    EXPECT_EQ(result.set.table.bases, at_once.set.table.bases);
    EXPECT_EQ(to_toml(result.scenario), to_toml(at_once.scenario));
  };
  expect_equal_bits("first");
  expect_equal_bits("table");
}

}  // namespace
}  // namespace carom
