#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <ranges>

#include "carom/carom.hpp"
#include "host/base/interrupt.hpp"
#include "host/ranks/family_jobs.hpp"
#include "host/ranks/many_ranks.hpp"
#include "host/ranks/slots_on_ranks.hpp"
#include "host/result/row_shards.hpp"
#include "host/run/evidence.hpp"
#include "tests/support/poisoned_rows.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/thread_ranks.hpp"

namespace carom {
namespace {

using test::MakeTasks;
using test::TestCrew;

Tasks trajectories(const Place& place) { return {trajectory_task(place)}; }

/// Ranks that multiply a number by their own.
MakeTasks products(const std::function<void(int rank)>& before = {}) {
  return [before](const Place& place) -> Tasks {
    return {{"product", [before, rank = place.rank](const Bytes& order) {
               if (before) before(rank);
               return pack(rank * unpack<int>(order));
             }}};
  };
}

TEST(Crew, GathersWhatEachRankFindsInTheirOrder) {
  for (const int size : {1, 2, 5}) {
    TestCrew crew(size, products());
    for (const int number : {7, -3}) {
      const auto results = crew->ask("product", pack(number));
      ASSERT_TRUE(results);
      ASSERT_EQ(results->size(), static_cast<std::size_t>(size));
      for (int rank = 0; rank < size; ++rank) {
        EXPECT_EQ(unpack<int>((*results)[static_cast<std::size_t>(rank)]), rank * number);
      }
    }
  }
}

TEST(Crew, ThrowsWhatAnyRankThrew) {
  for (const int bad : {0, 2}) {
    TestCrew crew(3, products([bad](int rank) {
                    if (rank == bad) throw InputError("seven is no number");
                  }));
    try {
      crew->ask("product", pack(7));
      FAIL() << "nothing was thrown";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), bad == 0 ? "seven is no number" : "rank 2: seven is no number");
    }
  }
}

TEST(Crew, GoesOnAfterAnError) {
  TestCrew crew(3, products());
  EXPECT_THROW(crew->ask("product", {}), RunError) << "the order has no number";
  const auto results = crew->ask("product", pack(7));
  ASSERT_TRUE(results);
  EXPECT_EQ(unpack<int>(results->back()), 14);
}

TEST(Crew, TellsOneErrorWhereAllRanksFail) {
  TestCrew crew(3, products([](int rank) { throw RunError(rank == 0 ? "first" : "another"); }));
  try {
    crew->ask("product", pack(7));
    FAIL() << "nothing was thrown";
  } catch (const RunError& error) {
    EXPECT_STREQ(error.what(), "first");
  }
}

TEST(Crew, StopsWhereASignalAsksAnyRankTo) {
  TestCrew crew(3, products([](int rank) {
                  if (rank == 2) interrupt();
                }));
  EXPECT_FALSE(crew->ask("product", pack(1)));
  EXPECT_FALSE(crew->ask("product", pack(1)));
  const InterruptGuard forgets_the_signal;
}

TEST(Crew, RefusesATaskThatNobodyKnows) {
  TestCrew crew(1, products());
  EXPECT_THROW(crew->ask("quotient", {}), RunError);
}

