#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "carom/carom.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/base/double_double.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/problem/friction_directions.hpp"
#include "tests/kernels/impulses_by_sets.hpp"
#include "tests/support/random_problem.hpp"

namespace carom {

// The same source, compiled without optimisation for tests.
namespace unoptimised {
AssemblyReport assemble_problem(const ProblemShape& shape, const ProblemArrays& problem,
                                bool kinetic, double* data);
}

namespace {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// What the flat array of a problem should hold, in long double.
struct Oracle {
  Matrix response;  ///< M^-1 J' of all directions
  Matrix delassus;  ///< J M^-1 J' of all directions
  Matrix own;       ///< the same of normals and tangents, contact by contact
  Matrix tangent_response;
  Real psi_euclidean, psi_kinetic, stopping_impulse;  ///< the last of m rounds in turn
  bool presses = false;                               ///< a contact onto another
  Real together = NAN;  ///< the largest impulse that stops all; NaN: there may be several

  explicit Oracle(const ImpactProblem& problem) {
    const Matrix mass = problem.mass_matrix.cast<Real>();
    const Eigen::LLT<Matrix> cholesky(mass);
    const int m = problem.contacts();
    const int d = problem.tangent_dimension();
    const Matrix directions = friction_direction_matrix(problem).cast<Real>();
    const Matrix normals = problem.normal_jacobian.cast<Real>();
    const Matrix tangents = problem.tangent_jacobian.cast<Real>();
    const auto k = static_cast<int>(directions.rows());
    Matrix jacobian(m + m * k, normals.cols());
    jacobian.topRows(m) = normals;
    for (int i = 0; i < m; ++i) {
      jacobian.middleRows(m + i * k, k) = directions * tangents.middleRows(i * d, d);
    }
    response = cholesky.solve(Matrix(jacobian.transpose()));
    delassus = jacobian * response;
    tangent_response = cholesky.solve(Matrix(tangents.transpose()));
    const Matrix contacts = interleaved_jacobian(problem).cast<Real>();
    own = contacts * cholesky.solve(Matrix(contacts.transpose()));
    const Real spread = m * (1 + static_cast<Real>(problem.friction.maxCoeff()));
    psi_euclidean = spread * largest_singular_value(response) + 1;
    psi_kinetic =
        spread * largest_singular_value(cholesky.matrixL().solve(Matrix(jacobian.transpose()))) + 1;
    Matrix speed = normals * problem.pre_impact_velocity.cast<Real>();
    Real alone = 0;  // of one contact
    for (int i = 0; i < m; ++i) alone = std::max(alone, -speed(i, 0) / delassus(i, i));
    stopping_impulse = alone;
    const Matrix own_normals = delassus.topLeftCorner(m, m);
    presses = own_normals.minCoeff() < 0 && alone > 0;
    if (!presses) return;
    if (m <= 8) together = test::largest_by_sets(own_normals, speed);
    Matrix impulse = Matrix::Zero(m, 1);  // of contacts that stop in turn
    const Matrix first = speed;
    for (int turn = 0; turn < m * m; ++turn) {
      const int i = turn % m;
      impulse(i, 0) = std::max<Real>(0, impulse(i, 0) - speed(i, 0) / delassus(i, i));
      stopping_impulse = std::max(stopping_impulse, impulse(i, 0));
      speed = first + own_normals * impulse;
    }
  }

