#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "carom/carom.hpp"
#include "host/run/evidence.hpp"
#include "host/run/net_search.hpp"
#include "host/run/searched_rows.hpp"
#include "tests/support/note_text.hpp"
#include "tests/support/refusal.hpp"

namespace carom {
namespace {

using testing::HasSubstr;

/// The brick on its corners, whose set has outcomes that random caps hardly ever reach.
Scenario brick(std::uint64_t trajectories) {
  Scenario scenario = load_scenario(CAROM_SOURCE_DIR "/scenarios/brick_corners.toml");
  scenario.sampling.trajectories = trajectories;
  resolve(scenario);
  return scenario;
}

EvidenceOptions search_only() {
  EvidenceOptions evidence;
  evidence.hold_out = 0;
  evidence.comparison = false;
  return evidence;
}

PostImpactSet searched(const Scenario& scenario, const EvidenceOptions& evidence = search_only()) {
  PostImpactSet set = post_impact_set(scenario.problem, scenario.sampling);
  add_evidence(scenario.problem, scenario.sampling, evidence, set);
  return set;
}

TEST(NetSearch, AddsOutcomesBeyondTheTrajectories) {
  const Scenario scenario = brick(1024);
  const ImpactProblem& problem = scenario.problem;
  const PostImpactSet plain = post_impact_set(problem, scenario.sampling);
  const PostImpactSet set = searched(scenario);
  ASSERT_TRUE(set.search);
  EXPECT_GT(set.search->members, 0u);
  EXPECT_EQ(set.net.size(), plain.net.size() + set.search->members);
  EXPECT_GT(set.search->farthest, 3.0 * set.net.epsilon());
  EXPECT_GE(set.search->lcps, 2 * set.summary.lcps);
  EXPECT_LE(set.search->lcps, 3 * set.summary.lcps);
  EXPECT_EQ(set.summary.checksum, plain.summary.checksum);

  const RowMatrixView rows = searched_rows(set);
  const OutcomeRanges reached = ranges_of(problem, set);
  const double energy = kinetic_energy(problem, problem.pre_impact_velocity);
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const Eigen::VectorXd velocity = rows.row(i);
    EXPECT_FALSE(colliding(problem, velocity, scenario.sampling.termination_tolerance + 1e-12));
    EXPECT_LE(kinetic_energy(problem, velocity), energy * (1.0 + 1e-12));
    EXPECT_LE(set.net.distance(velocity.data()), set.net.epsilon());
    const Eigen::VectorXd normal = problem.normal_jacobian * velocity;
    for (Eigen::Index c = 0; c < normal.size(); ++c) {
      const Range& range = reached.normal_velocity[static_cast<std::size_t>(c)];
      EXPECT_TRUE(range.least <= normal(c) && normal(c) <= range.greatest);
    }
  }
  for (std::size_t i = plain.net.size(); i < set.net.size(); ++i) {
    const std::uint64_t index = set.net.index()[i];
    ASSERT_GE(index, EpsilonNet::searched_index);
    const auto row = static_cast<Eigen::Index>(index - EpsilonNet::searched_index);
    ASSERT_LT(row, rows.rows());
    EXPECT_EQ(set.net.velocity_rows().row(static_cast<Eigen::Index>(i)), rows.row(row));
    EXPECT_GT(plain.net.distance(rows.row(row).data()), set.net.epsilon());
  }
  const NetCheck check = check_net(problem, scenario.sampling, set.net);
  EXPECT_TRUE(check.holds);
}

/// A search that does not know of a direction finds less along it: of four seeds in all, since each
/// search has luck of its own.
TEST(NetSearch, SeeksTheEndsOfOutputs) {
  Scenario scenario = brick(2048);
  scenario.sampling.set_valued().caps = CapsDistribution{};  // reach few of the ends by themselves
  EvidenceOptions evidence = search_only();
  evidence.outputs.matrix = Eigen::RowVectorXd::Unit(6, 5);
  evidence.outputs.names = {"spin"};
  double with = 0.0;
  double without = 0.0;
  for (const std::uint32_t seed : {1u, 2u, 3u, 4u}) {
    scenario.sampling.seed = seed;
    const PostImpactSet set = searched(scenario, evidence);
    const OutputEnds sought = output_ends(evidence.outputs, set).front();
    const OutputEnds of_trajectories = output_ends(evidence.outputs, set.sought).front();
    with += sought.found_high - sought.found_low;
    const PostImpactSet other = searched(scenario);
    const Eigen::VectorXd spins = searched_rows(other).col(5);
    without += std::max(of_trajectories.found_high, spins.maxCoeff()) -
               std::min(of_trajectories.found_low, spins.minCoeff());
    EXPECT_LT(sought.found_low, of_trajectories.found_low);
    EXPECT_GT(sought.found_high, of_trajectories.found_high);
  }
  EXPECT_GT(with, 1.01 * without);
}

/// The least and the greatest speeds lie beyond those of the trajectories, as an exploration finds.
TEST(NetSearch, WidensTheRangesOfContactSpeeds) {
  const PostImpactSet set = searched(brick(1024));
  const OutcomeRanges reached = ranges_of(brick(1024).problem, set);
  double beyond = 0.0;
  for (std::size_t i = 0; i < reached.tangential_velocity.size(); ++i) {
    const Range& all = reached.tangential_velocity[i];
    const Range& sampled = set.summary.tangential_velocity[i];
    EXPECT_TRUE(all.least <= sampled.least && sampled.greatest <= all.greatest);
    beyond += all.greatest - sampled.greatest + sampled.least - all.least;
  }
  EXPECT_GT(beyond, set.net.epsilon());
}

TEST(NetSearch, SaysThatItEndedWhileItStillFoundOutcomes) {
  const PostImpactSet set = searched(brick(1024));
  ASSERT_FALSE(set.search->settled);
  ASSERT_GT(set.search->islands_apart, 2.0 * set.net.epsilon());
  EXPECT_THAT(text_of(set.notes, "search_open"), HasSubstr("are missing; explore"));

  Scenario block = load_scenario("rocking_block");
  resolve(block);
  const PostImpactSet whole = searched(block);
  ASSERT_TRUE(whole.search);
  EXPECT_TRUE(whole.search->settled);
  EXPECT_LT(whole.search->farthest, 1.5 * whole.net.epsilon());
  EXPECT_EQ(text_of(whole.notes, "search_open"), "");
}

TEST(NetSearch, IsLeftOutWhereNoneIsWantedOrPossible) {
  EvidenceOptions evidence = search_only();
  evidence.search = false;
  EXPECT_FALSE(searched(brick(1024), evidence).search);
  EXPECT_FALSE(searched(brick(128)).search);  // too few LCPs
  Scenario weighted = brick(1024);
  weighted.sampling.set_valued().caps = parse_caps("simplex");
  EXPECT_FALSE(searched(weighted).search);
  Scenario bouncing = load_scenario("rocking_block");  // no trajectory has an outcome
  bouncing.problem.restitution = Eigen::Vector2d::Ones();
  bouncing.sampling.max_steps = 2;
  resolve(bouncing);
  EXPECT_FALSE(searched(bouncing).search);
  Scenario sequential = brick(1024);
  sequential.sampling.law = law::Sequential{};
  EXPECT_FALSE(searched(sequential).search);
}

TEST(NetSearch, IsTheSameWithAnyNumberOfThreads) {
  Scenario scenario = brick(512);
  scenario.sampling.threads = 1;
  const PostImpactSet one = searched(scenario);
  scenario.sampling.threads = 3;
  const PostImpactSet three = searched(scenario);
  EXPECT_EQ(one.net.index(), three.net.index());
  EXPECT_EQ(one.net.velocity(), three.net.velocity());
  EXPECT_EQ(one.search->velocity, three.search->velocity);
}

TEST(NetSearch, IsTakenBackBeforeARunGoesOn) {
  const Scenario all = brick(1024);
  PostImpactSet resumed = grow(all.problem, all.sampling, searched(brick(512)));
  EXPECT_FALSE(resumed.search);
  const PostImpactSet whole = post_impact_set(all.problem, all.sampling);
  EXPECT_EQ(resumed.net.index(), whole.net.index());
  EXPECT_EQ(resumed.net.velocity(), whole.net.velocity());
}

/// A longer search begins like a shorter one.
TEST(NetSearch, OfMoreTrajectoriesLosesNothing) {
  const PostImpactSet few = searched(brick(512));
  const PostImpactSet many = searched(brick(1024));
  ASSERT_GT(few.net.size(), 0u);
  for (Eigen::Index i = 0; i < few.net.velocity_rows().rows(); ++i) {
    const double* const member = few.net.velocity_rows().row(i).data();
    EXPECT_LE(many.net.distance(member), many.net.epsilon());
  }
}

TEST(NetSearch, HasModesThatNoTrajectoryHas) {
  Scenario block = load_scenario("rocking_block");
  block.sampling.trajectories = 200;
  resolve(block);
  PostImpactSet set = post_impact_set(block.problem, block.sampling);
  EXPECT_EQ(searched_modes(block.problem, set).outcomes(), 0u);
  const OutcomeMode known = set.modes.table().front();
  set.search.emplace();
  std::vector<double>& velocity = set.search->velocity;
  velocity = known.example_velocity;
  velocity.insert(velocity.end(), {0.0, 1.0, 0.0, 0.0, 2.0, 0.0});  // both corners lift
  const std::vector<OutcomeMode> modes = searched_modes(block.problem, set).table();
  ASSERT_EQ(modes.size(), 1u);
  EXPECT_EQ(modes[0].count, 2u);
  EXPECT_EQ(modes[0].example, 1u);
  EXPECT_EQ(mode_text(modes[0].contacts, block.problem.contact_names), "A separates, B separates");
}

/// Evidence that is asked for later joins the net in its place.
TEST(NetSearch, StandsBesideExtremesThatComeLater) {
  Scenario box = load_scenario("box_wall");
  box.sampling.trajectories = 20'000;
  resolve(box);
  PostImpactSet set = searched(box);
  ASSERT_GT(set.search->members, 0u);
  const std::uint64_t before = set.search->members;
  set.certificate.emplace();
  EvidenceOptions extremes = search_only();
  extremes.seek_extremes = 0;
  add_evidence(box.problem, box.sampling, extremes, set);
  EXPECT_FALSE(set.sought.empty());
  EXPECT_TRUE(std::ranges::is_sorted(set.net.index()));
  const auto own = std::ranges::count_if(
      set.net.index(), [](std::uint64_t index) { return index >= EpsilonNet::searched_index; });
  EXPECT_EQ(set.search->members, static_cast<std::uint64_t>(own));
  // A net without some of them is not the one that was tested.
  EXPECT_EQ(set.certificate.has_value(), set.search->members == before);
  const PostImpactSet at_once = searched(box, extremes);
  for (const auto* each : {static_cast<const PostImpactSet*>(&set), &at_once}) {
    for (const SoughtOutcome& sought : each->sought) {
      EXPECT_LE(each->net.distance(sought.velocity.data()), each->net.epsilon());
    }
    const RowMatrixView rows = searched_rows(*each);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      EXPECT_LE(each->net.distance(rows.row(i).data()), each->net.epsilon());
    }
  }
}

