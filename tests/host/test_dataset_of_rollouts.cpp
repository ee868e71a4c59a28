// Data sets whose rows are rollouts: specifications with [roll].
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <thread>

#include "carom/dataset.hpp"
#include "carom/error.hpp"
#include "carom/roll_io.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/dataset_files.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using namespace test;

/// Ten drops of a block in four shards, three rollouts of each.
const std::string small_drops = R"(scenario = "rocking_block"
problems = 5
[axes]
drop_height = {min = 0.01, max = 0.1}
tilt_deg = {values = [0.0, 1.0]}
[roll]
rollouts = 3
duration = 0.3
times = [0.0, 0.1, 0.2]
[sampling]
seed = 3
[shards]
problems = 3
)";

/// A board above a log, at starts along two axes.
const std::string board = R"(system = "planar"
world.friction = 1.0
[[body]]
name = "log"
radius = 0.15
mass = 20.0
position = [0.0, 0.15]
[[body]]
name = "board"
size = [2.0, 0.04]
mass = 5.0
position = [0.05, 0.5]
[[floor]]
name = "ground"
[start.velocity]
"log.x" = {min = -0.1, max = 0.1}
)";
const std::string boards = R"(scenario = "board.toml"
[axes]
start.position."board.angle" = {values = [-0.1, 0.1]}
"start.position.board.y" = {values = [0.5, 0.1]}
[roll]
rollouts = 4
duration = 0.4
)";

class DatasetOfRollouts : public CommandLine {
 protected:
  DatasetSpec read(const std::string& text) { return read_dataset_spec(write("spec.toml", text)); }
  fs::path at(const std::string& name) const { return path(name); }
};

/// The rollouts that `carom roll --problem-id` gives of a member alone.
Rollouts roll_alone(const DatasetSpec& spec, std::uint64_t member) {
  Scenario scenario = spec.family.scenario(member);
  scenario.sampling.problem_id += static_cast<std::uint32_t>(member);
  return roll(scenario, *scenario.roll);
}

/// Expects that rows from `first` on have the bits of all columns of these rollouts, of which all
/// are whole.
void expect_rows(const Shard& shard, std::size_t first, const Rollouts& wanted) {
  for_each_rollout_column(
      [&]<class T>(const RolloutColumnInfo& info, const std::vector<T>& column) {
        if (info.numbers(wanted) == 0) return;
        using Number = std::conditional_t<std::is_enum_v<T>, std::uint8_t, T>;
        const auto found = shard.get<Number>(("outcomes/" + flat_name(info)).c_str());
        const std::size_t begin = first * info.numbers(wanted);
        ASSERT_LE(begin + column.size(), found.size()) << info.name;
        EXPECT_EQ(std::memcmp(&found[begin], column.data(), column.size() * sizeof(T)), 0)
            << info.name;
      },
      wanted);
}

TEST_F(DatasetOfRollouts, HasTheBitsOfEveryMemberRolledAlone) {
  const DatasetSpec spec = read(small_drops);
  const DatasetSummary summary = generate_dataset(spec, at("set"));
  EXPECT_TRUE(summary.complete);
  EXPECT_EQ(summary.problems, 10u);
  EXPECT_EQ(summary.outcomes, 30u);
  EXPECT_EQ(summary.short_problems, 0u);
  for (std::uint64_t member = 0; member < 10; ++member) {
    const Shard shard(at("set"), member / 3);
    const std::size_t row = member % 3;
    EXPECT_EQ(shard.get<std::uint64_t>("problems/member")[row], member);
    EXPECT_EQ(shard.get<double>("problems/values")[2 * row + 1], member < 5 ? 0.0 : 1.0);
    const std::size_t first = shard.get<std::uint64_t>("problems/first_outcome")[row];
    EXPECT_EQ(first, 3 * row);
    expect_rows(shard, first, roll_alone(spec, member));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(shard.get<std::uint64_t>("outcomes/trajectory")[first + i], i);
      EXPECT_EQ(shard.get<std::uint64_t>("outcomes/member")[first + i], member);
    }
  }
  // A block that is released at rest falls freely at first: 0.1 s from at least 1 cm do not do.
  const Rollouts one = roll_alone(spec, 0);
  EXPECT_EQ(one.time, (std::vector<double>{0.0, 0.1, 0.2, 0.3}));
  EXPECT_NEAR(one.position[1] - 1.0, spec.family.values(0)[0], 1e-12);
}

