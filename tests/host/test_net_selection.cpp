#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "carom/carom.hpp"
#include "host/result/selection_section.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Scenario rocking_block(std::uint64_t trajectories) {
  Scenario scenario = parse_scenario("system = \"rocking_block\"\n");
  scenario.sampling.trajectories = trajectories;
  scenario.sampling.backend = Backend::cpu;
  scenario.sampling.chunk = 300;
  return scenario;
}

double distance(const Eigen::MatrixXd& metric, const double* a, const double* b, int nv) {
  const Eigen::VectorXd difference =
      Eigen::Map<const Eigen::VectorXd>(a, nv) - Eigen::Map<const Eigen::VectorXd>(b, nv);
  return metric.size() == 0 ? difference.norm() : (metric * difference).norm();
}

class Selection : public testing::TestWithParam<Norm> {};

TEST_P(Selection, TakesTheFarthestOutcomeEachTimeAsBruteForceDoes) {
  Scenario scenario = rocking_block(1000);
  scenario.sampling.norm = GetParam();
  const ImpactProblem& problem = scenario.problem;
  const Eigen::MatrixXd metric = net_metric(problem, GetParam());
  const SampleSet samples = sample(problem, scenario.sampling);
  constexpr std::size_t size = 12;

  std::vector<double> nearest(samples.size(), std::numeric_limits<double>::infinity());
  std::vector<std::uint64_t> chosen;
  std::size_t next = 0;
  double farthest = 0.0;
  while (chosen.size() < size) {
    chosen.push_back(next);
    farthest = 0.0;
    const std::size_t newest = next;
    for (std::size_t row = 0; row < samples.size(); ++row) {
      ASSERT_EQ(samples.status[row], Status::separated);
      nearest[row] = std::min(nearest[row], distance(metric, &samples.velocity[3 * row],
                                                     &samples.velocity[3 * newest], 3));
      if (nearest[row] > farthest) {
        farthest = nearest[row];
        next = row;
      }
    }
  }
  const NetSelection selection = farthest_points(problem, scenario.sampling, size);
  EXPECT_EQ(selection.index, chosen);
  EXPECT_NEAR(selection.epsilon, farthest, 1e-15);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(selection.velocity[3 * i + j], samples.velocity[3 * chosen[i] + j]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BothNorms, Selection, testing::Values(Norm::euclidean, Norm::kinetic));

TEST(FarthestPoints, TakeTheEndsOfBothArmsOfTheRockingBlockFirst) {
  // Each outcome lifts one corner, at up to 0.093 m/s, and leaves the other on the floor: two arms
  // of 0.14 m/s in the velocity's coordinates. After the first outcome the farther end comes, then
  // the other one, and six more leave no gap that a quarter of an arm would not span.
  const Scenario scenario = rocking_block(4000);
  const NetSelection selection = farthest_points(scenario.problem, scenario.sampling, 9);
  const Eigen::MatrixXd normal =
      scenario.problem.normal_jacobian * selection.velocity_rows().transpose();
  const SampleSet samples = sample(scenario.problem, scenario.sampling);
  const Eigen::VectorXd most =
      (scenario.problem.normal_jacobian * samples.velocity_rows().transpose()).rowwise().maxCoeff();
  EXPECT_NEAR(normal.colwise().minCoeff().cwiseAbs().maxCoeff(), 0.0, 1e-12);
  EXPECT_NEAR(normal.middleCols(1, 2).rowwise().maxCoeff()(0), most(0), 1e-12);
  EXPECT_NEAR(normal.middleCols(1, 2).rowwise().maxCoeff()(1), most(1), 1e-12);
  EXPECT_LT(selection.epsilon, 0.14 / 4.0);
}

TEST(FarthestPoints, AreTheSameForEveryChunkAndThreadCount) {
  Scenario scenario = rocking_block(2000);
  const NetSelection one = farthest_points(scenario.problem, scenario.sampling, 20);
  scenario.sampling.chunk = 77;
  scenario.sampling.threads = 1;
  const NetSelection other = farthest_points(scenario.problem, scenario.sampling, 20);
  EXPECT_EQ(one.index, other.index);
  EXPECT_EQ(one.velocity, other.velocity);
  EXPECT_EQ(one.epsilon, other.epsilon);
}

TEST(FarthestPoints, AreNoMoreThanTheDistinctOutcomes) {
  Scenario scenario = rocking_block(50);
  scenario.problem.pre_impact_velocity = Eigen::Vector3d(0.1, 0.0, 0.0);  // separated already
  const NetSelection selection = farthest_points(scenario.problem, scenario.sampling, 1);
  EXPECT_THAT(selection.index, ElementsAre(0));
  EXPECT_THAT(selection.velocity, ElementsAre(0.1, 0.0, 0.0));
  EXPECT_EQ(selection.epsilon, 0.0);
  EXPECT_THAT([&] { farthest_points(scenario.problem, scenario.sampling, 2); },
              ThrowsMessage<InputError>(HasSubstr("must be at most 1, the number of distinct")));
  EXPECT_THROW(farthest_points(scenario.problem, scenario.sampling, 51), InputError);
  EXPECT_THROW(farthest_points(scenario.problem, scenario.sampling, 0), InputError);
}

TEST(FarthestPoints, MustFitIntoMemory) {
  const Scenario scenario = rocking_block(1'000'000'000);
  EXPECT_THAT([&] { farthest_points(scenario.problem, scenario.sampling, 2); },
              ThrowsMessage<InputError>(HasSubstr("must fit into 2 GiB")));
}

EpsilonNet net_of(const Scenario& scenario) {
  const SamplingOptions& options = scenario.sampling;
  EpsilonNet net(3, *options.epsilon, net_metric(scenario.problem, options.norm));
  net.add(sample(scenario.problem, options));
  return net;
}

/// The net without member `left_out`, with further ones.
EpsilonNet changed(const EpsilonNet& net, std::size_t left_out,
                   const std::vector<double>& further = {}) {
  std::vector<std::uint64_t> index = net.index();
  std::vector<double> velocity = net.velocity();
  if (left_out < index.size()) {
    const auto at = static_cast<std::ptrdiff_t>(left_out);
    index.erase(index.begin() + at);
    velocity.erase(velocity.begin() + 3 * at, velocity.begin() + 3 * at + 3);
  }
  if (!further.empty()) index.push_back(EpsilonNet::sought_index);
  velocity.insert(velocity.end(), further.begin(), further.end());
  EpsilonNet other(3, net.epsilon());
  other.restore(index, velocity);
  return other;
}

TEST(CheckNet, MeasuresCoverAndPackingAsBruteForceDoes) {
  const Scenario scenario = rocking_block(2000);
  const EpsilonNet net = net_of(scenario);
  const SampleSet samples = sample(scenario.problem, scenario.sampling);
  double cover = 0.0;
  double packing = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < samples.size(); ++row) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < net.size(); ++i) {
      nearest =
          std::min(nearest, distance({}, &samples.velocity[3 * row], &net.velocity()[3 * i], 3));
    }
    cover = std::max(cover, nearest);
  }
  for (std::size_t i = 0; i < net.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      packing = std::min(packing, distance({}, &net.velocity()[3 * i], &net.velocity()[3 * j], 3));
    }
  }
  const NetCheck check = check_net(scenario.problem, scenario.sampling, net);
  EXPECT_NEAR(check.cover, cover, 1e-15);
  EXPECT_NEAR(check.packing, packing, 1e-15);
  EXPECT_TRUE(check.holds);
  EXPECT_LE(check.cover, 0.01);
  EXPECT_GT(check.packing, 0.01);
}