TEST(NetSearch, ThatWasStoppedIsNamedAsMissing) {
  const Scenario scenario = brick(1024);
  PostImpactSet set = post_impact_set(scenario.problem, scenario.sampling);
  const std::size_t members = set.net.size();
  std::uint64_t seen = 0;
  add_evidence(scenario.problem, scenario.sampling, search_only(), set,
               [&](const std::string& stage, std::uint64_t done, std::uint64_t total) {
                 EXPECT_LT(done, total);
                 seen = done;
                 return stage != "search" || done < 1000;
               });
  EXPECT_GE(seen, 1000u);
  EXPECT_FALSE(set.search);
  EXPECT_EQ(set.net.size(), members);
  EXPECT_EQ(missing_evidence(scenario.sampling, search_only(), set),
            std::vector<std::string>{"search"});
}

TEST(NetSearch, BelongsToTheSetsOfLaws) {
  const Scenario scenario = brick(1024);
  const LawSets found = sets_of_laws(scenario.problem, scenario.sampling, {0.0}, {});
  const auto set_valued = std::ranges::find_if(found.laws, [](const LawSet& one) {
    return std::holds_alternative<law::SetValued>(one.sampling.law);
  });
  ASSERT_NE(set_valued, found.laws.end());
  ASSERT_TRUE(set_valued->set && set_valued->set->search);
  EXPECT_GT(set_valued->set->search->members, 0u);
}

