#include "host/step_lcp.hpp"

#include <algorithm>
#include <cmath>

#include "host/gram_matrix.hpp"

namespace carom {

namespace {

using RowMajor = SplitMatrix::RowMajor;

double power_of_two_near(double value) { return std::exp2(std::round(std::log2(value))); }

}  // namespace

ProblemShape shape_of(const ImpactProblem& problem) {
  return {problem.contacts(), problem.velocities(), problem.tangent_dimension(),
          problem.friction_directions};
}

Eigen::MatrixXd interleaved_jacobian(const ImpactProblem& problem) {
  const int d = problem.tangent_dimension();
  Eigen::MatrixXd jacobian(problem.contacts() * (1 + d), problem.velocities());
  for (int i = 0; i < problem.contacts(); ++i) {
    jacobian.row(i * (1 + d)) = problem.normal_jacobian.row(i);
    jacobian.middleRows(i * (1 + d) + 1, d) = problem.tangent_jacobian.middleRows(i * d, d);
  }
  return jacobian;
}

std::vector<double> flatten(const ImpactProblem& problem, double impulse_step, double final_cap) {
  return flatten(problem, ContactDynamics(problem), impulse_step, final_cap);
}

std::vector<double> flatten(const ImpactProblem& problem, const ContactDynamics& dynamics,
                            double impulse_step, double final_cap) {
  const ProblemShape shape = shape_of(problem);
  const int n = shape.lcp_size();
  const int m = shape.contacts;
  const int k = shape.friction_directions;
  const int nv = shape.velocities;

  const auto& cholesky = dynamics.cholesky;
  const SplitMatrix delassus = gram_matrix(dynamics.factor);
  const double unit = power_of_two_near(delassus.high.diagonal().head(m).mean());

  std::vector<double> data(
      static_cast<std::size_t>(StepLcpView{.shape = shape, .data = nullptr}.data_size()), 0.0);
  const StepLcpView view{.shape = shape, .data = data.data()};
  const auto at = [&](const double* place) { return data.data() + (place - data.data()); };

  // W of Eq. 75 for unknowns [unit * lambda_n; unit * lambda_D; gamma]; beta is left out.
  const int size = shape.bounded_size();
  Eigen::Map<Eigen::MatrixXd> w(at(view.matrix()), size, size);
  Eigen::Map<Eigen::MatrixXd> w_low(at(view.matrix_low()), size, size);
  const int impulses = (1 + k) * m;
  w.topLeftCorner(impulses, impulses) = delassus.high / unit;
  w_low.topLeftCorner(impulses, impulses) = delassus.low / unit;
  for (int i = 0; i < m; ++i) {
    w(impulses + i, i) = problem.friction(i);
    for (int j = 0; j < k; ++j) {
      w(m + i * k + j, impulses + i) = 1.0;
      w(impulses + i, m + i * k + j) = -1.0;
    }
  }
  Eigen::Map<Eigen::MatrixXd> input_map(at(view.input_map()), size, shape.inputs());
  const int d = shape.tangent_dimension;
  const Eigen::MatrixXd directions = friction_direction_matrix(problem);
  for (int i = 0; i < m; ++i) {
    const int speed = m + i * (1 + d);
    input_map(i, speed) = 1.0;
    input_map.block(m + i * k, speed + 1, k, d) = directions;
  }
  // The covering vector of ones, in SI units, is what selects among several solutions.
  Eigen::Map<Eigen::VectorXd> cover(at(view.cover()), n);
  cover.setOnes();
  cover.head(m).setConstant(unit);
  cover.tail(m).setConstant(unit);

  Eigen::Map<RowMajor>(at(view.normal_jacobian()), m, nv) = problem.normal_jacobian;
  Eigen::Map<RowMajor>(at(view.tangent_jacobian()), shape.tangents(), nv) =
      problem.tangent_jacobian;
  Eigen::Map<RowMajor>(at(view.normal_response()), m, nv) =
      dynamics.response.leftCols(m).transpose();
  Eigen::Map<RowMajor>(at(view.tangent_response()), shape.tangents(), nv) =
      cholesky.solve(problem.tangent_jacobian.transpose()).transpose();
  Eigen::Map<RowMajor>(at(view.mass_matrix()), nv, nv) = problem.mass_matrix;
  Eigen::Map<Eigen::VectorXd>(at(view.pre_impact_velocity()), nv) = problem.pre_impact_velocity;
  Eigen::Map<Eigen::VectorXd>(at(view.friction()), m) = problem.friction;
  Eigen::Map<RowMajor>(at(view.directions()), k, d) = directions;
  Eigen::Map<RowMajor>(at(view.delassus()), shape.impulses(), shape.impulses()) =
      gram_matrix(cholesky.matrixL().solve(interleaved_jacobian(problem).transpose())).high / unit;
  double* scalars = data.data() + view.scalars_at();
  scalars[0] = unit;
  scalars[1] = delassus.high.diagonal().head(m).minCoeff();
  scalars[2] = final_cap;
  scalars[3] = impulse_step;
  return data;
}

}  // namespace carom
