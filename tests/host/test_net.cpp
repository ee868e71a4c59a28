#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "carom/carom.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

SampleSet outcomes(const Eigen::MatrixXd& rows, std::uint64_t first = 0) {
  SampleSet samples;
  samples.first = first;
  samples.velocities = static_cast<int>(rows.cols());
  samples.contacts = 1;
  samples.resize(static_cast<std::size_t>(rows.rows()));
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    for (Eigen::Index j = 0; j < rows.cols(); ++j) {
      samples.velocity[static_cast<std::size_t>(i * rows.cols() + j)] = rows(i, j);
    }
  }
  return samples;
}

TEST(EpsilonNet, TakesAPointOnlyBeyondEpsilonOfEveryMember) {
  Eigen::MatrixXd points(4, 1);
  points << 0.0, 0.5, 1.0, 1.25;  // 1.0 is at exactly epsilon of 0.0: covered
  EpsilonNet net(1, 1.0);
  net.add(outcomes(points));
  EXPECT_EQ(net.index(), (std::vector<std::uint64_t>{0, 3}));
  EXPECT_EQ(net.velocity(), (std::vector<double>{0.0, 1.25}));
}

TEST(EpsilonNet, TakesEqualPointsOnceEvenWhereTheSquareOfEpsilonVanishes) {
  EpsilonNet net(2, 1e-170);
  net.add(outcomes(Eigen::MatrixXd::Constant(100, 2, 0.5)));
  EXPECT_EQ(net.size(), 1u);
}

TEST(EpsilonNet, IgnoresWhatIsNoOutcome) {
  Eigen::MatrixXd points(2, 1);
  points << 0.0, 5.0;
  SampleSet samples = outcomes(points);
  samples.status[1] = Status::step_limit;
  EpsilonNet net(1, 1.0);
  net.add(samples);
  EXPECT_EQ(net.size(), 1u);
}

TEST(EpsilonNet, RefusesRowsAndMetricsOfOtherSizes) {
  const SampleSet rows = outcomes(Eigen::MatrixXd::Ones(6, 2));
  EpsilonNet wider(3, 0.1);
  EXPECT_THROW(wider.add(rows), InputError);
  EXPECT_THROW(static_cast<void>(wider.uncovered(rows)), InputError);
  EXPECT_EQ(wider.size(), 0u);
  EXPECT_THROW(EpsilonNet(0, 0.1), InputError);
  EXPECT_THROW(EpsilonNet(2, 0.1, Eigen::MatrixXd::Identity(3, 3)), InputError);
  EXPECT_THROW(EpsilonNet(1, 0.1, Eigen::MatrixXd::Constant(1, 1, NAN)), InputError);
  const std::vector<double> points(4, 0.0);
  EXPECT_THROW(directed_hausdorff(points, points, 2, Eigen::MatrixXd::Identity(3, 3)), InputError);
}

TEST(SampleSet, GivesItsVelocitiesAsRowsAndThoseOfOutcomesAlone) {
  Eigen::MatrixXd points(3, 2);
  points << 1.0, 2.0, 3.0, 4.0, 5.0, 6.0;
  SampleSet samples = outcomes(points);
  EXPECT_EQ(samples.velocity_rows(), points);
  samples.status[1] = Status::ray;
  EXPECT_EQ(samples.outcomes(), (RowMatrix(2, 2) << 1.0, 2.0, 5.0, 6.0).finished());
  EXPECT_EQ(SampleSet{}.outcomes().rows(), 0);
}

class NetOfDimension : public testing::TestWithParam<int> {};

TEST_P(NetOfDimension, CoversEveryPointAndPacksItsMembers) {
  const int dimension = GetParam();
  test::Random random(3);
  const Eigen::MatrixXd points = random.normal(3000, dimension);
  constexpr double epsilon = 0.9;
  EpsilonNet net(dimension, epsilon);
  net.add(outcomes(points));

  const RowMatrixView members = net.velocity_rows();
  const Eigen::Index size = members.rows();
  ASSERT_EQ(members.cols(), dimension);
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const auto distances = (members.rowwise() - points.row(i)).rowwise().norm();
    ASSERT_LE(distances.minCoeff(), epsilon * (1.0 + 1e-15));
  }
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      ASSERT_GT((members.row(i) - members.row(j)).norm(), epsilon * (1.0 - 1e-15));
    }
  }
  EXPECT_GT(size, 1);
}

INSTANTIATE_TEST_SUITE_P(All, NetOfDimension, testing::Values(1, 2, 3, 7, 18));

TEST(EpsilonNet, IsTheSameHoweverTheOutcomesAreChunked) {
  test::Random random(4);
  const Eigen::MatrixXd points = random.normal(2000, 3);
  EpsilonNet whole(3, 0.3);
  whole.add(outcomes(points));
  EpsilonNet parts(3, 0.3);
  for (Eigen::Index first = 0; first < 2000; first += 130) {
    const Eigen::Index count = std::min<Eigen::Index>(130, 2000 - first);
    parts.add(outcomes(points.middleRows(first, count), static_cast<std::uint64_t>(first)), 1);
  }
  EXPECT_EQ(whole.index(), parts.index());
  EXPECT_EQ(whole.velocity(), parts.velocity());
}

