#pragma once

#include <Eigen/Core>

namespace carom {

// Compiled once, because every file that includes Eigen's decompositions takes seconds to compile.

/// Eigenvalues of a symmetric matrix, ascending.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric);

/// Singular values of a matrix, descending.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& matrix);

/// left diag(values) right': a matrix by its singular values, descending.
struct SingularVectors {
  Eigen::VectorXd values;
  Eigen::MatrixXd left;   ///< square
  Eigen::MatrixXd right;  ///< square; empty if not wanted
};
SingularVectors singular_vectors(const Eigen::MatrixXd& matrix, bool with_right);

/// The x for which |matrix x - right| is least.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right);

}  // namespace carom
