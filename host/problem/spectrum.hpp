#pragma once

#include <Eigen/Core>

namespace carom {

// Compiled once, because every file that includes Eigen's decompositions takes seconds to compile.

/// Eigenvalues of a symmetric matrix, ascending.
Eigen::VectorXd eigenvalues(const Eigen::MatrixXd& symmetric);

/// Singular values of a matrix, descending.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& matrix);

}  // namespace carom
