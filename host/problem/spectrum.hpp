#pragma once

#include <Eigen/Core>

namespace carom {

// Compiled once: each file that includes Eigen's decompositions takes a compiler seconds.

/// Eigenvalues of a symmetric matrix, ascending.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric);

/// Singular values of a matrix, descending.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& matrix);

}  // namespace carom
