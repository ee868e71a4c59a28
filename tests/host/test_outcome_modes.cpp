#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <oneapi/tbb/task_arena.h>

#include "carom/carom.hpp"
#include "host/cli/report_modes.hpp"
#include "host/files/hdf5_tools.hpp"
#include "host/result/mode_section.hpp"
#include "tests/support/frictionless_problem.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using enum ContactMode;
using Modes = std::vector<ContactMode>;

/// A point above one contact; its coordinates are tangential ones, then the normal one.
ImpactProblem point(int d, double approach) {
  ImpactProblem problem;
  const int nv = d + 1;
  problem.mass_matrix = Eigen::MatrixXd::Identity(nv, nv);
  problem.normal_jacobian = Eigen::MatrixXd::Identity(nv, nv).bottomRows(1);
  problem.tangent_jacobian = Eigen::MatrixXd::Identity(nv, nv).topRows(d);
  problem.friction = Eigen::VectorXd::Constant(1, 0.5);
  problem.pre_impact_velocity = -approach * Eigen::VectorXd::Unit(nv, d);
  problem.contact_names = {"A"};
  return problem;
}

Modes classify(const OutcomeModes& modes, std::vector<double> velocity) {
  return modes.classify(velocity.data());
}

TEST(OutcomeModes, ClassifyAPlanarContactByNormalThenTangentialSpeed) {
  const OutcomeModes modes(point(1, 1.0));
  EXPECT_THAT(classify(modes, {0.0, 0.5}), ElementsAre(separates));
  EXPECT_THAT(classify(modes, {0.3, 0.5}), ElementsAre(separates));
  EXPECT_THAT(classify(modes, {0.0, 0.0}), ElementsAre(sticks));
  EXPECT_THAT(classify(modes, {0.3, 0.0}), ElementsAre(slides));
  EXPECT_THAT(classify(modes, {-0.3, 0.0}), ElementsAre(slides_back));
  EXPECT_THAT(classify(modes, {0.3, -1e-8}), ElementsAre(slides));  // separated by tolerance only
}

TEST(OutcomeModes, CountSpeedsUpToAMillionthOfTheFastestBeforeAsRest) {
  const OutcomeModes modes(point(1, 2.0));
  EXPECT_DOUBLE_EQ(modes.tolerance(), 2e-6);
  EXPECT_THAT(classify(modes, {modes.tolerance(), modes.tolerance()}), ElementsAre(sticks));
  EXPECT_THAT(classify(modes, {-modes.tolerance(), 0.0}), ElementsAre(sticks));
  EXPECT_THAT(classify(modes, {0.0, 2.1e-6}), ElementsAre(separates));
  EXPECT_THAT(classify(modes, {2.1e-6, 0.0}), ElementsAre(slides));
  EXPECT_EQ(OutcomeModes(point(1, 0.0)).tolerance(), 1e-9);
}

TEST(OutcomeModes, MeasureASpatialSlipByItsLength) {
  const OutcomeModes modes(point(2, 1.0));
  EXPECT_THAT(classify(modes, {0.8e-6, -0.8e-6, 0.0}), ElementsAre(slides));  // length 1.13e-6
  EXPECT_THAT(classify(modes, {0.7e-6, -0.7e-6, 0.0}), ElementsAre(sticks));  // length 0.99e-6
  EXPECT_THAT(classify(modes, {-1.0, -1.0, 0.0}), ElementsAre(slides));
}

SampleSet rows_of(std::uint64_t first, const std::vector<std::vector<double>>& velocities) {
  SampleSet samples;
  samples.first = first;
  samples.velocities = static_cast<int>(velocities.front().size());
  samples.contacts = 1;
  samples.resize(velocities.size());
  samples.velocity.clear();
  for (const auto& row : velocities) {
    samples.velocity.insert(samples.velocity.end(), row.begin(), row.end());
  }
  return samples;
}

TEST(OutcomeModes, CountOutcomesAndRememberTheFirstOfEachMode) {
  OutcomeModes modes(point(1, 1.0));
  SampleSet samples = rows_of(10, {{9, 9}, {0, 0}, {0, 1}, {0, 2}, {1, 0}, {0, 3}, {2, 0}});
  samples.status[0] = Status::step_limit;  // not an outcome
  modes.add(samples);
  EXPECT_EQ(modes.outcomes(), 6U);
  const std::vector<OutcomeMode> table = modes.table();
  ASSERT_EQ(table.size(), 3U);
  EXPECT_EQ(table[0].contacts, Modes{separates});
  EXPECT_EQ(table[0].count, 3U);
  EXPECT_EQ(table[0].example, 12U);
  EXPECT_THAT(table[0].example_velocity, ElementsAre(0, 1));
  EXPECT_EQ(table[1].contacts, Modes{slides});
  EXPECT_EQ(table[1].count, 2U);
  EXPECT_THAT(table[1].example_velocity, ElementsAre(1, 0));
  EXPECT_EQ(table[2].contacts, Modes{sticks});
}

