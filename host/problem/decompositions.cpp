#include "host/problem/decompositions.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

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

Eigen::VectorXd least_squares(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right) {
  return matrix.colPivHouseholderQr().solve(right);
}

}  // namespace carom
