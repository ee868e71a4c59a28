#include "host/problem/dual_norms.hpp"

#include "carom/epsilon_net.hpp"

namespace carom {

// |v| = |U v| with an upper triangle U, so row . v = (U^-T row) . (U v).
Eigen::VectorXd dual_norms(const ImpactProblem& problem, Norm norm, const Eigen::MatrixXd& rows) {
  if (rows.rows() == 0) return {};
  const Eigen::MatrixXd metric = net_metric(problem, norm);
  Eigen::MatrixXd columns = rows.transpose();
  if (metric.size() > 0) metric.transpose().triangularView<Eigen::Lower>().solveInPlace(columns);
  return columns.colwise().norm().transpose();
}

}  // namespace carom
