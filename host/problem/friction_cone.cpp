#include <algorithm>
#include <memory>

#include "carom/impact_problem.hpp"
#include "host/problem/decompositions.hpp"
#include "host/problem/gram_matrix.hpp"
#include "host/problem/step_check.hpp"
#include "kernels/lcp/lemke.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {
namespace {

// Least |cos| between r and a normalised ray: below it, the cone contains a line up to rounding.
constexpr double least_margin = 1e-13;

/// The cone's extreme rays, Jn_i + mu_i D_j Jt_i.
Eigen::MatrixXd extreme_rays(const ImpactProblem& problem) {
  const int m = problem.contacts();
  const int d = problem.tangent_dimension();
  const Eigen::MatrixXd directions = friction_direction_matrix(problem);
  const auto k = static_cast<int>(directions.rows());
  Eigen::MatrixXd rays(m * k, problem.velocities());
  int count = 0;
  for (int i = 0; i < m; ++i) {
    const Eigen::MatrixXd tangents = directions * problem.tangent_jacobian.middleRows(i * d, d);
    const int own = problem.friction(i) == 0.0 ? 1 : k;  // without friction, all are the normal
    for (int j = 0; j < own; ++j) {
      rays.row(count++) = problem.normal_jacobian.row(i) + problem.friction(i) * tangents.row(j);
    }
  }
  rays.conservativeResize(count, Eigen::NoChange);
  return rays;
}

/// The shortest r with rays r >= 1; nothing if there is none, up to rounding.
// The dual of min |r|^2 s.t. rays r >= 1 is the LCP  y = rays rays' c - 1 >= 0, c >= 0, y'c = 0
// with r = rays' c; each row is divided by its ray's length.
std::optional<Eigen::VectorXd> support_of(const Eigen::MatrixXd& given) {
  const Eigen::VectorXd length = given.rowwise().norm();
  const Eigen::MatrixXd rays = length.cwiseInverse().asDiagonal() * given;
  const auto size = static_cast<int>(rays.rows());
  if (!rays.allFinite() || size > max_lcp_size) return std::nullopt;

  const SplitMatrix gram = gram_matrix(rays.transpose());
  const Eigen::VectorXd constant = -length.cwiseInverse();
  const Eigen::VectorXd cover = Eigen::VectorXd::Ones(size);
  LcpView lcp;
  lcp.size = size;
  lcp.stride = size;
  lcp.matrix = gram.high.data();
  lcp.matrix_low = gram.low.data();
  lcp.constant = constant.data();
  lcp.cover = cover.data();
  const auto lemke = std::make_unique<Lemke<max_lcp_size, DoubleDouble>>();
  // In a row of a nearly flat cone (friction 1e5), the last ten digits decide, and the Gram matrix
  // of the rows squares them.
  if (lemke->solve(lcp, double_double_tolerances) != LemkeOutcome::solved) return std::nullopt;

  Eigen::VectorXd multiplier(size);
  lemke->solution(multiplier.data());
  const Eigen::VectorXd support = rays.transpose() * multiplier;
  const Eigen::VectorXd product = rays * support;
  if (!product.allFinite() || product.minCoeff() <= least_margin * support.norm()) {
    return std::nullopt;
  }
  // Rounding may violate a condition slightly: scaling r corrects it.
  return support / std::min(1.0, product.cwiseProduct(length).minCoeff());
}

}  // namespace

std::optional<Eigen::VectorXd> friction_cone_support(const ImpactProblem& given) {
  const ImpactProblem problem = validated(given);
  const Eigen::MatrixXd rays = extreme_rays(problem);
  // As velocities, with the shortest r; but masses that differ by 1e8 turn all of them to the
  // lightest one, and rounding hides what is between them.
  const Eigen::MatrixXd velocities =
      Cholesky(problem.mass_matrix).solve(rays.transpose()).transpose();
  if (auto support = support_of(velocities)) return support;
  if (const auto support = support_of(rays)) return problem.mass_matrix * *support;
  return std::nullopt;
}

}  // namespace carom
