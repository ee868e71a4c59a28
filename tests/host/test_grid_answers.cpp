#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "carom/bounds.hpp"
#include "carom/error.hpp"
#include "carom/extremes.hpp"
#include "host/families/grid/state_answers.hpp"
#include "tests/host/grid_fixture.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

using testing::HasSubstr;

class GridAnswers : public GridFixture {};

constexpr const char* asked_of_each =
    R"(ask = ["B tangential > 0.05", "|A normal| > 0.3", "A normal < -1"]
)";

/// A yes has an outcome behind it, a no the bound of the state alone.
TEST_F(GridAnswers, AnswersQuestionsAboutEachState) {
  const GridSpec grid = spec(asked_of_each);
  const GridResult result = sample_grid(grid);
  std::array<std::map<Answer::Verdict, int>, 3> verdicts;
  for (std::uint64_t member = 0; member < result.states.size(); ++member) {
    SCOPED_TRACE(member);
    const ImpactProblem problem = grid.family.scenario(member).problem;
    Outputs outputs;
    for (const std::string& text : grid.ask) add_question(problem, text, outputs);
    SamplingOptions options = resolved(grid.sampling, problem);
    options.problem_id += static_cast<std::uint32_t>(member);
    const OuterBound bound = outer_bound(problem, {});
    const std::vector<OutputEnds> ends =
        output_ends(outputs, seek_extremes(problem, options, 0, outputs));
    const std::vector<Answer> wanted =
        answers(problem, outputs, ends, &bound, options.termination_tolerance);
    const std::vector<Answer>& found = result.states[member].answers;
    ASSERT_EQ(found.size(), 3u);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].question, grid.ask[i]);
      EXPECT_EQ(found[i].verdict, wanted[i].verdict) << grid.ask[i];
      EXPECT_EQ(found[i].tolerance, wanted[i].tolerance);
      if (found[i].verdict == Answer::Verdict::no) {
        EXPECT_NEAR(found[i].bound, wanted[i].bound, 1e-9);
      }
      ++verdicts[i][found[i].verdict];
    }
  }
  EXPECT_GT(verdicts[0][Answer::Verdict::yes], 0);
  EXPECT_GT(verdicts[0][Answer::Verdict::no], 0);
  EXPECT_EQ(verdicts[2][Answer::Verdict::no], 6);  // outcomes separate
  const auto counts = count_answers(result.states, 0);
  EXPECT_EQ(counts.at(Answer::Verdict::yes),
            static_cast<std::uint64_t>(verdicts[0][Answer::Verdict::yes]));
}

TEST_F(GridAnswers, FilesKeepTheAnswers) {
  const std::string contents = asked_of_each + std::string(R"(invalid = "skip"
scenario = "rocking_block"
[axes]
drop_speed = {values = [-1.0, 0.1, 0.5]}
[sampling]
trajectories = 100
)");
  const std::string spec_file = write("spec.toml", contents);
  const std::string file = text_path("grid.h5");
  const auto ran = run({"grid", spec_file, "-o", file});
  EXPECT_THAT(ran.out, HasSubstr("Questions: colliding states by answer"));
  const GridSpec grid = read_grid_spec(spec_file);
  const GridResult once = sample_grid(grid);
  const GridResult read = read_grid(file, grid);
  EXPECT_TRUE(once.states[0].answers.empty());
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<Answer>& one = once.states[i].answers;
    const std::vector<Answer>& other = read.states[i].answers;
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t k = 0; k < one.size(); ++k) {
      EXPECT_EQ(one[k].question, other[k].question);
      EXPECT_EQ(one[k].verdict, other[k].verdict);
      EXPECT_EQ(one[k].greater, other[k].greater);
      EXPECT_TRUE(test::same_bits(std::vector{one[k].found, one[k].bound, one[k].tolerance},
                                  std::vector{other[k].found, other[k].bound, other[k].tolerance}));
    }
  }
  const nlohmann::json told = run_json({"grid", spec_file, "-o", file});
  ASSERT_EQ(told["answers"].size(), 3u);
  EXPECT_EQ(told["answers"][2]["question"], "A normal < -1");
  EXPECT_EQ(told["answers"][2]["no"], 2);
  EXPECT_EQ(told["answers"][2]["open"], 0);
  const std::string other = write("other.toml", contents.substr(contents.find("invalid")));
  expect_bad_input(run({"grid", other, "-o", file}), "another specification");
}

TEST_F(GridAnswers, RefusesQuestionsAboutWhatThereIsNot) {
  const auto refused = [&](const std::string& ask) {
    const std::string file = write("ask.toml", "scenario = \"rocking_block\"\nask = " + ask +
                                                   "\n[axes]\nfriction = {values = [0.5]}\n");
    const auto ran = run({"grid", file, "-o", text_path("grid.h5")});
    EXPECT_EQ(ran.exit_code, 2);
    return ran.err;
  };
  EXPECT_THAT(refused("[\"C normal > 0\"]"), HasSubstr("ask.toml:2"));
  EXPECT_THAT(refused("[\"C normal > 0\"]"), HasSubstr("C normal"));
  EXPECT_THAT(refused("[\"A normal\"]"), HasSubstr("without > or < after its quantity"));
  EXPECT_THAT(refused("3"), HasSubstr("ask"));
}

