#include <gtest/gtest.h>

#include <Eigen/Core>
#include <vector>

#include "kernels/lcp/lemke.hpp"
#include "tests/support/random_problem.hpp"

namespace carom {
namespace {

using Eigen::MatrixXd;

struct Solved {
  LemkeOutcome outcome;
  Eigen::VectorXd z;
  int pivots;
};

template <class Real = double, int capacity = 10>
Solved lemke(const MatrixXd& matrix, const Eigen::VectorXd& constant) {
  const int n = static_cast<int>(constant.size());
  const Eigen::VectorXd cover = Eigen::VectorXd::Ones(n);
  Lemke<capacity, Real> method;
  Solved answer;
  answer.outcome = method.solve({.size = n,
                                 .stride = n,
                                 .matrix = matrix.data(),
                                 .constant = constant.data(),
                                 .cover = cover.data()},
                                {.pivots_per_row = 10});
  answer.z = Eigen::VectorXd::Zero(n);
  if (answer.outcome == LemkeOutcome::solved) method.solution(answer.z.data());
  answer.pivots = method.pivots();
  return answer;
}

MatrixXd matrix2(double a, double b, double c, double d) {
  MatrixXd matrix(2, 2);
  matrix << a, b, c, d;
  return matrix;
}

TEST(Lemke, TakesZeroWhereTheConstantIsNotNegative) {
  const Solved answer = lemke(matrix2(2, 1, 1, 2), Eigen::Vector2d(0.0, 3.0));
  EXPECT_EQ(answer.outcome, LemkeOutcome::solved);
  EXPECT_EQ(answer.z, Eigen::Vector2d(0.0, 0.0));
  EXPECT_EQ(answer.pivots, 0);
}

TEST(Lemke, SolvesAPositiveDefiniteProblemByHand) {
  // 2 z1 + z2 = 5 and z1 + 2 z2 = 6 with both basic: z = (4/3, 7/3).
  const Solved answer = lemke(matrix2(2, 1, 1, 2), Eigen::Vector2d(-5.0, -6.0));
  ASSERT_EQ(answer.outcome, LemkeOutcome::solved);
  EXPECT_NEAR(answer.z(0), 4.0 / 3.0, 1e-15);
  EXPECT_NEAR(answer.z(1), 7.0 / 3.0, 1e-15);
}

TEST(Lemke, LeavesAnUnknownAtZeroWhereItsRowIsPositive) {
  // z2 = 0: z1 = 1/2 gives y2 = 1/2 + 3 > 0.
  const Solved answer = lemke(matrix2(2, 0, 1, 2), Eigen::Vector2d(-1.0, 3.0));
  ASSERT_EQ(answer.outcome, LemkeOutcome::solved);
  EXPECT_EQ(answer.z, Eigen::Vector2d(0.5, 0.0));
}

TEST(Lemke, ReportsARayInsteadOfAnOutcome) {
  MatrixXd matrix(1, 1);
  matrix << -1.0;  // y = -z - 1 is never positive
  Eigen::VectorXd constant(1);
  constant << -1.0;
  EXPECT_EQ(lemke(matrix, constant).outcome, LemkeOutcome::ray);
}

TEST(Lemke, EndsOnTiedRatiosOfACyclingExample) {
  // Kostreva's example: every ratio test ties, so a rule that takes the first row cycles.
  MatrixXd matrix(3, 3);
  matrix << 1, 2, 0, 0, 1, 2, 2, 0, 1;
  const Solved answer = lemke(matrix, Eigen::Vector3d(-1.0, -1.0, -1.0));
  ASSERT_EQ(answer.outcome, LemkeOutcome::solved);
  const Eigen::Vector3d y = matrix * answer.z - Eigen::Vector3d::Ones();
  EXPECT_GE(answer.z.minCoeff(), 0.0);
  EXPECT_GE(y.minCoeff(), -1e-15);
  EXPECT_NEAR(answer.z.dot(y), 0.0, 1e-15);
}

TEST(Lemke, GivesTheSameBasisInDoubleDouble) {
  test::Random random(7);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Eigen::MatrixXd factor = random.normal(8, 8);
    const MatrixXd matrix = factor * factor.transpose();
    const Eigen::VectorXd constant = random.normal(8, 1);
    const Solved coarse = lemke<double>(matrix, constant);
    const Solved fine = lemke<DoubleDouble>(matrix, constant);
    ASSERT_EQ(coarse.outcome, LemkeOutcome::solved);
    ASSERT_EQ(fine.outcome, LemkeOutcome::solved);
    EXPECT_EQ(coarse.pivots, fine.pivots);
    EXPECT_LT((coarse.z - fine.z).norm(), 1e-8 * (1.0 + fine.z.norm()));
  }
}

TEST(Lemke, IsExactlyHomogeneousInPowersOfTwo) {
  test::Random random(8);
  const Eigen::MatrixXd factor = random.normal(6, 6);
  const MatrixXd matrix = factor * factor.transpose();
  const Eigen::VectorXd constant = random.normal(6, 1);
  EXPECT_EQ(lemke(matrix, 0x1p-30 * constant).z, 0x1p-30 * lemke(matrix, constant).z);
}

TEST(Lemke, HasTheSameBitsHoweverManyExchangesAreKept) {
  // Murty's matrix takes 2^n pivots: more than a method for ten unknowns keeps before it brings
  // all columns up to date, fewer than one for a hundred keeps. Scaled columns make it round.
  constexpr int n = 6;
  MatrixXd matrix = MatrixXd::Identity(n, n);
  matrix.triangularView<Eigen::StrictlyLower>().setConstant(2.0);
  const Eigen::VectorXd constant = -Eigen::VectorXd::Ones(n);
  test::Random random(9);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const Eigen::VectorXd scale = random.normal(n, 1).array().exp();
    const MatrixXd scaled = matrix * scale.asDiagonal();
    const Solved few = lemke<double, 10>(scaled, constant);
    const Solved many = lemke<double, 100>(scaled, constant);
    ASSERT_EQ(few.outcome, LemkeOutcome::solved);
    EXPECT_EQ(few.pivots, 64);
    EXPECT_EQ(many.pivots, 64);
    EXPECT_EQ(few.z, many.z);
    EXPECT_NEAR(few.z(0) * scale(0), 1.0, 1e-9);
    EXPECT_LT(few.z.tail(n - 1).maxCoeff(), 1e-9);
  }
}

TEST(Lemke, SolvesOnASubsetOfTheUnknowns) {
  MatrixXd matrix(3, 3);
  matrix << 2, 9, 1, 9, 9, 9, 1, 9, 2;
  const Eigen::Vector3d constant(-5.0, -100.0, -6.0);
  const Eigen::Vector3d cover = Eigen::Vector3d::Ones();
  const short index[] = {0, 2};
  Lemke<10> method;
  ASSERT_EQ(method.solve({.size = 2,
                          .index = index,
                          .stride = 3,
                          .matrix = matrix.data(),
                          .constant = constant.data(),
                          .cover = cover.data()},
                         LemkeTolerances{}),
            LemkeOutcome::solved);
  Eigen::Vector3d z(0.0, -7.0, 0.0);
  method.solution(z.data());
  EXPECT_NEAR(z(0), 4.0 / 3.0, 1e-15);
  EXPECT_EQ(z(1), -7.0);  // untouched
  EXPECT_NEAR(z(2), 7.0 / 3.0, 1e-15);
}

}  // namespace
}  // namespace carom