 private:
  static Real largest_singular_value(const Matrix& map) {
    const Eigen::SelfAdjointEigenSolver<Matrix> squares(Matrix(map * map.transpose()),
                                                        Eigen::EigenvaluesOnly);
    return std::sqrt(squares.eigenvalues().maxCoeff());
  }
};

/// The largest difference, each relative to the root of the product of its diagonal entries.
Real difference(const Matrix& found, const Matrix& wanted) {
  Real worst = 0;
  for (Eigen::Index i = 0; i < wanted.rows(); ++i) {
    for (Eigen::Index j = 0; j < wanted.cols(); ++j) {
      const Real scale = std::sqrt(wanted(i, i)) * std::sqrt(wanted(j, j));
      if (scale > 0) worst = std::max(worst, std::abs(found(i, j) - wanted(i, j)) / scale);
    }
  }
  return worst;
}

/// The largest relative difference of a column.
Real column_difference(const Matrix& found, const Matrix& wanted) {
  Real worst = 0;
  for (Eigen::Index j = 0; j < wanted.cols(); ++j) {
    const Real scale = wanted.col(j).norm();
    if (scale > 0) worst = std::max(worst, (found.col(j) - wanted.col(j)).norm() / scale);
  }
  return worst;
}

Real relative(double found, Real wanted) { return std::abs(found - wanted) / wanted; }

void expect_agreement(const ImpactProblem& given, Real tolerance) {
  const ImpactProblem problem = validated(given);
  const Oracle wanted(problem);
  const FlatProblem flat = assemble(problem);
  const StepLcpView view{shape_of(problem), flat.data.data()};
  const ProblemShape& shape = view.shape;
  const int size = shape.bounded_size();
  const int all = shape.contacts + shape.frictions();
  const double unit = view.impulse_unit();
  const Real mean = wanted.delassus.diagonal().head(shape.contacts).mean();
  EXPECT_EQ(unit, std::exp2(std::round(std::log2(static_cast<double>(mean)))));
  const Matrix w = Eigen::Map<const Eigen::MatrixXd>(view.matrix(), size, size).cast<Real>();
  EXPECT_EQ(w.topLeftCorner(all, all), Matrix(w.topLeftCorner(all, all).transpose()));
  EXPECT_LE(difference(unit * w.topLeftCorner(all, all), wanted.delassus), tolerance);
  const Matrix own =
      Eigen::Map<const RowMajor>(view.delassus(), shape.impulses(), shape.impulses()).cast<Real>();
  EXPECT_LE(difference(unit * own, wanted.own), tolerance);
  const auto columns = [&](const double* rows, int count) {
    return Matrix(Eigen::Map<const Eigen::MatrixXd>(rows, shape.velocities, count).cast<Real>());
  };
  EXPECT_LE(column_difference(columns(view.normal_response(), shape.contacts),
                              wanted.response.leftCols(shape.contacts)),
            tolerance);
  EXPECT_LE(column_difference(columns(view.tangent_response(), shape.tangents()),
                              wanted.tangent_response),
            tolerance);
  EXPECT_LE(
      relative(view.least_admittance(), wanted.delassus.diagonal().head(shape.contacts).minCoeff()),
      tolerance);
  EXPECT_LE(relative(flat.report.largest_admittance, wanted.delassus.diagonal().maxCoeff()),
            tolerance);
  EXPECT_LE(relative(flat.report.psi, wanted.psi_euclidean), tolerance);
  EXPECT_LE(relative(psi(problem, Norm::kinetic), wanted.psi_kinetic), tolerance);
  const double found = flat.report.stopping_impulse;
  EXPECT_GE(found, (1 - 4 * tolerance) * wanted.stopping_impulse);
  if (!std::isnan(wanted.together)) {
    constexpr Real ill_conditioned = 1e-4;
    EXPECT_LE(found, (1 + ill_conditioned) * std::max(wanted.stopping_impulse, wanted.together));
    EXPECT_GE(found, (1 - ill_conditioned) * wanted.together);
  } else if (!wanted.presses) {
    EXPECT_LE(found, (1 + 4 * tolerance) * wanted.stopping_impulse);
  }
}

struct Shape {
  int contacts, velocities, tangent_dimension, friction_directions;
};
constexpr Shape shapes[] = {{1, 1, 1, 2},  {1, 3, 1, 2},  {2, 3, 1, 2}, {2, 4, 1, 2},
                            {2, 16, 1, 2}, {2, 20, 1, 2}, {3, 2, 1, 2}, {5, 7, 1, 2},
                            {5, 24, 1, 2}, {12, 9, 1, 2}, {1, 3, 2, 4}, {4, 6, 2, 4},
                            {8, 48, 2, 4}, {2, 6, 2, 6},  {5, 6, 2, 8}, {3, 6, 2, 10}};

ImpactProblem draw(test::Random& random, const Shape& shape) {
  return test::random_problem(random, shape.contacts, shape.velocities, -1.0,
                              shape.tangent_dimension, shape.friction_directions);
}

TEST(Assembly, AgreesWithLongDouble) {
  constexpr Real tolerance = 1e-14L;
  for (const System& system : systems()) {
    SCOPED_TRACE(system.name);
    expect_agreement(system.build({}), tolerance);
  }
  for (const char* name : {"brick_corners", "brick_corners_k8", "matrices_example"}) {
    SCOPED_TRACE(name);
    expect_agreement(
        load_scenario(CAROM_SOURCE_DIR "/scenarios/" + std::string(name) + ".toml").problem,
        tolerance);
  }
  test::Random random(1);
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.contacts);
    for (int i = 0; i < 20; ++i) expect_agreement(draw(random, shape), tolerance);
  }
}