TEST_F(GridAnswers, StopsBetweenAnswers) {
  const auto on_one_thread = [](GridSpec grid) {  // so that all runs make the same calls
    grid.sampling.threads = 1;
    return grid;
  };
  int while_sampling = -1;  // and once at the end of the block
  sample_grid(on_one_thread(spec()), [&](const GridResult&) { return ++while_sampling >= 0; });
  int called = 0;
  const GridResult part = sample_grid(on_one_thread(spec(asked_of_each)), [&](const GridResult&) {
    return ++called <= while_sampling;
  });
  EXPECT_EQ(called, while_sampling + 1);
  EXPECT_TRUE(part.states.empty());
  EXPECT_FALSE(part.complete);
}

TEST_F(GridAnswers, AnswersAreTheSameHoweverTheyWereStopped) {
  const auto read = [&](const std::string& more) {
    return read_grid_spec(write("spec.toml", more + R"(
scenario = "rocking_block"
[axes]
drop_speed = {min = 0.05, max = 0.7, count = 4}
friction = {values = [0.1, 0.3, 0.5, 0.7, 0.9]}
[sampling]
trajectories = 50
)"));
  };
  GridSpec grid = read(R"(ask = ["|B tangential| > 0.1", "B normal > 0.1"])");
  const std::string once = text_path("once.h5");
  write_grid(once, grid, sample_grid(grid));
  const GridResult part =
      sample_grid(grid, [](const GridResult& so_far) { return so_far.states.empty(); });
  ASSERT_EQ(part.states.size(), asked_grid_block);
  const std::string file = text_path("part.h5");
  write_grid(file, grid, part);
  grid.sampling.threads = 1;
  GridResult resumed = read_grid(file, grid);
  continue_grid(grid, resumed);
  write_grid(file, grid, resumed);
  EXPECT_TRUE(read_text(file) == read_text(once));
  EXPECT_THROW(read_grid(file, read(R"(ask = ["B normal > 0.1"])")), InputError);
}

/// The names and the proof of a scenario can change, while the specification does not.
TEST_F(GridAnswers, AnswersBelongToTheScenariosOutputsAndBound) {
  const auto grid = [&](const char* row, const char* scope) {
    write("block.toml", fmt::format("system = \"rocking_block\"\n[outputs]\nmatrix = [{}]\n"
                                    "names = [\"rise\"]\n[bound]\nscope = \"{}\"\n",
                                    row, scope));
    return read_grid_spec(write("spec.toml", R"(
scenario = "block.toml"
ask = ["rise > 0.05", "A normal > -1", "A normal > -1"]
[axes]
friction = {values = [0.3, 0.6]}
[sampling]
trajectories = 100
)"));
  };
  const GridSpec first = grid("[0, 1, 0]", "any-h");
  const GridResult found = sample_grid(first);
  for (const GridState& state : found.states) {
    EXPECT_EQ(state.answers[1].verdict, Answer::Verdict::yes);
    EXPECT_EQ(state.answers[2].verdict, Answer::Verdict::yes);
  }
  EXPECT_TRUE(notes(first, found).empty());  // both tables count
  const std::string file = text_path("grid.h5");
  write_grid(file, first, found);
  EXPECT_NO_THROW(read_grid(file, first));
  EXPECT_THROW(read_grid(file, grid("[0, 1, 0.1]", "any-h")), InputError);
  const GridSpec of_inclusion = grid("[0, 1, 0]", "inclusion");
  EXPECT_THROW(read_grid(file, of_inclusion), InputError);
  for (const GridState& state :
       sample_grid(of_inclusion).states) {  // outcomes of steps prove nothing
    for (const Answer& answer : state.answers) EXPECT_NE(answer.verdict, Answer::Verdict::yes);
  }
}

/// Which wall a ball hits depends on its velocity.
TEST_F(GridAnswers, QuestionsAboutContactsThatDoNotTouchAreOpen) {
  write("ball.toml", R"(system = "planar"
[world]
gravity = [0, 0]
friction = 0
[[floor]]
name = "left"
point = [-1, 0]
normal = [1, 0]
[[floor]]
name = "right"
point = [1, 0]
normal = [-1, 0]
[[body]]
name = "ball"
radius = 0.1
mass = 1
velocity = [-1, 0]
)");
  const GridSpec grid = read_grid_spec(write("walls.toml", R"(
scenario = "ball.toml"
ask = ["ball left normal > 0.5", "1, 0, 0 > 0.5"]
[axes]
"body.ball.velocity[0]" = {values = [-1.0, 1.0]}
[sampling]
trajectories = 10
)"));
  const GridResult found = sample_grid(grid);
  EXPECT_EQ(found.states[0].answers[0].verdict, Answer::Verdict::no);
  EXPECT_EQ(found.states[0].answers[1].verdict, Answer::Verdict::no);
  EXPECT_EQ(found.states[1].answers[0].verdict, Answer::Verdict::open);
  EXPECT_TRUE(std::isnan(found.states[1].answers[0].found));
  EXPECT_EQ(found.states[1].answers[1].verdict, Answer::Verdict::no);
}

TEST_F(GridAnswers, LawsWithoutABoundAnswerByTheirOutcomes) {
  const GridResult found = sample_grid(read_grid_spec(write("plus.toml", R"(
scenario = "rocking_block"
ask = ["A normal > -1", "A normal < -1"]
[axes]
restitution = {values = [0.0, 0.5]}
[law]
name = "plus"
)")));
  for (const GridState& state : found.states) {
    EXPECT_EQ(state.answers[0].verdict, Answer::Verdict::yes);
    EXPECT_EQ(state.answers[1].verdict, Answer::Verdict::open);
    EXPECT_TRUE(std::isnan(state.answers[1].bound));
  }
}

}  // namespace
}  // namespace carom