TEST(CheckNet, FindsThatAMemberIsMissing) {
  const Scenario scenario = rocking_block(2000);
  const EpsilonNet net = net_of(scenario);
  ASSERT_GT(net.size(), 10U);
  for (std::size_t left_out = 0; left_out < net.size(); ++left_out) {
    // A member is an outcome, further than epsilon from every other member.
    const NetCheck check = check_net(scenario.problem, scenario.sampling, changed(net, left_out));
    EXPECT_FALSE(check.holds) << left_out;
    EXPECT_GT(check.cover, 0.01);
    EXPECT_GT(check.packing, 0.01);
  }
}

TEST(CheckNet, FindsThatTwoMembersAreTooClose) {
  const Scenario scenario = rocking_block(2000);
  const EpsilonNet net = net_of(scenario);
  std::vector<double> close(net.velocity().begin(), net.velocity().begin() + 3);
  close[0] += 0.004;
  const NetCheck check =
      check_net(scenario.problem, scenario.sampling, changed(net, net.size(), close));
  EXPECT_FALSE(check.holds);
  EXPECT_LE(check.cover, 0.01);
  EXPECT_NEAR(check.packing, 0.004, 1e-12);
}

TEST(CheckNet, MeasuresInTheNormOfTheOptions) {
  Scenario scenario = rocking_block(2000);
  scenario.sampling.norm = Norm::kinetic;
  EXPECT_TRUE(check_net(scenario.problem, scenario.sampling, net_of(scenario)).holds);
}