TEST(Assembly, AgreesToTheDigitsThatANearlySingularMassLeaves) {
  test::Random random(2);
  for (const Shape& shape : shapes) {
    const int nv = shape.velocities;
    if (nv < 2) continue;
    for (const double condition : {1e4, 1e7, 1e10}) {
      SCOPED_TRACE(condition);
      ImpactProblem problem = draw(random, shape);
      const Eigen::MatrixXd axes = random.normal(nv, nv).householderQr().householderQ();
      Eigen::VectorXd inertia = Eigen::VectorXd::Ones(nv);
      inertia(0) = 1.0 / condition;
      problem.mass_matrix = axes * inertia.asDiagonal() * axes.transpose();
      problem.mass_matrix = (0.5 * (problem.mass_matrix + problem.mass_matrix.transpose())).eval();
      expect_agreement(problem, static_cast<Real>(1e-15 * condition));
    }
  }
}

TEST(Assembly, GivesTheSameBitsInOtherUnitsOfVelocities) {
  test::Random random(6);
  for (const Shape& shape : shapes) {
    ImpactProblem problem = draw(random, shape);
    const FlatProblem before = assemble(problem);
    Eigen::VectorXd unit(shape.velocities);
    for (double& one : unit) one = std::exp2(std::round(random.uniform(-30.0, 30.0)));
    problem.mass_matrix = (unit.asDiagonal() * problem.mass_matrix * unit.asDiagonal()).eval();
    problem.normal_jacobian = (problem.normal_jacobian * unit.asDiagonal()).eval();
    problem.tangent_jacobian = (problem.tangent_jacobian * unit.asDiagonal()).eval();
    problem.pre_impact_velocity = problem.pre_impact_velocity.cwiseQuotient(unit).eval();
    const FlatProblem after = assemble(problem);
    const StepLcpView view{shape_of(problem), nullptr};
    const auto both_matrices = static_cast<std::size_t>(view.cover_at());
    EXPECT_EQ(std::memcmp(before.data.data(), after.data.data(), both_matrices * sizeof(double)),
              0);
    EXPECT_EQ(before.report.stopping_impulse, after.report.stopping_impulse);
    for (int i = 0; i < shape.velocities; ++i) {
      const auto at = static_cast<std::size_t>(view.tangent_response_at() + i);
      EXPECT_EQ(before.data[at], after.data[at] * unit(i));
    }
  }
}

