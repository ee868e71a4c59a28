#include <algorithm>
#include <cmath>
#include <numbers>

#include "carom/propagative.hpp"
#include "host/laws/propagative/reflections.hpp"
#include "host/problem/decompositions.hpp"

namespace carom {
namespace {

constexpr double cosine_noise = 1e-12;  // of a cosine
constexpr int most_stages = 100;

/// k if the cosine is -cos(pi / k), else 0. A cosine of 1 is the same contact twice: k = 1.
int stages_of(double cosine) {
  for (int k = 1; k <= most_stages; ++k) {
    if (std::abs(cosine + std::cos(std::numbers::pi / k)) <= cosine_noise) return k;
  }
  return 0;
}

/// Two contacts alone: ceil(pi / arccos(-G)), a bound that is attained; none for opposite normals.
int bound_of(double cosine) {
  const double angle = std::acos(std::clamp(-cosine, -1.0, 1.0));
  constexpr double least = 1e-9;  // an angle that rounding cannot tell from 0
  return angle < least ? 0 : static_cast<int>(std::ceil(std::numbers::pi / angle - 1e-9));
}

PropagativeVerdict::Kind kind_of(const PropagativeVerdict& verdict) {
  using Kind = PropagativeVerdict::Kind;
  const Eigen::Index m = verdict.stages.rows();
  bool orthogonal = true;
  bool group = verdict.separating_velocity.has_value();
  for (Eigen::Index i = 0; i < m; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      orthogonal = orthogonal && verdict.stages(i, j) == 2;
      group = group && verdict.stages(i, j) > 0;
    }
  }
  if (orthogonal) return Kind::orthogonal;
  if (m == 2 && verdict.stages(0, 1) == 3) return Kind::three_stage;
  return group ? Kind::reflection_group : Kind::not_guaranteed;
}

}  // namespace

const char* kind_name(PropagativeVerdict::Kind kind) {
  constexpr const char* names[] = {"orthogonal", "three-stage", "reflection group",
                                   "not guaranteed"};
  return names[static_cast<int>(kind)];
}

PropagativeVerdict propagative_verdict(const ImpactProblem& given) {
  const ImpactProblem problem = validated(given);
  require_no_friction(problem);
  const Eigen::Index m = problem.contacts();
  PropagativeVerdict verdict;
  if (const auto support = friction_cone_support(problem)) {  // a momentum
    verdict.separating_velocity = Cholesky(problem.mass_matrix).solve(*support);
  }
  verdict.inner_products = normal_cosines(problem);
  verdict.stages = Eigen::MatrixXi::Zero(m, m);
  verdict.bounds = Eigen::MatrixXi::Zero(m, m);
  for (Eigen::Index i = 0; i < m; ++i) {
    for (Eigen::Index j = 0; j < m; ++j) {
      if (i == j) continue;
      verdict.stages(i, j) = stages_of(verdict.inner_products(i, j));
      verdict.bounds(i, j) = bound_of(verdict.inner_products(i, j));
    }
  }
  verdict.kind = kind_of(verdict);
  return verdict;
}

}  // namespace carom
