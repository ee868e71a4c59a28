#pragma once

#include <Eigen/Core>
#include <memory>

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

/// L L' = M, for a symmetric positive definite matrix M, by Cholesky's method.
class Cholesky {
 public:
  explicit Cholesky(const Eigen::MatrixXd& matrix);

  /// Whether the matrix is positive definite; if not, nothing else has a meaning.
  bool succeeded() const { return succeeded_; }

  /// L; zero above its diagonal
  const Eigen::MatrixXd& lower() const { return lower_; }
  /// L' times a vector
  Eigen::VectorXd upper_times(const Eigen::VectorXd& right) const;
  /// The solutions of L x = right.
  Eigen::MatrixXd solve_lower(Eigen::MatrixXd right) const;
  /// The solutions of L' x = right.
  Eigen::MatrixXd solve_upper(Eigen::MatrixXd right) const;
  /// The solutions of M x = right: a vector for a vector, else a matrix.
  template <class Right>
  auto solve(const Eigen::MatrixBase<Right>& right) const {
    if constexpr (Right::ColsAtCompileTime == 1) {
      return solve_vector(right);
    } else {
      return solve_columns(right);
    }
  }

 private:
  Eigen::VectorXd solve_vector(Eigen::VectorXd right) const;
  Eigen::MatrixXd solve_columns(Eigen::MatrixXd right) const;

  bool succeeded_;
  Eigen::MatrixXd lower_;
};

/// Q T Z' of a matrix, with orthogonal Q and Z, by Householder's method with pivoting.
class OrthogonalFactors {
 public:
  explicit OrthogonalFactors(const Eigen::MatrixXd& matrix);
  /// @param threshold a column that has less than this part of the longest one's length left is
  /// a linear combination of those before
  OrthogonalFactors(const Eigen::MatrixXd& matrix, double threshold);

  Eigen::Index rank() const;
  /// Q, square: its first rank() columns span those of the matrix.
  Eigen::MatrixXd left() const;
  /// The shortest x for which |matrix x - right| is least.
  Eigen::VectorXd solve(const Eigen::VectorXd& right) const;

 private:
  struct Factors;
  std::shared_ptr<const Factors> factors_;
};

}  // namespace carom
