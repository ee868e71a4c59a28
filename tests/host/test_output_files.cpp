#include "carom/dataset.hpp"
#include "carom/result_io.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/dataset_files.hpp"

// What a run may write over, and what a killed one leaves.
namespace carom {
namespace {

namespace fs = std::filesystem;

constexpr const char* own_words = ", which this run reads)";

TEST_F(CommandLine, ARunNeverOverwritesItsScenario) {
  const std::string scenario = write("S.toml", falling_mass);
  fs::create_symlink("S.toml", path("link.h5"));
  fs::create_hard_link(scenario, path("hard.h5"));
  const std::string roundabout = "../" + folder_.filename().string() + "/S.toml";
  for (const std::string output : {"S.toml", "link.h5", "hard.h5", roundabout.c_str()}) {
    const std::string place = text_path(output);
    expect_bad_input(run({"sample", scenario, "-o", place, "--force"}), own_words);
    expect_bad_input(run({"sample", scenario, "-o", place}), own_words);
    EXPECT_EQ(read_text(scenario), falling_mass) << place;
  }
  EXPECT_FALSE(fs::exists(scenario + ".part"));
  // FILE.part and FILE.checkpoint are written, too.
  for (const char* suffix : {".part", ".checkpoint"}) {
    const std::string working_copy = write(std::string("x.h5") + suffix, falling_mass);
    expect_bad_input(run({"sample", working_copy, "-o", text_path("x.h5")}), own_words);
    EXPECT_EQ(read_text(working_copy), falling_mass);
  }
}

TEST_F(CommandLine, ARunNeverOverwritesAMatrixThatItReads) {
  const std::string matrices = text_path("matrices.h5");
  ASSERT_EQ(run({"sample", write("a.toml", falling_mass), "-o", matrices}).exit_code, 0);
  const std::string before = test::text_of(matrices);
  const std::string scenario =
      write("b.toml", test::replaced(falling_mass, "[[2.0, 0.0], [0.0, 2.0]]",
                                     "\"matrices.h5:/problem/mass_matrix\""));
  expect_bad_input(run({"sample", scenario, "-o", matrices}), own_words);
  EXPECT_TRUE(test::text_of(matrices) == before);
  EXPECT_EQ(run({"sample", scenario, "-o", text_path("other.h5")}).exit_code, 0);
}

TEST_F(CommandLine, GridsAndDataSetsNeverOverwriteTheirSpecification) {
  const std::string scenario = write("S.toml", falling_mass);
  const std::string axes = "scenario = \"S.toml\"\n[axes]\nproblem.friction = {values = [0.5]}\n";
  const std::string grid = write("grid.toml", axes);
  for (const std::string& input : {grid, scenario}) {
    const std::string before = read_text(input);
    expect_bad_input(run({"grid", grid, "-o", input, "--force"}), own_words);
    expect_bad_input(run({"grid", grid, "-o", input}), "--output is " + input);
    expect_bad_input(run({"dataset", write("set.toml", test::small_dataset), "-o", input}),
                     "data set folder is " + input);
    EXPECT_EQ(read_text(input), before);
  }
}

TEST_F(CommandLine, ANameThatIsTooLongIsCalledThat) {
  const std::string scenario = write("S.toml", falling_mass);
  const std::string name(300, 'a');
  const std::string reason = "File name too long)";
  expect_bad_input(run({"sample", scenario, "-o", text_path(name + ".h5")}),
                   "(must be a file that can be made: " + reason);
  expect_bad_input(run({"sample", scenario, "-o", text_path(name) + "/a.h5"}),
                   "(its folder must exist: " + reason);
}

TEST_F(CommandLine, ADamagedResultIsNamedWithWhatIsDamaged) {
  const std::string file = text_path("a.h5");
  ASSERT_EQ(run({"sample", "rocking_block", "-o", file, "--quiet"}).exit_code, 0);
  std::string bytes = test::text_of(file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
  const std::string said = file + " is damaged or cut short: cannot read dataset ";
  expect_bad_input(run({"compare", file, file}), said);
  expect_bad_input(run({"resume", file, "--trajectories", "1e5"}),
                   file + " is damaged or cut short: bytes ");
  EXPECT_FALSE(fs::exists(file + ".part"));
}

TEST_F(CommandLine, AKilledRunGoesOnFromItsLastCheckpoint) {
  const std::string file = text_path("a.h5");
  const auto sample = [&](const std::string& checkpoint) {
    return start({"sample", "rocking_block", "--trajectories", "1e9", "--chunk", "1000",
                  "--samples", "3000", "--checkpoint", checkpoint, "--quiet", "-o", file});
  };
  pid_t child = sample("0.05");
  while (!fs::exists(file)) std::this_thread::yield();
  kill(child, SIGKILL);
  finish(child);
  const Result left = read_result(file);
  const std::uint64_t done = left.set.summary.trajectories;
  EXPECT_FALSE(left.set.complete);
  EXPECT_GT(done, 0u);
  expect_bad_input(run({"resume", file + ".part", "-o", text_path("b.h5")}),
                   "a.h5.part has no seal: the run that wrote it did not end");

  const std::string total = std::to_string(done + 1500);
  const auto whole = run_json({"sample", "rocking_block", "--trajectories", total});
  EXPECT_EQ(run_json({"resume", file, "--trajectories", total})["checksum"], whole["checksum"]);

  fs::remove(file);
  child = sample("0");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  kill(child, SIGKILL);
  finish(child);
  EXPECT_FALSE(fs::exists(file));
  EXPECT_TRUE(fs::exists(file + ".part"));
}

}  // namespace
}  // namespace carom