TEST_F(DatasetOfRollouts, IsTheSameWhateverTheThreadsTheShardsAndTheInterrupts) {
  DatasetSpec spec = read(small_drops);
  generate_dataset(spec, at("whole"));
  const DatasetSummary stopped = generate_dataset(
      spec, at("parts"), [](const DatasetProgress& progress) { return progress.shards < 2; });
  EXPECT_FALSE(stopped.complete);
  EXPECT_EQ(generate_dataset(spec, at("parts")).found, 2u);
  EXPECT_EQ(bytes_of(at("parts")), bytes_of(at("whole")));
  spec.sampling.threads = 1;
  generate_dataset(spec, at("one"));
  EXPECT_EQ(bytes_of(at("one")), bytes_of(at("whole")));
  spec.shard_problems = 10;
  generate_dataset(spec, at("large"));
  std::vector<double> joined;
  for (std::uint64_t number = 0; number < 4; ++number) {
    const auto part = Shard(at("whole"), number).get<double>("outcomes/position");
    joined.insert(joined.end(), part.begin(), part.end());
  }
  EXPECT_EQ(joined, Shard(at("large"), 0).get<double>("outcomes/position"));
}

TEST_F(DatasetOfRollouts, DropsAShardThatIsStoppedWithinAMember) {
  const DatasetSpec spec = read(replaced(small_drops, "rollouts = 3", "rollouts = 600"));
  int calls = 0;
  prepare_dataset(spec, at("set"));
  EXPECT_FALSE(write_shard(spec, 0, at("set"), [&](std::uint64_t) { return ++calls < 2; }));
  EXPECT_EQ(calls, 2);  // 256 rollouts each
  const auto shard = write_shard(spec, 0, at("set"));
  ASSERT_TRUE(shard);
  EXPECT_EQ(shard->outcomes, 1800u);
  expect_rows(Shard(at("set"), 0), 600, roll_alone(spec, 1));
}

TEST_F(DatasetOfRollouts, TellsMembersWithoutAnImpact) {
  const DatasetSpec spec = read(
      "scenario = \"rocking_block\"\n"
      "[axes]\ndrop_height = {values = [0.01, 0.5, 0.6]}\n"
      "[roll]\nrollouts = 2\nduration = 0.2\n");
  const std::vector<FamilyNote> notes = generate_dataset(spec, at("set")).notes;
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].note.code, "no_impacts");
  EXPECT_EQ(notes[0].members, 2u);
  EXPECT_EQ(notes[1].note.code, "cover_solutions");
  EXPECT_EQ(notes[1].members, 1u);
  std::ifstream readme(at("set") / "README.md");
  const std::string text{std::istreambuf_iterator<char>(readme), {}};
  EXPECT_THAT(
      text,
      HasSubstr("## Notes\n\n- `no_impacts` (warning): in 2 of 3 members, the first is member 1"));
}

/// What `carom roll` tells of a member, the shard tells, too.
TEST_F(DatasetOfRollouts, ShardsHaveTheNotesOfTheirMembers) {
  const DatasetSpec spec = read(
      "scenario = \"rocking_block\"\ninvalid = \"skip\"\n"
      "[axes]\ndrop_height = {values = [0.01, -1.0, 0.5]}\n"
      "[roll]\nrollouts = 2\nduration = 0.2\n");
  const std::vector<FamilyNote> notes = generate_dataset(spec, at("set")).notes;
  const Shard shard(at("set"), 0);
  const auto code = shard.get_strings("notes/code");
  const auto which = shard.get<std::uint32_t>("notes/which");
  const auto member = shard.get<std::uint64_t>("notes/member");
  for (const std::uint64_t number : {0, 2}) {
    std::vector<std::string> wanted, found;
    for (const Note& note : roll_alone(spec, number).notes) wanted.push_back(note.code);
    for (std::size_t i = 0; i < member.size(); ++i) {
      if (member[i] == number) found.push_back(code[which[i]]);
    }
    EXPECT_FALSE(wanted.empty());
    EXPECT_EQ(found, wanted);
  }
  const auto left_out = std::ranges::find_if(
      notes, [](const FamilyNote& its) { return its.note.code == "left_out"; });
  ASSERT_NE(left_out, notes.end());
  EXPECT_EQ(left_out->members, 1u);
  EXPECT_EQ(left_out->first, 1u);
  EXPECT_THAT(left_out->note.text, testing::HasSubstr("drop_height is -1 (must be >= 0)"));
}

