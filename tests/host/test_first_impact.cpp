#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "carom/carom.hpp"
#include "carom/roll.hpp"

namespace carom {
namespace {

/// The text of a doubt; empty if there is none.
std::string doubt(const ImpactProblem& problem, const std::string& code) {
  const auto found = std::ranges::find(problem.doubts, code, &Note::code);
  return found == problem.doubts.end() ? "" : found->text;
}

std::string near_contacts(const ImpactProblem& problem) { return doubt(problem, "near_contacts"); }

TEST(FirstImpact, OfABuiltInSystemIsItsProblem) {
  const Scenario scenario =
      parse_scenario("system = \"rocking_block\"\n[parameters]\ndrop_height = 0.02\n");
  const ImpactProblem& expected = scenario.problem;
  const ImpactProblem found = first_impact(*scenario.world);
  ASSERT_EQ(found.contacts(), 2);
  EXPECT_TRUE(found.mass_matrix.isApprox(expected.mass_matrix, 1e-14));
  EXPECT_TRUE(found.normal_jacobian.isApprox(expected.normal_jacobian, 1e-8));
  EXPECT_TRUE(found.tangent_jacobian.isApprox(expected.tangent_jacobian, 1e-8));
  EXPECT_TRUE(found.pre_impact_velocity.isApprox(expected.pre_impact_velocity, 1e-8));
}

/// [start] draws starts of rollouts: sets and families of impacts begin at the stated one.
TEST(FirstImpact, TellsThatItsStartIsNotDrawn) {
  const std::string text = "system = \"rocking_block\"\n[roll]\n";
  EXPECT_EQ(doubt(parse_scenario(text).problem, "start_not_drawn"), "");
  const Scenario drawn =
      parse_scenario(text + "[start.position]\nangle = {min = -0.1, max = 0.1}\n");
  EXPECT_THAT(doubt(drawn.problem, "start_not_drawn"),
              testing::HasSubstr("this is the impact from"));
}

/// Two discs at rest in a row and a third that hits the first of them, with gaps.
TEST(FirstImpact, TellsPairsThatAlmostTouch) {
  const auto row = [](const std::string& gap, const std::string& rest) {
    return parse_scenario(
        "system = \"planar\"\n[[body]]\nname = \"a\"\nradius = 0.1\nmass = 1\n"
        "position = [-0.5, 0.1]\nvelocity = [1, 0]\n"
        "[[body]]\nname = \"b\"\nradius = 0.1\nmass = 1\nposition = [0, 0.1]\n"
        "[[body]]\nname = \"c\"\nradius = 0.1\nmass = 1\nposition = [" +
        gap + ", 0.1]\n[world]\nfriction = 1\ngravity = [0, 0]\n[[floor]]\nname = \"ground\"\n" +
        rest);
  };
  const Scenario apart = row("0.2004", "");
  EXPECT_EQ(apart.problem.contacts(), 3);  // two discs, and each of them on the ground
  EXPECT_THAT(near_contacts(apart.problem), testing::HasSubstr(": c b (0.0004 m);"));
  const std::vector<Note> told = notes(apart.problem, apart.sampling);
  const auto is_near = [](const Note& note) { return note.code == "near_contacts"; };
  ASSERT_EQ(std::ranges::count_if(told, is_near), 1);
  EXPECT_THAT(std::ranges::find_if(told, is_near)->text, testing::HasSubstr("c b (0.0004 m)"));

  const Scenario joined = row("0.2004", "[roll]\nwindow = 5e-4\n");
  EXPECT_EQ(joined.problem.contacts(), 5);
  EXPECT_EQ(near_contacts(joined.problem), "");
  EXPECT_EQ(near_contacts(row("0.202", "").problem), "");
  const std::string elsewhere =  // two discs that have nothing to do with the impact
      "[[body]]\nname = \"d\"\nradius = 0.1\nmass = 1\nposition = [3, 0.1001]\n"
      "[[body]]\nname = \"e\"\nradius = 0.1\nmass = 1\nposition = [3.2003, 0.1001]\n";
  EXPECT_EQ(near_contacts(row("0.2004", elsewhere).problem), near_contacts(apart.problem));
  EXPECT_EQ(parse_scenario(to_toml(joined)).problem.contacts(), 5);
  Scenario flag = apart;  // of carom roll: the motion has another window than the problem
  flag.roll = RollOptions{.window = 5e-4};
  EXPECT_NO_THROW(world_of(flag));
}

/// Discs that land side by side: the first impact is that of one of them.
TEST(FirstImpact, TellsImpactsOfTheSameTime) {
  const auto others = [](const char* height, const char* system, const char* more) {
    return doubt(parse_scenario(std::string("world.friction = 1\nsystem = \"") + system +
                                "\"\n[[body]]\nname = \"a\"\nradius = 0.1\nmass = 1\nposition = "
                                "[0, " +
                                more + "0.3]\n[[body]]\nname = \"b\"\nradius = 0.1\nmass = 1\n" +
                                "position = [1, " + more + height + "]\n[[floor]]\n")
                     .problem,
                 "other_impacts");
  };
  for (const auto& [system, more] : {std::pair("planar", ""), {"spatial", "0, "}}) {
    EXPECT_THAT(others("0.3", system, more), testing::HasSubstr(": b floor 1;")) << system;
    EXPECT_EQ(others("0.31", system, more), "") << system;
    EXPECT_EQ(others("0.1", system, more), "") << system << ": it rests";
  }
}

/// Two bars across one another, of which no corner is inside the other, do not start a motion.
TEST(FirstImpact, RefusesBodiesThatLieAcrossOneAnother) {
  const auto start = [](const char* place) {
    return parse_scenario(
        std::string(
            "system = \"planar\"\nworld.friction = 1\n[[body]]\nname = \"flat\"\nmass = 1\n") +
        "size = [1.0, 0.1]\nposition = [0, 0.5]\n" +
        "[[body]]\nname = \"tall\"\nmass = 1\nsize = [0.1, 1.0]\nposition = [" + place +
        "]\n[[floor]]\nname = \"floor\"\n");
  };
  EXPECT_NO_THROW(start("0.56, 0.6"));
  try {
    start("0, 0.6");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("across one another (must have a gap)"));
  }
}

/// Beside a body of 2 mm, a gap of 40 um is as clear as one of 4 mm beside a body of 20 cm.
TEST(FirstImpact, TellsPairsThatAlmostTouchForTheirSize) {
  const auto near_at = [](const char* place) {
    return near_contacts(
        parse_scenario(
            std::string("system = \"planar\"\n[world]\nfriction = 1\ngravity = [0, 0]\n") +
            "[[body]]\nname = \"a\"\nradius = 1e-3\nmass = 1e-6\n" +
            "position = [-5e-3, 0]\nvelocity = [1, 0]\n" +
            "[[body]]\nname = \"b\"\nradius = 1e-3\nmass = 1e-6\n" +
            "[[body]]\nname = \"c\"\nradius = 1e-3\nmass = 1e-6\nposition = [" + place + ", 0]\n")
            .problem);
  };
  EXPECT_EQ(near_at("2.04e-3"), "");
  EXPECT_THAT(near_at("2.01e-3"), testing::HasSubstr(": c b (1e-05 m);"));
}

/// Corners of two blocks that meet are one contact, though each touches an edge of the other block.
TEST(FirstImpact, CornersThatMeetAreOneContact) {
  const auto contacts = [](double shift, double angle) {
    const Scenario scenario = parse_scenario(
        "system = \"planar\"\nworld.friction = 1\n[[floor]]\nname = \"ground\"\n"
        "[[body]]\nname = \"a\"\nsize = [0.4, 0.2]\nmass = 1\nposition = [0, 0.1]\n"
        "[[body]]\nname = \"b\"\nsize = [0.4, 0.2]\nmass = 1\nvelocity = [0, -1]\nposition = [" +
        std::to_string(shift) + ", 0.31]\nangle_deg = " + std::to_string(angle) + "\n");
    EXPECT_EQ(near_contacts(scenario.problem), "");
    return scenario.problem.contact_names;
  };
  using testing::ElementsAre;
  EXPECT_THAT(contacts(0.0, 0.0), ElementsAre("a 1 ground", "a 2 ground", "b 1 a", "b 2 a"));
  EXPECT_THAT(contacts(0.0, 180.0), ElementsAre("a 1 ground", "a 2 ground", "b 3 a", "b 4 a"));
  EXPECT_THAT(contacts(5e-4, 0.0), ElementsAre("a 1 ground", "a 2 ground", "b 1 a", "a 3 b"));
}

/// Rounding does not say which edge a corner touches, in any place.
TEST(FirstImpact, FlushBlocksTouchByTheirEdges) {
  using testing::ElementsAre;
  for (const double place : {0.0, 0.3, 0.4, 0.7, 1000.3}) {
    for (const double width : {0.1, 0.3, 0.7}) {
      const std::string block = fmt::format("[[body]]\nsize = [{}, 0.3]\nmass = 1\n", width);
      const ImpactProblem stack =
          parse_scenario(
              fmt::format(
                  "system = \"planar\"\nworld.friction = 1\n[[floor]]\n{}position = [{}, 0.15]\n{}"
                  "position = [{}, 0.45]\nvelocity = [1, -1]\n",
                  block, place, block, place))
              .problem;
      ASSERT_EQ(stack.contacts(), 4) << place << ' ' << width;
      const Eigen::MatrixXd upper = stack.normal_jacobian.bottomRows(2);
      EXPECT_TRUE(upper.col(3).isZero(0.0)) << place << ' ' << width;
      EXPECT_TRUE(upper.col(4).isOnes(1e-12));
    }
  }
}

/// Where corners of blocks in a row meet, edges above one another lie on one line: none of them is
/// what the other block's corner touches.
TEST(FirstImpact, BlocksInARowTouchSideBySide) {
  using testing::ElementsAre;
  for (const double width : {0.02, 0.2, 1.0}) {
    for (const double height : {0.1, 0.2, 1.0}) {
      const auto block = [&](const char* name, double place, double its, double speed) {
        return fmt::format(
            "[[body]]\nname = \"{}\"\nsize = [{}, {}]\nmass = 1\nposition = [{}, {}]\n"
            "velocity = [{}, 0]\n",
            name, width, its, place, 0.5 * its, speed);
      };
      const ImpactProblem row =
          parse_scenario("system = \"planar\"\nworld.friction = 1\n[[floor]]\nname = \"ground\"\n" +
                         block("a", 0.0, height, 1.0) + block("b", width, height, 0.0) +
                         block("c", 2.0 * width, 0.5 * height, 0.0))
              .problem;
      ASSERT_THAT(row.contact_names,
                  ElementsAre("a 1 ground", "a 2 ground", "b 1 ground", "b 2 ground", "c 1 ground",
                              "c 2 ground", "b 1 a", "b 4 a", "c 1 b", "c 4 b"))
          << width << ' ' << height;
      for (const int upwards : {1, 4, 7}) {
        EXPECT_TRUE(row.normal_jacobian.bottomRows(4).col(upwards).isZero(1e-12));
      }
    }
  }
}

/// A block slides over the seam of two others without friction, whatever rounding says of its ends.
TEST(FirstImpact, IsNoneAtTheSeamOfFlushBlocks) {
  for (const double speed : {-1.0, 1.0}) {
    for (const double place : {0.0, 0.3, 0.41}) {
      const double start = place + 0.5 - 0.4 * speed;
      const Scenario scenario = parse_scenario(fmt::format(
          "system = \"planar\"\n[world]\nfriction = 0\n[[floor]]\n"
          "[[body]]\nsize = [1.0, 0.5]\nmass = 5\nposition = [{}, 0.25]\n"
          "[[body]]\nsize = [1.0, 0.5]\nmass = 5\nposition = [{}, 0.25]\n"
          "[[body]]\nsize = [0.5, 0.2]\nmass = 1\nposition = [{}, 0.6]\nvelocity = [{}, 0]\n",
          place, place + 1.0, start, speed));
      RollOptions options;
      options.rollouts = 1;
      options.duration = 0.8;
      const Rollouts found = roll(world_of(scenario), {}, options);
      EXPECT_EQ(found.impacts[0], 0) << speed << ' ' << place;
      EXPECT_NEAR(found.position[found.position.size() - 3], start + 0.8 * speed, 1e-9);
    }
  }
}

}  // namespace
}  // namespace carom
