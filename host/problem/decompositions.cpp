#include "host/problem/decompositions.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <utility>

namespace carom {

Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric, Eigen::EigenvaluesOnly)
      .eigenvalues();
}

Eigen::VectorXd singular_values(const Eigen::MatrixXd& matrix) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(matrix).singularValues();
}

SingularVectors singular_vectors(const Eigen::MatrixXd& matrix, bool with_right) {
  const unsigned wanted =
      with_right ? Eigen::ComputeFullU | Eigen::ComputeFullV : Eigen::ComputeFullU;
  const Eigen::JacobiSVD<Eigen::MatrixXd> found(matrix, wanted);
  SingularVectors vectors{found.singularValues(), found.matrixU(), {}};
  if (with_right) vectors.right = found.matrixV();
  return vectors;
}

Cholesky::Cholesky(const Eigen::MatrixXd& matrix) {
  const Eigen::LLT<Eigen::MatrixXd> found(matrix);
  succeeded_ = found.info() == Eigen::Success;
  lower_ = found.matrixL();
}

Eigen::VectorXd Cholesky::upper_times(const Eigen::VectorXd& right) const {
  return lower_.transpose().triangularView<Eigen::Upper>() * right;
}

Eigen::MatrixXd Cholesky::solve_lower(Eigen::MatrixXd right) const {
  lower_.triangularView<Eigen::Lower>().solveInPlace(right);
  return right;
}

Eigen::MatrixXd Cholesky::solve_upper(Eigen::MatrixXd right) const {
  lower_.transpose().triangularView<Eigen::Upper>().solveInPlace(right);
  return right;
}

Eigen::VectorXd Cholesky::solve_vector(Eigen::VectorXd right) const {
  lower_.triangularView<Eigen::Lower>().solveInPlace(right);
  lower_.transpose().triangularView<Eigen::Upper>().solveInPlace(right);
  return right;
}

Eigen::MatrixXd Cholesky::solve_columns(Eigen::MatrixXd right) const {
  return solve_upper(solve_lower(std::move(right)));
}

struct OrthogonalFactors::Factors {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> found;
};

OrthogonalFactors::OrthogonalFactors(const Eigen::MatrixXd& matrix)
    : factors_(new Factors{Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(matrix)}) {}

OrthogonalFactors::OrthogonalFactors(const Eigen::MatrixXd& matrix, double threshold) {
  const auto factors = std::make_shared<Factors>();
  factors->found.setThreshold(threshold);
  factors->found.compute(matrix);
  factors_ = factors;
}

Eigen::Index OrthogonalFactors::rank() const { return factors_->found.rank(); }

Eigen::MatrixXd OrthogonalFactors::left() const { return factors_->found.householderQ(); }

Eigen::VectorXd OrthogonalFactors::solve(const Eigen::VectorXd& right) const {
  return factors_->found.solve(right);
}

}  // namespace carom
