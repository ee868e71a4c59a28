#pragma once

#include <Eigen/Core>
#include <random>

#include "carom/impact_problem.hpp"

namespace carom::test {

/// Random numbers with a seed of their own per test.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform(double low = 0.0, double high = 1.0) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  Eigen::MatrixXd normal(Eigen::Index rows, Eigen::Index columns) {
    std::normal_distribution<double> distribution;
    return Eigen::MatrixXd::NullaryExpr(
        rows, columns, [&](Eigen::Index, Eigen::Index) { return distribution(engine_); });
  }

 private:
  std::mt19937_64 engine_;
};

/// m contacts with Gaussian Jacobians, nv velocities (nv < m: redundant contacts), friction `mu`
/// or, if negative, uniform on [0, 1.5], and a pre-impact velocity with an approaching contact.
inline ImpactProblem random_problem(Random& random, int m, int nv, double mu, int d = 1,
                                    int k = 2) {
  ImpactProblem problem;
  const Eigen::MatrixXd factor = random.normal(nv, nv);
  problem.mass_matrix = factor * factor.transpose() / nv + 0.1 * Eigen::MatrixXd::Identity(nv, nv);
  problem.mass_matrix = (0.5 * (problem.mass_matrix + problem.mass_matrix.transpose())).eval();
  problem.normal_jacobian = random.normal(m, nv);
  problem.tangent_jacobian = random.normal(m * d, nv);
  problem.friction.resize(m);
  for (int i = 0; i < m; ++i) problem.friction(i) = mu < 0.0 ? random.uniform(0.0, 1.5) : mu;
  problem.pre_impact_velocity = random.normal(nv, 1);
  if ((problem.normal_jacobian * problem.pre_impact_velocity).minCoeff() >= 0.0) {
    problem.pre_impact_velocity = -problem.pre_impact_velocity;
  }
  problem.friction_directions = k;
  return problem;
}

}  // namespace carom::test