TEST(EpsilonNet, GoesOnFromRestoredMembersAsIfNeverStopped) {
  test::Random random(5);
  const Eigen::MatrixXd points = random.normal(1000, 2);
  EpsilonNet whole(2, 0.2);
  whole.add(outcomes(points));
  EpsilonNet first_half(2, 0.2);
  first_half.add(outcomes(points.topRows(500)));
  EpsilonNet resumed(2, 0.2);
  resumed.restore(first_half.index(), first_half.velocity());
  resumed.add(outcomes(points.bottomRows(500), 500));
  EXPECT_EQ(whole.index(), resumed.index());
}

TEST(EpsilonNet, HasTheMembersOfAGreedyChoiceOnePointAfterTheOther) {
  // So many points and members that several trees and blocks of rows take part.
  constexpr double epsilon = 0.06;
  test::Random random(6);
  const Eigen::MatrixXd points = random.normal(20000, 2);
  std::vector<std::uint64_t> greedy;
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const bool covered = std::any_of(greedy.begin(), greedy.end(), [&](std::uint64_t member) {
      const double x = points(i, 0) - points(static_cast<Eigen::Index>(member), 0);
      const double y = points(i, 1) - points(static_cast<Eigen::Index>(member), 1);
      return x * x + y * y <= epsilon * epsilon;
    });
    if (!covered) greedy.push_back(static_cast<std::uint64_t>(i));
  }
  EXPECT_GT(greedy.size(), 2000u);
  EpsilonNet net(2, epsilon);
  net.add(outcomes(points));
  EXPECT_EQ(net.index(), greedy);
}

TEST(EpsilonNet, TakesASoughtOutcomeOnlyBeyondEpsilonAndMarksIt) {
  EpsilonNet net(1, 1.0);
  net.add(outcomes(Eigen::MatrixXd::Zero(1, 1)));
  const std::vector<double> sought = {1.0, 3.0, 2.5, 5.0};
  for (std::size_t i = 0; i < sought.size(); ++i)
    net.add_found(EpsilonNet::sought_index + i, &sought[i]);
  constexpr std::uint64_t mark = EpsilonNet::sought_index;
  EXPECT_EQ(net.index(), (std::vector<std::uint64_t>{0, mark + 1, mark + 3}));
  EXPECT_EQ(net.velocity(), (std::vector<double>{0.0, 3.0, 5.0}));

  EpsilonNet restored(1, 1.0);
  restored.restore(net.index(), net.velocity());
  EXPECT_EQ(restored.index(), net.index());
  const double far = 7.0;
  restored.add_found(EpsilonNet::sought_index + 9, &far);
  EXPECT_EQ(restored.index().back(), mark + 9);
  EXPECT_EQ(restored.distance(&sought[1]), 0.0);
}

TEST(EpsilonNet, RefusesMembersOutOfOrder) {
  EpsilonNet net(1, 1.0);
  net.add(outcomes(Eigen::MatrixXd::Zero(1, 1), 5));
  EXPECT_THROW(net.add(outcomes(Eigen::MatrixXd::Zero(1, 1), 5)), InputError);
  const double far = 7.0;
  net.add_found(EpsilonNet::sought_index + 3, &far);
  EXPECT_THROW(net.add_found(EpsilonNet::sought_index + 3, &far), InputError);
  EXPECT_THROW(net.add(outcomes(Eigen::MatrixXd::Zero(1, 1), 6)), InputError);
  EpsilonNet restored(1, 1.0);
  EXPECT_THROW(restored.restore({2, 1}, {0.0, 5.0}), InputError);
  EXPECT_THROW(restored.restore({1}, {0.0, 5.0}), InputError);
}

TEST(EpsilonNet, IsInfinitelyFarWhileEmpty) {
  const double velocity = 0.0;
  EXPECT_EQ(EpsilonNet(1, 1.0).distance(&velocity), std::numeric_limits<double>::infinity());
}

TEST(EpsilonNet, MeasuresInTheKineticNormByHand) {
  // M = diag(4, 1): a metre per second of the first coordinate counts twice.
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Vector2d(4.0, 1.0).asDiagonal();
  Eigen::MatrixXd points(3, 2);
  points << 0.0, 0.0, 0.6, 0.0, 0.0, 0.9;
  EpsilonNet net(2, 1.0, net_metric(problem, Norm::kinetic));
  net.add(outcomes(points));
  EXPECT_EQ(net.index(), (std::vector<std::uint64_t>{0, 1}));
  const double other[] = {0.0, 0.9};
  EXPECT_DOUBLE_EQ(net.distance(other), 0.9);
  problem.mass_matrix(1, 1) = -1.0;
  EXPECT_THROW(net_metric(problem, Norm::kinetic), InputError);
  problem.mass_matrix.resize(3, 2);
  EXPECT_THROW(net_metric(problem, Norm::kinetic), InputError);
}

TEST(EpsilonNet, RefusesNoVelocity) {
  EpsilonNet net(2, 1.0);
  EXPECT_THROW(net.distance(nullptr), InputError);
  EXPECT_THROW(net.add_found(EpsilonNet::sought_index, nullptr), InputError);
}

TEST(EpsilonNet, RefusesAnEpsilonThatIsNotPositive) {
  EXPECT_THROW(EpsilonNet(2, 0.0), InputError);
  EXPECT_THROW(EpsilonNet(2, std::numeric_limits<double>::quiet_NaN()), InputError);
}

}  // namespace
}  // namespace carom
