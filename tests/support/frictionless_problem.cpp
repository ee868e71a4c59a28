#include "tests/support/frictionless_problem.hpp"

namespace carom::test {

ImpactProblem frictionless(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& normal,
                           const Eigen::VectorXd& velocity) {
  ImpactProblem problem;
  problem.mass_matrix = mass;
  problem.normal_jacobian = normal;
  problem.tangent_jacobian = Eigen::MatrixXd::Zero(normal.rows(), normal.cols());
  problem.friction = Eigen::VectorXd::Zero(normal.rows());
  problem.pre_impact_velocity = velocity;
  return problem;
}

ImpactProblem point_masses(const std::vector<double>& masses,
                           const std::vector<std::vector<double>>& normals,
                           const std::vector<double>& velocity) {
  const auto n = static_cast<Eigen::Index>(masses.size());
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(normals.size()), n);
  Eigen::Index row = 0;
  for (const std::vector<double>& normal : normals) {
    rows.row(row++) = Eigen::Map<const Eigen::RowVectorXd>(normal.data(), n);
  }
  return frictionless(Eigen::Map<const Eigen::VectorXd>(masses.data(), n).asDiagonal(), rows,
                      Eigen::Map<const Eigen::VectorXd>(velocity.data(), n));
}

ImpactProblem cradle(const std::vector<double>& masses, const std::vector<double>& velocity) {
  const auto n = static_cast<Eigen::Index>(masses.size());
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(n - 1, n);
  for (Eigen::Index i = 0; i + 1 < n; ++i) {
    normal(i, i) = -1.0;
    normal(i, i + 1) = 1.0;
  }
  return frictionless(Eigen::Map<const Eigen::VectorXd>(masses.data(), n).asDiagonal(), normal,
                      Eigen::Map<const Eigen::VectorXd>(velocity.data(), n));
}

ImpactProblem uneven_cradle(int balls) {
  std::vector<double> masses, velocity;
  for (int i = 0; i < balls; ++i) {
    masses.push_back(1.0 + i % 2);
    velocity.push_back(balls - 1.0 - i);
  }
  return cradle(masses, velocity);
}

}  // namespace carom::test