/// Pivots above 1e-28 of a positive semidefinite matrix (high + low) by Cholesky's method, each the
/// largest that is left; -1 where one is as far below zero.
int rank(const Eigen::MatrixXd& high, const Eigen::MatrixXd& low) {
  const Eigen::Index size = high.rows();
  const auto at = [size](Eigen::Index i, Eigen::Index j) {
    return static_cast<std::size_t>(i * size + j);
  };
  std::vector<DoubleDouble> left(static_cast<std::size_t>(size * size));
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) left[at(i, j)] = {high(i, j), low(i, j)};
  }
  const double noise = 1e-28 * high.diagonal().maxCoeff();
  std::vector<bool> done(static_cast<std::size_t>(size), false);
  for (int found = 0;; ++found) {
    Eigen::Index pivot = -1;
    for (Eigen::Index i = 0; i < size; ++i) {
      if (done[static_cast<std::size_t>(i)]) continue;
      if (left[at(i, i)].high < -noise) return -1;
      if (pivot < 0 || left[at(pivot, pivot)] < left[at(i, i)]) pivot = i;
    }
    if (pivot < 0 || left[at(pivot, pivot)].high <= noise) return found;
    done[static_cast<std::size_t>(pivot)] = true;
    for (Eigen::Index i = 0; i < size; ++i) {
      if (done[static_cast<std::size_t>(i)]) continue;
      const DoubleDouble factor = left[at(i, pivot)] / left[at(pivot, pivot)];
      for (Eigen::Index j = 0; j < size; ++j) {
        left[at(i, j)] = left[at(i, j)] - factor * left[at(pivot, j)];
      }
    }
  }
}

TEST(Assembly, KeepsTheRankOfRedundantContacts) {
  test::Random random(3);
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.contacts);
    for (const bool twice : {false, true}) {
      ImpactProblem problem = draw(random, shape);
      const int d = shape.tangent_dimension;
      if (twice && shape.contacts > 1) {  // two contacts at one place
        problem.normal_jacobian.row(1) = problem.normal_jacobian.row(0);
        problem.tangent_jacobian.middleRows(d, d) = problem.tangent_jacobian.topRows(d);
      }
      problem = validated(problem);
      const std::vector<double> data = flatten(problem, 1.0, 1.0);
      const StepLcpView view{shape_of(problem), data.data()};
      const int size = view.shape.bounded_size();
      const int all = view.shape.contacts + view.shape.frictions();
      using Square = Eigen::Map<const Eigen::MatrixXd>;
      const int different = shape.contacts - (twice && shape.contacts > 1 ? 1 : 0);
      EXPECT_EQ(rank(Square(view.matrix(), size, size).topLeftCorner(all, all),
                     Square(view.matrix_low(), size, size).topLeftCorner(all, all)),
                std::min(shape.velocities, different * (1 + d)));
    }
  }
}

/// What an assembly writes and reports, with either norm.
struct Assembled {
  std::vector<double> data;
  AssemblyReport euclidean, kinetic;

  template <class Assemble>
  Assembled(const ImpactProblem& problem, const Assemble& assemble) {
    const ProblemShape shape = shape_of(problem);
    const RowMajor normals = problem.normal_jacobian;
    const RowMajor tangents = problem.tangent_jacobian;
    const RowMajor directions = friction_direction_matrix(problem);
    const ProblemArrays arrays{problem.mass_matrix.data(),
                               normals.data(),
                               tangents.data(),
                               problem.friction.data(),
                               problem.pre_impact_velocity.data(),
                               directions.data()};
    data.resize(static_cast<std::size_t>(StepLcpView{shape, nullptr}.data_size()), 7.0);
    kinetic = assemble(shape, arrays, true, data.data());
    euclidean = assemble(shape, arrays, false, data.data());
  }
};

void expect_same_bits(const AssemblyReport& a, const AssemblyReport& b) {
  EXPECT_EQ(a.status, AssemblyStatus::usable);
  EXPECT_EQ(b.status, AssemblyStatus::usable);
  EXPECT_EQ(a.psi, b.psi);
  EXPECT_EQ(a.stopping_impulse, b.stopping_impulse);
  EXPECT_EQ(a.largest_admittance, b.largest_admittance);
}

TEST(Assembly, GivesTheSameBitsOnAnyInstructionSetAndWithoutOptimisation) {
  test::Random random(4);
  for (const Shape& shape : shapes) {
    SCOPED_TRACE(shape.contacts);
    for (int i = 0; i < 3; ++i) {
      const ImpactProblem problem = draw(random, shape);
      const Assembled plain(problem, unoptimised::assemble_problem);
      for (const ItemRunner* runner : item_runners()) {
        const Assembled other(problem, runner->assemble);
        EXPECT_EQ(
            std::memcmp(plain.data.data(), other.data.data(), plain.data.size() * sizeof(double)),
            0);
        expect_same_bits(plain.euclidean, other.euclidean);
        expect_same_bits(plain.kinetic, other.kinetic);
      }
    }
  }
}

