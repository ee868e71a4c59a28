#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <ranges>
#include <set>
#include <thread>

#include "carom/carom.hpp"
#include "host/evidence/evidence.hpp"
#include "host/ranks/crew.hpp"
#include "host/ranks/many_ranks.hpp"
#include "host/ranks/trajectory_job.hpp"
#include "host/result/row_shards.hpp"
#include "tests/support/poisoned_rows.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

/// Ranks that are threads of this process, each with a mailbox.
class Mailboxes {
 public:
  void put(int to, Ranks::Message message) {
    const std::lock_guard lock(mutex_);
    boxes_[static_cast<std::size_t>(to)].push_back(std::move(message));
  }
  std::optional<Ranks::Message> take(int of) {
    const std::lock_guard lock(mutex_);
    auto& box = boxes_[static_cast<std::size_t>(of)];
    if (box.empty()) return std::nullopt;
    Ranks::Message message = std::move(box.front());
    box.pop_front();
    return message;
  }
  explicit Mailboxes(int size) : boxes_(static_cast<std::size_t>(size)) {}

 private:
  std::mutex mutex_;
  std::vector<std::deque<Ranks::Message>> boxes_;
};

class ThreadRanks : public Ranks {
 public:
  ThreadRanks(Mailboxes& boxes, int rank, int size) : boxes_(boxes) {
    place_ = {.rank = rank, .size = size, .local_rank = rank, .threads = 1, .host = "here"};
  }
  const Place& place() const override { return place_; }
  void send(int to, Bytes message) override { boxes_.put(to, {place_.rank, std::move(message)}); }
  void flush() override {}
  std::optional<Message> receive() override { return boxes_.take(place_.rank); }

 private:
  Mailboxes& boxes_;
  Place place_;
};

/// A crew of `size` ranks, of which those beyond the first are threads.
class TestCrew {
 public:
  TestCrew(int size, Jobs jobs) : jobs_(std::move(jobs)), boxes_(size), own_(boxes_, 0, size) {
    for (int rank = 1; rank < size; ++rank) {
      others_.emplace_back([this, rank, size] {
        ThreadRanks ranks(boxes_, rank, size);
        serve(ranks, jobs_);
      });
    }
    crew_.emplace(own_, jobs_);
  }
  ~TestCrew() {
    crew_.reset();
    for (std::thread& thread : others_) thread.join();
  }
  Crew& operator*() { return *crew_; }
  Crew* operator->() { return &*crew_; }

 private:
  Jobs jobs_;
  Mailboxes boxes_;
  ThreadRanks own_;
  std::vector<std::thread> others_;
  std::optional<Crew> crew_;
};

Job squares(int bad_rank = -1) {
  return {"squares", [bad_rank](const Bytes&, const Place& place) {
            const bool bad = place.rank == bad_rank;
            return StartedJob{[bad](const Bytes& order) {
                                if (bad) throw InputError("seven is no number");
                                const auto unit = Unpacker(order).get<std::uint64_t>();
                                return Packer().put(unit * unit).take();
                              },
                              {}};
          }};
}

TEST(Crew, DoesEachUnitOnce) {
  for (const int size : {1, 2, 5}) {
    TestCrew crew(size, {squares()});
    std::set<std::uint64_t> units;
    const bool all =
        crew->run_units("squares", {}, 100, [&](std::uint64_t unit, const Bytes& result) {
          EXPECT_EQ(Unpacker(result).get<std::uint64_t>(), unit * unit);
          EXPECT_TRUE(units.insert(unit).second) << "unit " << unit << " was done twice";
          return true;
        });
    EXPECT_TRUE(all);
    EXPECT_EQ(units.size(), 100U);
  }
}

TEST(Crew, GivesTheRestUpWhereAskedTo) {
  TestCrew crew(3, {squares()});
  int done = 0;
  EXPECT_FALSE(crew->run_units("squares", {}, 1'000'000,
                               [&](std::uint64_t, const Bytes&) { return ++done < 10; }));
  EXPECT_EQ(done, 10);
}

TEST(Crew, ThrowsWhatAnotherRankThrew) {
  TestCrew crew(3, {squares(2)});
  try {
    crew->run_units("squares", {}, 1'000'000, [](std::uint64_t, const Bytes&) { return true; });
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "rank 2: seven is no number");
  }
}

TEST(Crew, RefusesAJobThatNobodyKnows) {
  TestCrew crew(1, {squares()});
  EXPECT_THROW(crew->begin("cubes", {}), RunError);
}

TEST(Crew, DropsResultsOfARoundThatWasGivenUp) {
  TestCrew crew(3, {squares()});
  crew->begin("squares", {});
  std::uint64_t next = 0;
  const auto order = [&](int) -> std::optional<Bytes> { return Packer().put(next++).take(); };
  EXPECT_FALSE(crew->run(order, [](int, const Bytes&) { return false; }));
  int left = 4;
  std::size_t results = 0;
  const auto threes = [&](int) -> std::optional<Bytes> {
    if (left-- <= 0) return std::nullopt;
    return Packer().put(std::uint64_t{3}).take();
  };
  EXPECT_TRUE(crew->run(threes, [&](int, const Bytes& result) {
    EXPECT_EQ(Unpacker(result).get<std::uint64_t>(), 9U);
    ++results;
    return true;
  }));
  EXPECT_EQ(results, 4U);
}

TEST(ManyRanks, GrowTheSetOfOneProcess) {
  const System& gait = systems()[1];
  Scenario scenario = parse_scenario("system = \"" + gait.name + "\"");
  SamplingOptions& options = scenario.sampling;
  options.trajectories = 20'011;
  options.norm = Norm::kinetic;
  const PostImpactSet one = post_impact_set(scenario.problem, options);
  for (const int size : {1, 3}) {
    TestCrew crew(size, {trajectory_job()});
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
  TestCrew crew(3, {trajectory_job()});
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

TEST(Bytes, ComeBackAsTheyWere) {
  const Bytes bytes =
      Packer().put(std::uint8_t{7}).put(std::string("A")).put(std::vector{1.5, -0.0}).take();
  Unpacker in(bytes);
  EXPECT_EQ(in.get<std::uint8_t>(), 7);
  std::string text;
  std::vector<double> numbers;
  in.get(text).get(numbers);
  EXPECT_EQ(text, "A");
  ASSERT_EQ(numbers.size(), 2U);
  EXPECT_TRUE(std::signbit(numbers[1]));
  EXPECT_THROW(in.get<std::uint8_t>(), RunError) << "there is nothing left";
}

}  // namespace
}  // namespace carom