TEST(CheckNet, KnowsANetOfOneAndRefusesOneOfAnotherProblem) {
  Scenario scenario = rocking_block(100);
  scenario.sampling.epsilon = 0.29;  // above the set's diameter
  const NetCheck check = check_net(scenario.problem, scenario.sampling, net_of(scenario));
  EXPECT_EQ(check.packing, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(check.holds);
  const NetCheck empty = check_net(scenario.problem, scenario.sampling, EpsilonNet(3, 0.29));
  EXPECT_EQ(empty.cover, std::numeric_limits<double>::infinity());
  EXPECT_FALSE(empty.holds);
  EpsilonNet other(2, 0.1);
  other.restore({0}, {1.0, 2.0});
  EXPECT_THROW(check_net(scenario.problem, scenario.sampling, other), InputError);
}

TEST(DirectedHausdorff, IsTheGreatestDistanceToTheNearest) {
  EXPECT_EQ(directed_hausdorff({0, 3}, {1}, 1), 2.0);
  EXPECT_EQ(directed_hausdorff({1}, {0, 3}, 1), 1.0);
  EXPECT_EQ(directed_hausdorff({0, 0, 3, 4}, {0, 0}, 2), 5.0);
  EXPECT_EQ(directed_hausdorff({0, 0}, {0, 0, 3, 4}, 2), 0.0);
  const Eigen::MatrixXd metric = Eigen::Vector2d(2.0, 1.0).asDiagonal();
  EXPECT_EQ(directed_hausdorff({1, 0}, {0, 0, 1, 1.5}, 2, metric), 1.5);
}

TEST(DirectedHausdorff, OfEmptySets) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(directed_hausdorff({}, {}, 2), 0.0);
  EXPECT_EQ(directed_hausdorff({}, {0, 0}, 2), 0.0);
  EXPECT_EQ(directed_hausdorff({0, 0}, {}, 2), infinity);
  EXPECT_THROW(directed_hausdorff({0, 0, 0}, {0, 0}, 2), InputError);
  EXPECT_THROW(directed_hausdorff({}, {}, 0), InputError);
}

TEST(DirectedHausdorff, AgreesWithBruteForce) {
  test::Random random(11);
  for (const int nv : {1, 2, 7}) {
    const Eigen::MatrixXd from = random.normal(nv, 400);
    const Eigen::MatrixXd to = random.normal(nv, 700);
    double greatest = 0.0;
    for (Eigen::Index i = 0; i < from.cols(); ++i) {
      greatest = std::max(greatest, (to.colwise() - from.col(i)).colwise().norm().minCoeff());
    }
    const std::vector<double> rows(from.data(), from.data() + from.size());
    const std::vector<double> others(to.data(), to.data() + to.size());
    EXPECT_NEAR(directed_hausdorff(rows, others, nv), greatest, 1e-14 * greatest);
  }
}

TEST(SelectionSection, GivesBackWhatWasWrittenAndReplacesIt) {
  const test::TemporaryFolder folder;
  const std::string name = folder.path() / "selection.h5";
  const hdf5::Handle file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "new");
  EXPECT_FALSE(sections::read_selection(file, 2).has_value());
  const NetSelection longer{{0, 9, 4}, {1, 2, 3, 4, 5, 6}, 0.5};
  const NetSelection shorter{{7}, {8, 9}, 0.25};
  for (const NetSelection& selection : {longer, shorter}) {
    sections::write_selection(file, selection, 2);
    const auto read = sections::read_selection(file, 2);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->index, selection.index);
    EXPECT_EQ(read->velocity, selection.velocity);
    EXPECT_EQ(read->epsilon, selection.epsilon);
  }
  EXPECT_THROW(sections::read_selection(file, 3), hdf5::Error);
  sections::write_selection(file, std::nullopt, 2);
  EXPECT_FALSE(sections::read_selection(file, 2).has_value());
}

TEST(SelectionSection, KeepsTheCheckOfTheNet) {
  const test::TemporaryFolder folder;
  const std::string name = folder.path() / "check.h5";
  const hdf5::Handle file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "new");
  hdf5::create_group(file, "net");
  EXPECT_FALSE(sections::read_net_check(file).has_value());
  for (const bool holds : {true, false}) {
    sections::write_net_check(file, NetCheck{0.25, std::numeric_limits<double>::infinity(), holds});
    const auto read = sections::read_net_check(file);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->cover, 0.25);
    EXPECT_EQ(read->packing, std::numeric_limits<double>::infinity());
    EXPECT_EQ(read->holds, holds);
  }
  sections::write_net_check(file, std::nullopt);
  EXPECT_FALSE(sections::read_net_check(file).has_value());
}

}  // namespace
}  // namespace carom