/// A bound is compared with these outcomes, too, and ends of directions are among them.
TEST(NetSearch, IsComparedWithTheBoundAndDirections) {
  Scenario box = load_scenario("box_wall");
  box.sampling.trajectories = 20'000;
  resolve(box);
  EvidenceOptions evidence = search_only();
  evidence.bound.emplace();
  evidence.outputs.names = {"x"};
  evidence.outputs.matrix = Eigen::RowVectorXd::Unit(box.problem.velocities(), 0);
  const PostImpactSet set = searched(box, evidence);
  const RowMatrixView rows = searched_rows(set);
  ASSERT_GT(rows.rows(), 0);
  ASSERT_TRUE(set.bound && set.bound->bound.closed());
  EXPECT_EQ(set.bound->outcomes, set.summary.outcomes() + static_cast<std::uint64_t>(rows.rows()));
  EXPECT_EQ(text_of(set.notes, "outside_bound"), "");
  const OutputEnds ends = output_ends(evidence.outputs, set).at(0);
  EXPECT_LE(ends.found_low, rows.col(0).minCoeff());
  EXPECT_GE(ends.found_high, rows.col(0).maxCoeff());
}

/// A search that has not settled and found much is told, even where its halves agree.
TEST(NetSearch, TellsThatManyMembersAreItsOwn) {
  EpsilonNet net(1, 0.5);
  std::vector<std::uint64_t> index(100);
  std::vector<double> velocity(100);
  for (std::size_t i = 0; i < index.size(); ++i) velocity[i] = static_cast<double>(index[i] = i);
  net.add(index, velocity);
  ASSERT_EQ(net.size(), 100u);
  NetSearch search{.members = 10, .islands_apart = 0.9, .settled = false};
  EXPECT_FALSE(note_on(search, net));
  search.members = 11;
  const std::optional<Note> many = note_on(search, net);
  ASSERT_TRUE(many);
  EXPECT_EQ(many->code, "search_open");
  EXPECT_THAT(many->text, testing::HasSubstr("11 of the net's 100 members come from the search"));
  search.islands_apart = 1.1;
  EXPECT_THAT(note_on(search, net)->text, testing::HasSubstr("up to 1.1 from all others"));
  search.settled = true;
  EXPECT_FALSE(note_on(search, net));
}

}  // namespace
}  // namespace carom