TEST(OutcomeModes, ListEquallyFrequentModesInTheOrderOfTheirContacts) {
  OutcomeModes modes(point(1, 1.0));
  modes.add(rows_of(0, {{-1, 0}, {1, 0}, {0, 0}, {0, 1}}));
  Modes order;
  for (const OutcomeMode& mode : modes.table()) order.push_back(mode.contacts.front());
  EXPECT_THAT(order, ElementsAre(separates, sticks, slides, slides_back));
}

void expect_equal(const OutcomeModes& one, const OutcomeModes& other) {
  EXPECT_EQ(one.outcomes(), other.outcomes());
  const std::vector<OutcomeMode> rows = one.table();
  const std::vector<OutcomeMode> others = other.table();
  ASSERT_EQ(rows.size(), others.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].contacts, others[i].contacts);
    EXPECT_EQ(rows[i].count, others[i].count);
    EXPECT_EQ(rows[i].example, others[i].example);
    EXPECT_EQ(rows[i].example_velocity, others[i].example_velocity);
  }
}

/// Speeds of -1, 0 and 1 m/s in every combination of 5 contacts: up to 4^5 modes.
SampleSet many_modes(std::uint64_t first, std::size_t count) {
  SampleSet samples;
  samples.first = first;
  samples.velocities = 10;
  samples.contacts = 5;
  samples.resize(count);
  for (std::size_t i = 0; i < samples.velocity.size(); ++i) {
    const std::uint64_t mixed = (first * 10 + i) * 0x9E3779B97F4A7C15U;  // 2^64 / golden ratio
    samples.velocity[i] = static_cast<double>((mixed >> 40U) % 3) - 1.0;
  }
  for (std::size_t row = 0; row < count; ++row) {
    if ((first + row) % 11 == 3) samples.status[row] = Status::ray;
  }
  return samples;
}

ImpactProblem five_contacts() {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(10, 10);
  problem.normal_jacobian = Eigen::MatrixXd::Identity(5, 10);
  problem.tangent_jacobian = Eigen::MatrixXd::Identity(10, 10).bottomRows(5);
  problem.pre_impact_velocity = Eigen::VectorXd::Ones(10);
  return problem;
}

TEST(OutcomeModes, AreTheSameForEveryChunkAndThreadCount) {
  constexpr std::size_t rows = 20000;
  OutcomeModes whole(five_contacts());
  whole.add(many_modes(0, rows));
  EXPECT_GT(whole.table().size(), 50U);

  OutcomeModes one_thread(five_contacts());
  oneapi::tbb::task_arena(1).execute([&] { one_thread.add(many_modes(0, rows)); });
  expect_equal(whole, one_thread);

  OutcomeModes chunked(five_contacts());
  for (std::size_t first = 0; first < rows; first += 37) {
    chunked.add(many_modes(first, std::min<std::size_t>(37, rows - first)));
  }
  expect_equal(whole, chunked);

  std::map<Modes, std::uint64_t> by_hand;
  const SampleSet samples = many_modes(0, rows);
  for (std::size_t row = 0; row < rows; ++row) {
    if (samples.status[row] == Status::separated)
      ++by_hand[whole.classify(&samples.velocity[10 * row])];
  }
  for (const OutcomeMode& mode : whole.table()) EXPECT_EQ(mode.count, by_hand[mode.contacts]);
  EXPECT_EQ(by_hand.size(), whole.table().size());
}

TEST(OutcomeModes, GoOnFromRestoredOnes) {
  OutcomeModes whole(five_contacts());
  whole.add(many_modes(0, 300));
  OutcomeModes half(five_contacts());
  half.add(many_modes(0, 150));
  OutcomeModes resumed(five_contacts());
  for (const OutcomeMode& mode : half.table()) resumed.restore(mode);
  resumed.add(many_modes(150, 150));
  expect_equal(whole, resumed);
}