TEST_F(DatasetOfRollouts, KeepsRolloutsThatAreWholeAndCountsTheOthers) {
  const std::string text =
      "scenario = \"rocking_block\"\n"
      "[axes]\ndrop_height = {values = [0.01, 0.1]}\n"
      "[roll]\nrollouts = 50\nduration = 0.3\n"
      "[sampling]\nimpulse_step = 0.5\nmax_steps = 2\n";
  const DatasetSpec spec = read(text);
  const DatasetSummary summary = generate_dataset(spec, at("set"));
  const Shard shard(at("set"), 0);
  const auto trajectory = shard.get<std::uint64_t>("outcomes/trajectory");
  const auto status = shard.get<std::uint32_t>("problems/status_counts");
  std::size_t row = 0;
  std::uint64_t failed = 0;
  for (std::uint64_t member = 0; member < 2; ++member) {
    const Rollouts all = roll_alone(spec, member);
    std::uint32_t dropped = 0;
    for (std::uint64_t i = 0; i < 50; ++i) {
      if (is_whole(all.status[i])) {
        EXPECT_EQ(trajectory[row++], i);
      } else {
        EXPECT_EQ(all.status[i], RolloutStatus::impact_dropped);
        ++dropped;
      }
    }
    EXPECT_EQ(status[member * rollout_status_count + 2], dropped);
    EXPECT_EQ(shard.get<std::uint32_t>("problems/outcome_count")[member], 50 - dropped);
    failed += dropped;
  }
  EXPECT_GT(row, 0u);
  EXPECT_GT(failed, 0u);
  EXPECT_EQ(summary.outcomes, row);
  EXPECT_EQ(summary.ends.at(2).first, "impact_dropped");
  EXPECT_EQ(summary.ends.at(2).second, failed);
  ASSERT_EQ(summary.notes.size(), 2u);
  EXPECT_EQ(summary.notes[0].note.code, "rollouts_failed");
  EXPECT_EQ(summary.notes[1].note.code, "cover_solutions");
  EXPECT_EQ(summary.notes[0].members, 2u);
  EXPECT_EQ(summary.notes[1].members, 2u);

  const std::string none = replaced(replaced(text, "= 0.5", "= 0.01"), "steps = 2", "steps = 1");
  const ProgramRun lost = run({"dataset", write("none.toml", none), "-o", text_path("none")});
  EXPECT_EQ(lost.exit_code, 1);
  EXPECT_THAT(lost.err, HasSubstr("error: in 2 of 2 members"));
  EXPECT_THAT(lost.err, HasSubstr("no rollout of 50 reached its duration"));
  EXPECT_THAT(lost.err, HasSubstr("still collided after 1 steps; more max_steps"));
}

TEST_F(DatasetOfRollouts, StartsMayBeAxes) {
  write("board.toml", board);
  const DatasetSpec spec = read("invalid = \"skip\"\n" + boards);
  const DatasetSummary summary = generate_dataset(spec, at("set"));
  EXPECT_EQ(spec.family.names()[0], "start.position.board.angle");
  EXPECT_EQ(summary.problems, 2u);
  EXPECT_EQ(summary.skipped, 2u);  // the board is in the log
  const Shard shard(at("set"), 0);
  EXPECT_EQ(shard.get<std::uint64_t>("problems/member"), (std::vector<std::uint64_t>{0, 2}));
  EXPECT_EQ(shard.get<std::uint64_t>("skipped/member"), (std::vector<std::uint64_t>{1, 3}));
  EXPECT_THAT(text_of(at("set") / "datasheet.json"),
              HasSubstr("member 1 (start.position.board.angle = -0.1, start.position.board.y = "
                        "0.1): rollout 0 starts with"));
  const std::string stated =
      board +
      "[start.position]\n\"board.angle\" = 0.1\n\"board.y\" = 0.5\n[roll]\nrollouts = "
      "4\nduration = 0.4\n[sampling]\nproblem_id = 2\n";
  const Scenario scenario = parse_scenario(stated, "stated");
  const Rollouts wanted = roll(scenario, *scenario.roll);
  EXPECT_EQ(wanted.position[5], 0.1);
  EXPECT_NE(wanted.velocity[0], 0.0);  // drawn, as the scenario says
  expect_rows(shard, 4, wanted);
  expect_bad_input(run({"dataset", write("error.toml", boards), "-o", text_path("error")}),
                   " where the scenario has 0 (must have a gap); invalid = \"skip\" leaves such "
                   "members out");
}

