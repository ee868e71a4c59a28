#include "host/evidence/extremes_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/laws/set_valued/caps_plan.hpp"

namespace carom {
namespace {

constexpr int contacts = 3;
constexpr std::size_t width = contacts + 1;

TEST(ScriptMoves, KeepCapsInTheFamilyOfTheirComponent) {
  const CapsPlan plan =
      plan_caps(parse_caps("uniform + simplex + corners:16 + weighted:1,0.25,1e-3"), contacts, 10);
  const CapsView view = plan.view();
  const ScriptMoves moves(view, contacts);
  bool seen[4] = {};
  for (std::uint64_t trajectory = 0; trajectory < 400; ++trajectory) {
    const Philox numbers(1, 2, trajectory);
    SearchNumbers random(numbers);
    ScriptedSteps script = moves.draw(numbers, trajectory, 4);
    script.steps_taken = 3;
    for (int turn = 0; turn < 4; ++turn) {
      moves.move_all(script, 0.25, random);
      moves.move_some(script, 0.25, random);
      moves.move_steps(script, random);
      moves.set_steps(script, 4 + trajectory % 3);
    }
    seen[script.component] = true;
    ASSERT_EQ(script.numbers.size(), (4 + trajectory % 3) * width);
    for (std::size_t step = 0; step < script.numbers.size(); step += width) {
      const double* const caps = script.numbers.data() + step;
      const double sum = std::accumulate(caps, caps + contacts, 0.0);
      if (script.component == 1 || script.component == 2) {
        EXPECT_NEAR(sum, 1.0, 1e-15);
      }
      for (std::size_t i = 0; i < width; ++i) {
        const bool scaled = script.component == 3 && i < contacts;
        EXPECT_GE(caps[i], 0.0);
        EXPECT_LE(caps[i], scaled ? plan.scale[3 * contacts + i] : 1.0);
        if (script.component == 0 || i == contacts) {
          EXPECT_GT(caps[i], 0.0);
        }
      }
    }
  }
  EXPECT_TRUE(std::ranges::all_of(seen, [](bool s) { return s; }));
}

TEST(ScriptMoves, DrawWhatTheTrajectoryUses) {
  const CapsPlan plan = plan_caps(parse_caps("uniform"), contacts, 10);
  const CapsView view = plan.view();
  const Philox random(1, 2, 77);
  const ScriptedSteps script = ScriptMoves(view, contacts).draw(random, 77, 2);
  double first[2];
  double third[2];
  random.uniform_pair(1, Purpose::caps, 0, first);
  random.uniform_pair(1, Purpose::caps, 1, third);
  EXPECT_EQ(script.numbers[width], first[0]);
  EXPECT_EQ(script.numbers[width + 1], first[1]);
  EXPECT_EQ(script.numbers[width + 2], third[0]);
}

TEST(ScriptMoves, ExtendAScriptByTheLargestCaps) {
  const CapsPlan plan = plan_caps(parse_caps("weighted:1,0.5,0.25 + simplex"), contacts, 10);
  const CapsView view = plan.view();
  const ScriptMoves moves(view, contacts);
  EXPECT_EQ(moves.last_step(0), (std::vector<double>{1.0, 0.5, 0.25, 1.0}));
  for (std::size_t i = 0; i < contacts; ++i) EXPECT_DOUBLE_EQ(moves.last_step(1)[i], 1.0 / 3.0);
}

/// Searches for the script nearest to a point that has coordinates at both ends and within; every
/// script takes `steps` steps. Returns the best value, minus the greatest distance in a coordinate.
double search_for_a_point(std::uint32_t seed, int generations) {
  constexpr int steps = 2;
  const std::vector<double> point = {1.0, 0.0, 0.3, 0.5, 0.25, 1.0, 0.0, 0.9};
  const auto evaluate = [&](ScriptedSteps& script) {
    double distance = 0.0;
    for (std::size_t i = 0; i < point.size(); ++i) {
      distance = std::max(distance, std::abs(script.numbers[i] - point[i]));
    }
    script.value = -distance;
    script.steps_taken = steps;
  };
  const CapsPlan plan = plan_caps(parse_caps("uniform"), contacts, steps);
  const CapsView view = plan.view();
  const ScriptMoves moves(view, contacts);
  const Philox random(seed, 0, 0);
  ExtremeSearch search(moves, steps, random, 0);
  double best = -1.0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    ScriptedSteps script = moves.draw(random.of(i), i, steps);
    evaluate(script);
    search.start_from(script);
    best = std::max(best, script.value);
  }
  for (int generation = 0; generation < generations; ++generation) {
    std::vector<ScriptedSteps> tried = search.propose(generation);
    EXPECT_EQ(tried.size(), static_cast<std::size_t>(ExtremeSearch::population));
    for (ScriptedSteps& script : tried) {
      evaluate(script);
      best = std::max(best, script.value);
    }
    search.learn(generation, tried);
  }
  return best;
}

TEST(ExtremeSearch, FindsAPointWithCoordinatesWithinAndAtTheEnds) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    EXPECT_LT(search_for_a_point(seed, 0), -0.05) << "or the start is the solution";
    EXPECT_GT(search_for_a_point(seed, ExtremeSearch::generations), -1e-3);
  }
}

TEST(ExtremeSearch, SearchesOneStepMoreThanItsScriptsTook) {
  const CapsPlan plan = plan_caps(parse_caps("uniform"), contacts, 10);
  const CapsView view = plan.view();
  const ScriptMoves moves(view, contacts);
  ExtremeSearch search(moves, 4, Philox(1, 0, 0), 0);
  EXPECT_EQ(search.propose(0).front().numbers.size(), width) << "nothing to start from";
  ScriptedSteps script = moves.draw(Philox(1, 0, 5), 5, 2);
  script.steps_taken = 2;
  search.start_from(script);
  EXPECT_EQ(search.propose(0).front().numbers.size(), 3 * width);
  script.steps_taken = 4;
  script.value = 1.0;
  search.adopt(0, script);
  EXPECT_EQ(search.propose(0).front().numbers.size(), 4 * width) << "but no more than max_steps";
}

TEST(ExtremeSearch, DoesNotLearnFromScriptsWithoutAnOutcome) {
  const CapsPlan plan = plan_caps(parse_caps("uniform"), contacts, 10);
  const CapsView view = plan.view();
  const ScriptMoves moves(view, contacts);
  ExtremeSearch search(moves, 10, Philox(1, 0, 0), 0);
  ScriptedSteps script = moves.draw(Philox(1, 0, 5), 5, 1);
  script.steps_taken = 1;
  search.start_from(script);
  std::vector<ScriptedSteps> tried = search.propose(0);
  for (ScriptedSteps& failed : tried) failed.value = 5.0;  // steps_taken is 0
  search.learn(0, tried);
  script.value = 1.0;  // better than the start, and so adopted in its place
  script.steps_taken = 6;
  search.adopt(0, script);
  EXPECT_EQ(search.propose(0).front().numbers.size(), 7 * width);
}

}  // namespace
}  // namespace carom