TEST(ManyRanks, GrowTheSetOfOneProcess) {
  const System& gait = systems()[1];
  Scenario scenario = parse_scenario("system = \"" + gait.name + "\"");
  SamplingOptions& options = scenario.sampling;
  options.trajectories = 20'011;
  options.norm = Norm::kinetic;
  const PostImpactSet one = post_impact_set(scenario.problem, options);
  for (const int size : {1, 3}) {
    TestCrew crew(size, trajectories);
    ManyRanks engine(*crew, 1000);
    std::uint64_t rows = 0;
    SamplingOptions half = options;
    half.trajectories = 9'001;
    const ChunkObserver count = [&](const SampleSet& chunk, const PostImpactSet&) {
      rows += chunk.size();
      return true;
    };
    PostImpactSet many = empty_set(scenario.problem, options);
    many = engine.grow(scenario.problem, half, std::move(many), count);
    many = engine.grow(scenario.problem, options, std::move(many), count);
    EXPECT_TRUE(many.complete);
    EXPECT_EQ(rows, 1000U) << "rows that nobody stores travelled";
    EXPECT_EQ(many.net.index(), one.net.index());
    EXPECT_TRUE(test::same_bits(many.net.velocity(), one.net.velocity()));
    EXPECT_EQ(many.summary.checksum, one.summary.checksum);
    EXPECT_EQ(many.summary.energy_sum, one.summary.energy_sum);
    EXPECT_EQ(many.summary.lcp_histogram, one.summary.lcp_histogram);
    const HoldOutPlan plan{
        .trajectories = 20'011, .first = 20'011, .trials = 5'000, .confidence = 0.99};
    const auto test = engine.test(scenario.problem, options, many.net, plan, {});
    const HoldOut alone = hold_out(scenario.problem, options, one.net, 20'011, 20'011, 5'000, 0.99);
    ASSERT_TRUE(test);
    EXPECT_EQ(test->misses, alone.misses);
    EXPECT_EQ(test->miss_bound, alone.miss_bound);
  }
}

TEST(ManyRanks, WriteRowsToShardsWithoutRankZero) {
  Scenario scenario = parse_scenario("system = \"rocking_block\"");
  scenario.sampling.trajectories = 150'001;
  scenario.storage.shard_rows = 30'000;
  const test::TemporaryFolder folder;
  const RowShardPlan plan = plan_row_shards(folder.path() / "result.h5", scenario);
  prepare(plan, scenario);
  TestCrew crew(3, trajectories);
  ManyRanks engine(*crew, 100'000, plan);
  RowShards shards(plan.folder, plan.run);
  std::uint64_t travelled = 0;
  const ChunkObserver list = [&](const SampleSet& chunk, const PostImpactSet& so_far) {
    travelled += chunk.size();
    const std::uint64_t end = std::min<std::uint64_t>(so_far.summary.trajectories, 100'000);
    if (end > shards.rows()) shards.add({shards.rows(), end - shards.rows()});
    return true;
  };
  const PostImpactSet many = engine.grow(scenario.problem, scenario.sampling,
                                         empty_set(scenario.problem, scenario.sampling), list);
  EXPECT_EQ(travelled, 0U);
  EXPECT_EQ(shards.rows(), 100'000U);
  const SampleSet expected = sample(scenario.problem, scenario.sampling);
  EXPECT_EQ(many.summary.checksum, checksum(expected));
  SampleSet found = test::poisoned_rows(scenario.problem, scenario.sampling, 100'000);
  shards.read_rows(found, "result.h5");
  test::expect_same_bits(test::rows_of(expected, std::views::iota(0u, 100'000u), 0), found);
}

TEST(SlotsOnRanks, AreThoseOfOneProcess) {
  Scenario scenario = parse_scenario("system = \"compass_gait\"");
  scenario.sampling.epsilon = 0.01;
  // 67 slots on each of two islands: no number of ranks divides them evenly.
  const ExploreOptions explored = {.budget = 10'000, .slots = 67};
  const std::pair<Law, double> cases[] = {// single steps, phases, and another law
                                          {law::SetValued{}, 0.25},
                                          {law::SetValued{}, 0.0025},
                                          {law::Sequential{}, 0.25}};
  for (const auto& [law, impulse_step] : cases) {
    scenario.sampling.law = law;
    scenario.sampling.impulse_step = impulse_step;
    const Exploration one = explore(scenario.problem, scenario.sampling, explored);
    for (const int size : {1, 2, 3}) {
      TestCrew crew(size, [](const Place& place) -> Tasks { return {slots_task(place)}; });
      const Exploration many = explore(scenario.problem, scenario.sampling, explored, {}, {},
                                       nullptr, slots_on_ranks(*crew, scenario));
      EXPECT_EQ(many.lcps, one.lcps);
      EXPECT_EQ(many.rounds, one.rounds);
      EXPECT_TRUE(test::same_bits(many.net.velocity(), one.net.velocity()));
      for (std::size_t island = 0; island < 2; ++island) {
        EXPECT_EQ(many.trees[island].parent, one.trees[island].parent);
        EXPECT_TRUE(test::same_bits(many.trees[island].step, one.trees[island].step));
      }
    }
  }
}

/// A round that a signal interrupts leaves no trace: a search that continues is one search.
TEST(SlotsOnRanks, DropTheRoundThatASignalInterrupts) {
  Scenario scenario = parse_scenario("system = \"compass_gait\"");
  scenario.sampling.epsilon = 0.01;
  const ExploreOptions explored = {.budget = 10'000};
  const Exploration one = explore(scenario.problem, scenario.sampling, explored);
  const auto on_two_ranks = [&](int last_round, std::optional<Exploration> start) {
    TestCrew crew(2, [last_round](const Place& place) -> Tasks {
      auto [name, task] = slots_task(place);
      return {{name, [task, rank = place.rank, left = last_round](const Bytes& order) mutable {
                 if (rank == 1 && --left == 0) interrupt();
                 return task(order);
               }}};
    });
    return explore(scenario.problem, scenario.sampling, explored, {}, std::move(start), nullptr,
                   slots_on_ranks(*crew, scenario));
  };
  Exploration part = on_two_ranks(5, std::nullopt);
  EXPECT_FALSE(part.complete);
  EXPECT_EQ(part.rounds, 4u);
  const InterruptGuard forgets_the_signal;
  const Exploration continued = on_two_ranks(0, std::move(part));
  EXPECT_TRUE(continued.complete);
  EXPECT_EQ(continued.lcps, one.lcps);
  EXPECT_TRUE(test::same_bits(continued.net.velocity(), one.net.velocity()));
}

/// A grid of some blocks, whose first states break a rule.
class GridOnRanks : public testing::Test {
 protected:
  GridOnRanks() {
    std::ofstream(file_) << R"(
nets = true
ask = ["B tangential > 0.05"]
scenario = "rocking_block"
invalid = "skip"
[axes]
drop_speed = {min = -0.01, max = 1.0, count = 200}
[sampling]
trajectories = 20
)";
    spec_.emplace(read_grid_spec(file_));
  }

  GridResult sample(int ranks, const GridObserver& observer = {}) const {
    TestCrew crew(ranks, [](const Place& place) -> Tasks { return {grid_task(place)}; });
    GridResult result;
    continue_grid(*spec_, result, observer, grid_on_ranks(*crew, file_, *spec_));
    return result;
  }

  test::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "grid.toml";
  std::optional<GridSpec> spec_;
};

TEST_F(GridOnRanks, EachStateComesOnceAndInOrder) {
  const GridResult alone = sample_grid(*spec_);
  EXPECT_FALSE(alone.states.front().valid());
  EXPECT_TRUE(alone.states.back().valid());
  for (const int ranks : {1, 2, 3}) {
    const GridResult found = sample(ranks);
    EXPECT_TRUE(found.complete);
    ASSERT_EQ(found.states.size(), 200U);
    for (std::size_t i = 0; i < found.states.size(); ++i) {
      EXPECT_EQ(found.states[i].refusal, alone.states[i].refusal);
      EXPECT_EQ(found.states[i].checksum, alone.states[i].checksum);
      EXPECT_EQ(found.states[i].modes, alone.states[i].modes);
      EXPECT_EQ(found.states[i].net_index, alone.states[i].net_index);
      EXPECT_EQ(found.states[i].net_diameter, alone.states[i].net_diameter);
      ASSERT_EQ(found.states[i].answers.size(), alone.states[i].answers.size());
      for (const Answer& answer : found.states[i].answers) {
        EXPECT_EQ(answer.question, "B tangential > 0.05");
        EXPECT_EQ(answer.verdict, alone.states[i].answers[0].verdict);
        const Answer& wanted = alone.states[i].answers[0];
        EXPECT_TRUE(test::same_bits(std::vector{answer.found, answer.bound, answer.tolerance},
                                    std::vector{wanted.found, wanted.bound, wanted.tolerance}));
      }
    }
  }
}

TEST_F(GridOnRanks, GivesTheRestUpWhereAskedTo) {
  const GridResult found = sample(
      2, [](const GridResult& so_far) { return so_far.states.size() < 2 * asked_grid_block; });
  EXPECT_FALSE(found.complete);
  EXPECT_EQ(found.states.size(), 2 * asked_grid_block);
}

TEST_F(GridOnRanks, RefusesWhereASpecificationIsNotThatOfRankZero) {
  GridSpec other = *spec_;
  other.sampling.seed = 7;
  TestCrew crew(2, [](const Place& place) -> Tasks { return {grid_task(place)}; });
  GridResult result;
  EXPECT_THROW(continue_grid(other, result, {}, grid_on_ranks(*crew, file_, other)), InputError);
}

TEST(Summary, SumsEnergiesInAnyOrderToTheSameBits) {
  const Scenario scenario = parse_scenario("system = \"rocking_block\"");
  SamplingOptions options = scenario.sampling;
  options.trajectories = 3000;
  const SampleSet all = sample(scenario.problem, options);
  SampleSet reversed = all;
  std::reverse(reversed.energy.begin(), reversed.energy.end());
  std::reverse(reversed.status.begin(), reversed.status.end());
  const Summary one = summarize(scenario.problem, all);
  const Summary other = summarize(scenario.problem, reversed);
  EXPECT_EQ(one.energy_units.low, other.energy_units.low);
  EXPECT_EQ(one.energy_units.high, other.energy_units.high);
  long double sum = 0.0L;
  for (std::size_t row = 0; row < all.size(); ++row) {
    if (all.status[row] == Status::separated) sum += all.energy[row];
  }
  // Each energy is rounded to 2^-62 of the energy before: half of that, 3000 times.
  const double bound = 1500 * std::ldexp(2.0 * one.energy_before, -62) + 1e-16 * one.energy_sum;
  EXPECT_NEAR(one.energy_sum, static_cast<double>(sum), bound);
}

TEST(EnergyUnits, CarryIntoTheUpperHalf) {
  EnergyUnits units{.low = UINT64_MAX, .high = 2};
  units.add({.low = 3, .high = 1});
  EXPECT_EQ(units.low, 2U);
  EXPECT_EQ(units.high, 4U);
}

struct Pair {
  std::uint8_t number = 0;
  std::vector<std::string> texts;
};

void each_field(Pair& pair, Archive& archive) { archive(pair.number, pair.texts); }

TEST(Bytes, ComeBackAsTheyWere) {
  const Bytes bytes = pack(Pair{7, {"A", ""}}, std::vector{1.5, -0.0}, std::vector<Pair>(2));
  Archive in(bytes);
  const auto pair = in.get<Pair>();
  EXPECT_EQ(pair.number, 7);
  EXPECT_EQ(pair.texts, (std::vector<std::string>{"A", ""}));
  const auto numbers = in.get<std::vector<double>>();
  ASSERT_EQ(numbers.size(), 2U);
  EXPECT_EQ(numbers[0], 1.5);
  EXPECT_TRUE(std::signbit(numbers[1]));
  EXPECT_EQ(in.get<std::vector<Pair>>().size(), 2U);
  EXPECT_THROW(in.get<std::uint8_t>(), RunError) << "there is nothing left";
  const Bytes too_long = pack(std::uint64_t{1} << 60);
  EXPECT_THROW(unpack<std::vector<double>>(too_long), RunError);
}

}  // namespace
}  // namespace carom
