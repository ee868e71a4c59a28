#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "carom/carom.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/cpu/run_items.hpp"

namespace carom::test {

/// A step's answer in plain units, as the kernels give it.
struct Step {
  StepOutcome outcome{};
  Eigen::VectorXd beta, normal, direction, gamma, post_velocity, impulse;
};

/// solve_step() without its checks and with the problem flattened once.
class StepSolver {
 public:
  explicit StepSolver(ImpactProblem problem)
      : problem_(validated(std::move(problem))), data_(flatten(problem_, 1.0, 1.0)) {}

  const ImpactProblem& problem() const { return problem_; }

  Step solve(const Eigen::VectorXd& velocity, const Eigen::VectorXd& cap,
             Effort effort = Effort::thorough) const {
    const ProblemShape shape = shape_of(problem_);
    Step step;
    step.beta.setZero(shape.contacts);
    step.normal.setZero(shape.contacts);
    step.direction.setZero(shape.frictions());
    step.gamma.setZero(shape.contacts);
    step.impulse.setZero(shape.impulses());
    step.post_velocity = velocity;
    step.outcome =
        item_runner().step({.shape = shape, .data = data_.data()}, cap.data(), effort,
                           {step.beta.data(), step.normal.data(), step.direction.data(),
                            step.gamma.data(), step.impulse.data(), step.post_velocity.data()});
    return step;
  }

 private:
  ImpactProblem problem_;
  std::vector<double> data_;
};

/// The scaled complementarity residual of docs/residual.md, written anew from Eq. 72-75 in long
/// double: a second opinion on what the kernels accept.
inline double independent_residual(const ImpactProblem& problem, const Eigen::MatrixXd& delassus,
                                   const Eigen::VectorXd& velocity, const Eigen::VectorXd& cap,
                                   const Step& step) {
  using Real = long double;
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
  const int m = problem.contacts();
  const int k = problem.friction_directions;
  const Vector free = contact_jacobian(problem).cast<Real>() * velocity.cast<Real>();
  Vector lambda(m + m * k);
  lambda << step.normal.cast<Real>(), step.direction.cast<Real>();
  const Vector speed = delassus.cast<Real>() * lambda + free;

  const Real speed_scale = free.cwiseAbs().maxCoeff();
  Real impulse_scale = speed_scale / delassus.diagonal().head(m).minCoeff();
  if (cap.maxCoeff() > 0) impulse_scale = std::min(impulse_scale, Real(cap.maxCoeff()));
  Real worst = 0;
  const auto row = [&](Real z, Real z_scale, Real y, Real y_scale) {
    worst = std::max(worst, std::abs(std::min(z / z_scale, y / y_scale)));
  };
  for (int i = 0; i < m; ++i) {
    row(step.beta(i), speed_scale, cap(i) - step.normal(i), impulse_scale);
    row(step.normal(i), impulse_scale, speed(i) + step.beta(i), speed_scale);
    Real friction = Real(problem.friction(i)) * step.normal(i);
    for (int j = 0; j < k; ++j) {
      row(step.direction(i * k + j), impulse_scale, speed(m + i * k + j) + step.gamma(i),
          speed_scale);
      friction -= step.direction(i * k + j);
    }
    row(step.gamma(i), speed_scale, friction, impulse_scale * (1 + problem.friction(i)));
  }
  return static_cast<double>(worst);
}

}  // namespace carom::test