TEST_F(DatasetOfRollouts, HasDerivativesWhereContactsGiveWay) {
  const DatasetSpec spec = read("scenario = \"" CAROM_SOURCE_DIR
                                "/scenarios/landing.toml\"\n"
                                "[axes]\n"
                                "\"problem.contact_stiffness[0]\" = {values = [150.0, 250.0]}\n"
                                "[roll]\nrollouts = 5\nderivative = true\n");
  const DatasetSummary summary = generate_dataset(spec, at("set"));
  EXPECT_EQ(summary.ends.at(8), (std::pair<std::string, std::uint64_t>("done", 10)));
  expect_rows(Shard(at("set"), 0), 5, roll_alone(spec, 1));
  EXPECT_EQ(Shard(at("set"), 0).get<double>("outcomes/derivative").size(), 10u * 4 * 4);
}

TEST_F(DatasetOfRollouts, NamesLineAndRuleOfWhatIsWrong) {
  write("board.toml", board);
  const auto expect_refused = [&](const std::string& text, const std::string& rule) {
    expect_bad_input(run({"dataset", write("bad.toml", text), "-o", text_path("bad")}), rule);
  };
  expect_refused(replaced(small_drops, "[roll]", "[roll]\ncontact = \"compliant\""),
                 "bad.toml:7: contact is compliant (must be rigid");
  expect_refused(replaced(small_drops, "[roll]", "[outcomes]\n[roll]"),
                 "bad.toml:6: [outcomes] is stated (must not be beside [roll]");
  expect_refused(replaced(small_drops, "seed = 3", "epsilon = 3.0"),
                 "bad.toml:11: epsilon is stated (must not be beside [roll]");
  expect_refused(replaced(small_drops, "duration", "duraton"), "did you mean \"duration\"?");
  expect_refused(replaced(small_drops, "times =", "ask = [\"angel > 1 deg by 0.1 s\"]\ntimes ="),
                 "angel");
  expect_refused(replaced(small_drops, "rollouts = 3", "rollouts = 100000000"),
                 "bad.toml:7: rollouts is 100000000 (must fit into a shard of 2 GiB");
  expect_refused(replaced(small_drops, "drop_height", "roll.duration"),
                 "all members of a family are sampled alike");
  expect_refused(replaced(small_drops, "rocking_block", "break.toml"), "scenario is ");
  expect_refused(replaced(boards, "\"board.angle\"", "\"board.angel\""),
                 "did you mean \"board.angle\"?");
  expect_refused(replaced(boards, "start.position.\"", "start.speed.\""),
                 "(must be start.position.NAME or start.velocity.NAME)");
  expect_refused(replaced(boards, "[roll]\nrollouts = 4\nduration = 0.4\n", ""),
                 "start.position.board.angle is where a rollout starts (must be of a data set with "
                 "[roll]; of impacts, vary body.NAME.position[0]");
  const std::string landing = "scenario = \"" CAROM_SOURCE_DIR
                              "/scenarios/landing.toml\"\n"
                              "[axes]\nstart.position.z = {values = [2.0]}\n[roll]\n";
  expect_refused(landing, "the scenario states start.position of all coordinates at once");
  expect_bad_input(run({"grid", write("grid.toml", small_drops), "-o", text_path("grid.h5")}),
                   "unknown key \"roll\"");
}

TEST_F(DatasetOfRollouts, TheCommandCountsEndsAndGoesOnAfterAnInterrupt) {
  const std::string many = replaced(small_drops, "problems = 5", "problems = 20000");
  const std::string large = write("large.toml", many);
  const pid_t child = start({"dataset", large, "-o", text_path("large"), "--threads", "1"});
  while (!fs::exists(path("large") / shard_name(1))) std::this_thread::yield();
  kill(child, SIGINT);
  const ProgramRun stopped = finish(child);
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_THAT(stopped.err, HasSubstr("shards; 'carom dataset " + large));

  const std::string spec = write("spec.toml", small_drops);
  const nlohmann::json first = run_json({"dataset", spec, "-o", text_path("set")});
  EXPECT_EQ(first["outcomes"], 30);
  std::uint64_t ends = 0;
  for (const auto& [name, count] : first["rollouts"].items()) ends += count.get<std::uint64_t>();
  EXPECT_EQ(ends, 30u);
  EXPECT_EQ(first["rollouts"].size(), static_cast<std::size_t>(rollout_status_count));
  const ProgramRun again = run({"dataset", spec, "-o", text_path("set")});
  EXPECT_THAT(again.out, HasSubstr("30 are whole, 3 of a problem at most; all ended: "));
  EXPECT_THAT(again.out, HasSubstr("4, 4 of them found"));
  expect_bad_input(run({"dataset", write("other.toml", replaced(small_drops, "0.2]", "0.25]")),
                        "-o", text_path("set")}),
                   "times = [0.0, 0.1, 0.25, 0.3]");
}

}  // namespace
}  // namespace carom
