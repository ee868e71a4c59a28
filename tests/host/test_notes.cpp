#include <gmock/gmock.h>

#include <fstream>
#include <regex>

#include "carom/carom.hpp"
#include "host/base/note_json.hpp"
#include "host/base/note_list.hpp"
#include "host/families/family_notes.hpp"
#include "host/run/run_notes.hpp"
#include "tests/host/command_line_fixture.hpp"
#include "tests/support/note_text.hpp"

namespace carom {
namespace {

using testing::HasSubstr;

TEST(NoteCodes, AreThoseOfTheDocumentation) {
  std::ifstream page(CAROM_SOURCE_DIR "/docs/notes.md");
  const std::regex row(R"(\| `(\w+)` \| (\w+) \| (.*?) \| .*\|)");
  std::vector<std::string> documented;
  for (std::string line; std::getline(page, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, row)) continue;
    documented.push_back(parts.str(1) + " " + parts.str(2) + " " + parts.str(3));
  }
  std::vector<std::string> listed;
  for (const NoteCode& code : note_codes()) {
    listed.push_back(std::string(code.name) + " " + severity_name(code.severity) + " " +
                     code.meaning);
  }
  EXPECT_EQ(documented, listed);
}

TEST(NoteJson, IsReadBack) {
  const std::vector<Note> notes = {make_note("dropped", "3 \"of\" 4"),
                                   make_note("cpu_fallback", "no GPU")};
  const std::vector<Note> again = parse_notes(notes_json(notes).dump());
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].code, "dropped");
  EXPECT_EQ(again[0].severity, Severity::warning);
  EXPECT_EQ(again[0].text, "3 \"of\" 4");
  EXPECT_EQ(again[1].severity, Severity::info);
  EXPECT_THROW(parse_notes("[{\"code\": 1}]"), InputError);
  EXPECT_THROW(parse_notes(R"([{"code": "a", "severity": "grave", "text": "b"}])"), InputError);
}

/// The approach is far below the rounding of the slip, and no step size helps.
TEST(FamilyNotes, CountMembersAndQuoteTheFirst) {
  FamilyNotes collected;
  collected.add(0, loss_notes(5, {10, 0, 0, 0, 0}));
  collected.add(3, loss_notes(5, {0, 10, 0, 0, 0}));
  collected.add(4, loss_notes(5, {8, 2, 0, 0, 0}));
  collected.add(7, loss_notes(5, {9, 1, 0, 0, 0}));
  const std::vector<FamilyNote> notes = collected.take();
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_EQ(notes[0].note.code, "no_outcomes");
  EXPECT_EQ(notes[0].note.severity, Severity::warning) << "other members have outcomes";
  EXPECT_EQ(notes[0].members, 1u);
  EXPECT_EQ(notes[0].first, 3u);
  EXPECT_EQ(notes[1].note.text,
            "2 of 10 trajectories still collided after 5 steps and were dropped");
  EXPECT_EQ(notes[1].members, 2u);
  EXPECT_EQ(notes[1].first, 4u);
  std::vector<Note> twice = loss_notes(5, {8, 2, 0, 0, 0});
  twice.push_back(twice.front());
  FamilyNotes once;
  once.add(0, twice);
  EXPECT_EQ(once.take().at(0).members, 1u) << "of one member";
  FamilyNotes none;
  none.add(3, loss_notes(5, {0, 10, 0, 0, 0}));
  EXPECT_EQ(none.take().at(0).note.severity, Severity::error);
}