/// One contact of unit mass in the plane.
struct Point {
  std::vector<double> mass = {1.0, 0.0, 0.0, 1.0};
  std::vector<double> normal = {0.0, 1.0};
  std::vector<double> tangent = {1.0, 0.0};
  std::vector<double> friction = {0.5};
  std::vector<double> velocity = {0.0, -1.0};
  ProblemShape shape{1, 2, 1, 2};

  AssemblyReport report() const {
    std::vector<double> directions(8);
    write_friction_directions(1, 2, directions.data());
    std::vector<double> data(1000);
    return item_runner().assemble(shape,
                                  {mass.data(), normal.data(), tangent.data(), friction.data(),
                                   velocity.data(), directions.data()},
                                  false, data.data());
  }
  AssemblyStatus status() const { return report().status; }
};

TEST(Assembly, TellsWhatIsWrong) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Point().status(), AssemblyStatus::usable);
  for (const ProblemShape& shape :
       {ProblemShape{1, 2, 1, 3}, ProblemShape{1, 2, 2, 2}, ProblemShape{1, 2, 2, 5},
        ProblemShape{0, 2, 1, 2}, ProblemShape{1, 0, 1, 2}, ProblemShape{1, 97, 1, 2},
        ProblemShape{1, 2, 2, 1 << 30}}) {
    EXPECT_EQ((Point{.shape = shape}).status(), AssemblyStatus::bad_shape);
  }
  for (const double friction : {-0.1, 1.1e8, nan, infinity}) {
    EXPECT_EQ((Point{.friction = {friction}}).status(), AssemblyStatus::bad_friction);
  }
  EXPECT_EQ((Point{.mass = {1.0, 1e-5, 0.0, 1.0}}).status(), AssemblyStatus::asymmetric_mass);
  EXPECT_EQ((Point{.mass = {1.0, 0.0, 0.0, nan}}).status(), AssemblyStatus::asymmetric_mass);
  EXPECT_EQ((Point{.mass = {1.0, 1e-11, 0.0, 1.0}}).status(), AssemblyStatus::usable);
  for (const double mass : {0.0, -1.0, 1.0}) {
    EXPECT_EQ((Point{.mass = {1.0, 1.0, 1.0, mass}}).status(), AssemblyStatus::indefinite_mass);
  }
  EXPECT_EQ((Point{.mass = {infinity, 0.0, 0.0, 1.0}}).status(), AssemblyStatus::indefinite_mass);
  // A pivot of 2e-14 is one, 5e-15 is none.
  EXPECT_EQ((Point{.mass = {1.0, 1.0, 1.0, 1.0 + 2e-14}}).status(), AssemblyStatus::usable);
  EXPECT_EQ((Point{.mass = {1.0, 1.0, 1.0, 1.0 + 5e-15}}).status(),
            AssemblyStatus::indefinite_mass);
  for (const double entry : {nan, infinity, 1e200}) {
    EXPECT_EQ((Point{.normal = {0.0, entry}}).status(), AssemblyStatus::out_of_scale);
    EXPECT_EQ((Point{.tangent = {entry, 0.0}}).status(), AssemblyStatus::out_of_scale);
    EXPECT_EQ((Point{.velocity = {entry, -1.0}}).status(), AssemblyStatus::out_of_scale);
  }
  EXPECT_EQ((Point{.normal = {0.0, 0.0}}).status(), AssemblyStatus::out_of_scale);
  EXPECT_EQ((Point{.normal = {0.0, 1e-200}}).status(), AssemblyStatus::out_of_scale);
}

TEST(Assembly, EvensOutTheLastDigitsOfTheMassMatrix) {
  const Point point{.mass = {1.0, 0.25 + 1e-13, 0.25, 1.0}};
  const Point even{.mass = {1.0, 0.25 + 0.5e-13, 0.25 + 0.5e-13, 1.0}};
  EXPECT_DOUBLE_EQ(point.report().psi, even.report().psi);
}

}  // namespace
}  // namespace carom