TEST(OutcomeModes, RefuseWhatDoesNotFit) {
  OutcomeModes modes(point(1, 1.0));
  EXPECT_THROW(modes.add(many_modes(0, 1)), InputError);
  EXPECT_THROW(OutcomeModes().add(many_modes(0, 1)), InputError);
  const OutcomeMode mode{{sticks}, 3, 7, {0.0, 0.0}};
  modes.restore(mode);
  EXPECT_THROW(modes.restore(mode), InputError);  // twice
  EXPECT_THROW(modes.restore({{sticks, sticks}, 3, 7, {0.0, 0.0}}), InputError);
  EXPECT_THROW(modes.restore({{slides}, 3, 7, {0.0}}), InputError);
  EXPECT_THROW(modes.restore({{slides}, 0, 7, {0.0, 0.0}}), InputError);
}

TEST(OutcomeModes, AreNamedContactByContact) {
  EXPECT_EQ(mode_text({sticks, separates}, {"A", "B"}), "A sticks, B separates");
  EXPECT_EQ(mode_text({slides, slides_back}, {"heel", "toe"}), "heel slides, toe slides back");
  EXPECT_THROW(mode_text({sticks}, {"A", "B"}), InputError);
}

TEST(WilsonInterval, HasTheEndsOfNewcombesTable) {
  // R. G. Newcombe, Statistics in Medicine 17 (1998) 857, Table I, method 3
  const auto expect = [](std::uint64_t successes, std::uint64_t trials, double low, double high) {
    const ProbabilityInterval interval = wilson_interval(successes, trials);
    EXPECT_NEAR(interval.low, low, 5e-5);
    EXPECT_NEAR(interval.high, high, 5e-5);
  };
  expect(81, 263, 0.2553, 0.3662);
  expect(15, 148, 0.0624, 0.1605);
  expect(0, 20, 0.0, 0.1611);
  expect(1, 29, 0.0061, 0.1718);
}

TEST(WilsonInterval, ReachesExactlyZeroAndOneAndKnowsNothingWithoutTrials) {
  EXPECT_EQ(wilson_interval(0, 12345).low, 0.0);
  EXPECT_EQ(wilson_interval(12345, 12345).high, 1.0);
  EXPECT_EQ(wilson_interval(0, 0).low, 0.0);
  EXPECT_EQ(wilson_interval(0, 0).high, 1.0);
  EXPECT_THROW(wilson_interval(2, 1), InputError);
  EXPECT_THROW(wilson_interval(1, 2, 1.0), InputError);
}

OutcomeModes restored(const ImpactProblem& problem, const std::vector<OutcomeMode>& rows) {
  OutcomeModes modes(problem);
  for (const OutcomeMode& mode : rows) modes.restore(mode);
  return modes;
}

TEST(ModesText, ShowsSharesToTheDigitsThatTheyAreKnownTo) {
  const ImpactProblem problem = point(1, 1.0);
  const OutcomeModes modes =
      restored(problem, {{{sticks}, 23100, 17, {0.0, 0.0}}, {{separates}, 76900, 0, {0.0, 1.0}}});
  const std::string text = cli::modes_text(problem, modes, false);
  EXPECT_THAT(text,
              HasSubstr("A separates  76.9 % ± 0.3  76.6 ... 77.2 %  76900     trajectory 0"));
  EXPECT_THAT(text,
              HasSubstr("A sticks     23.1 % ± 0.3  22.8 ... 23.4 %  23100     trajectory 17"));
  EXPECT_EQ(cli::modes_text(problem, OutcomeModes(problem), false), "");
  const nlohmann::json document = cli::modes_json(problem, modes);
  EXPECT_EQ(document["outcomes"], 100000);
  EXPECT_EQ(document["table"][1]["text"], "A sticks");
  EXPECT_EQ(document["table"][1]["contacts"], nlohmann::json({"sticks"}));
  EXPECT_EQ(document["table"][1]["share"], 0.231);
  EXPECT_EQ(document["table"][1]["high"], wilson_interval(23100, 100000).high);
}

TEST(OutcomeModes, OfMoreContactsThanAWordHoldsAreToldApart) {
  const ImpactProblem row = test::uneven_cradle(65);  // 64 contacts
  OutcomeModes modes(row);
  for (const int moving : {63, 64}) {
    Eigen::VectorXd velocity = Eigen::VectorXd::Zero(65);
    velocity.tail(65 - moving).setOnes();  // ball `moving` leaves the one before it
    const std::vector<ContactMode> contacts = modes.classify(velocity.data());
    for (std::size_t i = 0; i < 64; ++i) {
      const bool leaves = i + 1 == static_cast<std::size_t>(moving);
      EXPECT_EQ(contacts[i], leaves ? ContactMode::separates : ContactMode::sticks) << i;
    }
  }
  SamplingOptions options;
  options.law = law::Propagative{};
  options.trajectories = 200;
  options.backend = Backend::cpu;
  const SampleSet samples = sample(row, options);
  modes.add(samples);
  std::map<std::vector<ContactMode>, std::uint64_t> by_hand;
  for (std::size_t i = 0; i < 200; ++i) ++by_hand[modes.classify(&samples.velocity[65 * i])];
  for (const OutcomeMode& mode : modes.table()) EXPECT_EQ(mode.count, by_hand[mode.contacts]);
  EXPECT_EQ(modes.table().size(), by_hand.size());
}

