#include "host/laws/propagative/plastic.hpp"

#include <memory>

#include "carom/error.hpp"
#include "host/problem/decompositions.hpp"
#include "host/problem/gram_matrix.hpp"
#include "kernels/lcp/lemke.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {
namespace {

/// The impulses >= 0 that leave no contact approaching, and act at contacts that rest only: the LCP
/// y = P'P z + c >= 0, z >= 0, y'z = 0, which is the condition of the least distance.
Eigen::VectorXd pushing_impulse(const Eigen::MatrixXd& pushes, const Eigen::VectorXd& speeds) {
  const Eigen::VectorXd scale = pushes.colwise().norm();
  SplitMatrix gram = gram_matrix(pushes * scale.cwiseInverse().asDiagonal());
  const Eigen::VectorXd constant = speeds.cwiseQuotient(scale);
  const Eigen::VectorXd cover = Eigen::VectorXd::Ones(speeds.size());
  LcpView lcp;
  lcp.size = static_cast<int>(speeds.size());
  lcp.stride = lcp.size;
  lcp.matrix = gram.high.data();
  lcp.matrix_low = gram.low.data();
  lcp.constant = constant.data();
  lcp.cover = cover.data();
  const auto lemke = std::make_unique<Lemke<LargestAssembly::contacts, DoubleDouble>>();
  const auto solves = [&] {
    return lemke->solve(lcp, double_double_tolerances) == LemkeOutcome::solved;
  };
  if (!solves()) {
    // Where contacts enclose a body, only one velocity leaves none approaching, and rounding leaves
    // no velocity. With a matrix that is definite there always is one, as far off as rounding.
    gram.high.diagonal().array() += 0x1p-49;  // of 1
    if (!solves()) throw RunError("the plastic outcome was not found: its LCP was not solved");
  }
  Eigen::VectorXd impulse(speeds.size());
  lemke->solution(impulse.data());
  return impulse.cwiseQuotient(scale);
}

}  // namespace

Eigen::VectorXd plastic_impulse(const ImpactProblem& problem, Plastic plastic) {
  const Eigen::VectorXd& v = problem.pre_impact_velocity;
  // With M = L L' and w = L'v, distances are Euclidean, and an impulse moves w along a column.
  const Cholesky root(problem.mass_matrix);
  const Eigen::MatrixXd pushes = root.solve_lower(problem.normal_jacobian.transpose());
  if (plastic == Plastic::unilateral) return pushing_impulse(pushes, problem.normal_jacobian * v);
  return OrthogonalFactors(pushes).solve(-root.upper_times(v));
}

}  // namespace carom