TEST_F(CommandLine, AFamilyOfWhichNoMemberHasOutcomesHasFailed) {
  const std::string spec = write("spec.toml", R"(
scenario = "rocking_block"
[axes]
friction = {values = [0.3, 0.6]}
[sampling]
trajectories = 64
impulse_step = 1e-6
max_steps = 1
epsilon = 0.01
)");
  const std::string reason =
      "carom: error: in 2 of 2 members, the first is member 0 (parameters.friction = 0.3): no "
      "outcome: "
      "of 64 trajectories 64 still collided after 1 step\n";
  for (const char* command : {"grid", "dataset"}) {
    const ProgramRun told = CommandLine::run({command, spec, "-o", text_path(command), "--json"});
    EXPECT_EQ(told.exit_code, 1);
    EXPECT_TRUE(told.err.starts_with(reason)) << told.err;
    const auto notes = nlohmann::json::parse(told.out)["notes"];
    ASSERT_EQ(notes.size(), 2u) << command;
    EXPECT_EQ(notes[1]["code"], "small_impulse_step");
    EXPECT_EQ(notes[0]["code"], "no_outcomes");
    EXPECT_EQ(notes[0]["members"], 2);
  }
  const auto sheet = nlohmann::json::parse(read_text(path("dataset") / "datasheet.json"));
  EXPECT_EQ(sheet["notes"][0]["first_member"], 0);
}

TEST_F(CommandLine, AFamilyOfWhichAllMembersWereLeftOutHasFailed) {
  const std::string spec = write("left.toml", R"(
scenario = "rocking_block"
invalid = "skip"
[axes]
friction = {values = [-0.3, -0.6]}
)");
  for (const char* command : {"grid", "dataset"}) {
    const ProgramRun told = CommandLine::run(
        {command, spec, "-o", text_path(command + std::string("_left")), "--json"});
    EXPECT_EQ(told.exit_code, 1) << command;
    EXPECT_EQ(told.err,
              "carom: error: all 2 members are left out, so there are no outcomes\n"
              "note: 2 of 2 members are left out, the first is member 0 (parameters.friction = "
              "-0.3): "
              "[parameters] friction is -0.3 (must be >= 0)\n");
  }
}

TEST_F(CommandLine, WritesNotesIntoReportJsonAndFile) {
  const std::string scenario = write("falling.toml", falling_mass);
  const std::string file = text_path("a.h5");
  const std::vector<std::string> command = {"sample", scenario,      "--impulse-step",
                                            "4",      "--max-steps", "1"};
  const auto with = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), command.begin(), command.end());
    return CommandLine::run(flags);
  };
  const ProgramRun told = with({"-o", file});
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.err, "");
  const std::vector<Note> notes = read_result(file).set.notes;
  const std::string text = text_of(notes, "dropped");
  EXPECT_THAT(text, HasSubstr("still collided after 1 step"));
  EXPECT_THAT(told.out, HasSubstr("\nwarning: " + text + "\n"));
  const ProgramRun quiet = with({"--quiet"});
  EXPECT_EQ(quiet.out, "");
  EXPECT_EQ(quiet.err, "warning: " + text + "\n");
  const auto document = nlohmann::json::parse(with({"--json"}).out);
  EXPECT_EQ(document["notes"], nlohmann::json::parse(notes_json(notes).dump()));
  EXPECT_FALSE(document.contains("warnings"));
}

TEST_F(CommandLine, TellsHowLongAnAbsurdNumberOfTrajectoriesTakes) {
  const pid_t child = start({"sample", "rocking_block", "--trajectories", "1e15"});
  std::string told;
  for (int i = 0; i < 600 && told.find('\n') == std::string::npos; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    told = read_text(path("stderr"));
  }
  kill(child, SIGINT);
  EXPECT_EQ(finish(child).exit_code, 1);
  EXPECT_THAT(told, testing::ContainsRegex("carom: sampling 0 % after .* s, .* years left\n"));
}

TEST(FamilyNotes, CountMembersThatAreLeftOutByReason) {
  FamilyNotes notes;
  notes.add(0, std::vector<Note>{});
  notes.add_left_out(1, "member 1 (friction = -0.5): friction is -0.5 (must be >= 0)");
  notes.add_left_out(2, "member 2 (friction = -1): friction is -1 (must be >= 0)");
  notes.add_left_out(4, "no contact approaches");
  const std::vector<FamilyNote> found = notes.take();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].members, 2u);
  EXPECT_EQ(found[0].first, 1u);
  EXPECT_EQ(found[0].note.text, "friction is -0.5 (must be >= 0)");
  EXPECT_EQ(found[1].members, 1u);
  EXPECT_EQ(found[1].first, 4u);
}

}  // namespace
}  // namespace carom