TEST(ModesText, SumsUpRareModesUnlessVerbose) {
  ImpactProblem problem = five_contacts();
  problem.contact_names = {"A", "B", "C", "D", "E"};
  OutcomeModes modes(problem);
  modes.add(many_modes(0, 20000));
  const std::vector<OutcomeMode> table = modes.table();
  std::uint64_t rare = 0;
  for (std::size_t i = 12; i < table.size(); ++i) rare += table[i].count;
  const std::string text = cli::modes_text(problem, modes, false);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + 12 + 1);
  EXPECT_THAT(text, HasSubstr(std::to_string(table.size() - 12) + " other modes"));
  EXPECT_THAT(text, HasSubstr(" " + std::to_string(rare) + " "));
  const std::string all = cli::modes_text(problem, modes, true);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'),
            2 + static_cast<std::ptrdiff_t>(table.size()));
}

class ModeSection : public testing::Test {
 protected:
  hdf5::Handle create() const {
    return {H5Fcreate(file_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "create"};
  }
  test::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "modes.h5";
};

TEST_F(ModeSection, GivesBackWhatWasWrittenAndReplacesIt) {
  const ImpactProblem problem = five_contacts();
  const hdf5::Handle file = create();
  for (const std::size_t rows : {500U, 1000U, 20U}) {
    OutcomeModes modes(problem);
    modes.add(many_modes(0, rows));
    sections::write_modes(file, modes, problem);
    expect_equal(modes, sections::read_modes(file, problem));
  }
}

TEST_F(ModeSection, IsThereOnlyForOutcomes) {
  const hdf5::Handle file = create();
  const ImpactProblem problem = point(1, 1.0);
  EXPECT_EQ(sections::read_modes(file, problem).outcomes(), 0U);
  EXPECT_EQ(sections::read_modes(file, problem).tolerance(), 1e-6);
  OutcomeModes modes(problem);
  modes.add(rows_of(0, {{0, 0}}));
  sections::write_modes(file, modes, problem);
  sections::write_modes(file, OutcomeModes(problem), problem);
  EXPECT_EQ(H5Lexists(file, "modes", H5P_DEFAULT), 0);
}

TEST_F(ModeSection, HoldsIntervalsForReaders) {
  const hdf5::Handle file = create();
  const ImpactProblem problem = point(1, 1.0);
  OutcomeModes modes(problem);
  modes.add(rows_of(0, {{0, 0}, {0, 0}, {0, 0}, {0, 1}}));
  sections::write_modes(file, modes, problem);
  double low[2] = {};
  double high[2] = {};
  hdf5::read_array(file, "modes/low", H5T_NATIVE_DOUBLE, {2}, low);
  hdf5::read_array(file, "modes/high", H5T_NATIVE_DOUBLE, {2}, high);
  EXPECT_THAT(low, ElementsAre(wilson_interval(3, 4).low, wilson_interval(1, 4).low));
  EXPECT_THAT(high, ElementsAre(wilson_interval(3, 4).high, wilson_interval(1, 4).high));
  const hdf5::Handle contacts(H5Dopen2(file, "modes/contacts", H5P_DEFAULT), "open");
  const hdf5::Handle type(H5Dget_type(contacts), "type");
  std::uint8_t value = 9;
  EXPECT_GE(H5Tenum_valueof(type, "slides_back", &value), 0);
  EXPECT_EQ(value, 3);
}

TEST_F(ModeSection, RefusesCountsThatDoNotAddUp) {
  const hdf5::Handle file = create();
  const ImpactProblem problem = point(1, 1.0);
  OutcomeModes modes(problem);
  modes.add(rows_of(0, {{0, 0}, {0, 1}}));
  sections::write_modes(file, modes, problem);
  hdf5::write_number<std::uint64_t>(hdf5::open_group(file, "modes"), "outcomes", 3);
  EXPECT_THROW(sections::read_modes(file, problem), hdf5::Error);
  sections::write_modes(file, modes, problem);
  EXPECT_THROW(sections::read_modes(file, point(1, 2.0)), hdf5::Error);  // another tolerance
  EXPECT_THROW(sections::read_modes(file, point(2, 1.0)), hdf5::Error);
}

}  // namespace
}  // namespace carom
