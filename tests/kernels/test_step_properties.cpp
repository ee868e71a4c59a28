#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/random_problem.hpp"
#include "tests/support/step_solver.hpp"
#include "tests/support/system_data.hpp"

// Properties that the model promises (Halm & Posa, Theorem 7, Lemma 8 and the remarks on Eq. 75),
// over random problems.
namespace carom {
namespace {

struct RandomStep {
  test::StepSolver solver;
  Eigen::VectorXd velocity;
  Eigen::VectorXd cap;
};

RandomStep draw_step() {
  test::Random random(*rc::gen::arbitrary<std::uint64_t>());
  const int m = *rc::gen::inRange(1, 7);
  const int nv = *rc::gen::inRange(1, 15);
  const bool spatial = *rc::gen::arbitrary<bool>();
  const int k = spatial ? 2 * *rc::gen::inRange(2, 4) : 2;
  RandomStep step{test::StepSolver(test::random_problem(random, m, nv, -1.0, spatial ? 2 : 1, k)),
                  random.normal(nv, 1), random.normal(m, 1).cwiseAbs()};
  return step;
}

RC_GTEST_PROP(StepProperty, KineticEnergyNeverGrows, ()) {
  const RandomStep s = draw_step();
  const test::Step step = s.solver.solve(s.velocity, s.cap);
  RC_ASSERT(step.outcome.status == Status::separated);
  const double before = kinetic_energy(s.solver.problem(), s.velocity);
  RC_ASSERT(kinetic_energy(s.solver.problem(), step.post_velocity) <= before * (1.0 + 1e-10));
}

RC_GTEST_PROP(StepProperty, ImpulsesStayWithinCapsAndFrictionCone, ()) {
  const RandomStep s = draw_step();
  const test::Step step = s.solver.solve(s.velocity, s.cap);
  RC_ASSERT(step.outcome.status == Status::separated);
  const ImpactProblem& problem = s.solver.problem();
  const int k = problem.friction_directions;
  for (int i = 0; i < problem.contacts(); ++i) {
    RC_ASSERT(step.normal(i) >= 0.0);
    RC_ASSERT(step.normal(i) <= s.cap(i) * (1.0 + 1e-9));
    RC_ASSERT(step.direction.segment(i * k, k).minCoeff() >= 0.0);
    RC_ASSERT(step.direction.segment(i * k, k).sum() <=
              problem.friction(i) * step.normal(i) + 1e-9 * (1.0 + s.cap(i)));
  }
}

RC_GTEST_PROP(StepProperty, EachNormalIsAtItsCapOrNoLongerApproaches, ()) {
  const RandomStep s = draw_step();
  const test::Step step = s.solver.solve(s.velocity, s.cap);
  RC_ASSERT(step.outcome.status == Status::separated);
  const Eigen::VectorXd speed = s.solver.problem().normal_jacobian * step.post_velocity;
  const double scale = 1.0 + contact_jacobian(s.solver.problem()).norm() * s.velocity.norm();
  for (int i = 0; i < s.cap.size(); ++i) {
    RC_ASSERT(step.normal(i) >= s.cap(i) * (1.0 - 1e-9) || speed(i) >= -1e-8 * scale);
  }
}

RC_GTEST_PROP(StepProperty, ScalesWithVelocityAndCapsExactlyInPowersOfTwo, ()) {
  const RandomStep s = draw_step();
  const int exponent = *rc::gen::inRange(-40, 40);
  const double factor = std::ldexp(1.0, exponent);
  const test::Step once = s.solver.solve(s.velocity, s.cap);
  const test::Step scaled = s.solver.solve(factor * s.velocity, factor * s.cap);
  RC_ASSERT(once.outcome.status == Status::separated);
  RC_ASSERT(scaled.outcome.status == Status::separated);
  RC_ASSERT(scaled.post_velocity == factor * once.post_velocity);
}

RC_GTEST_PROP(StepProperty, ZeroCapsChangeNothing, ()) {
  const RandomStep s = draw_step();
  const test::Step step = s.solver.solve(s.velocity, Eigen::VectorXd::Zero(s.cap.size()));
  RC_ASSERT(step.outcome.status == Status::separated);
  RC_ASSERT(step.post_velocity == s.velocity);
}

RC_GTEST_PROP(StepProperty, ZeroImpulseSolvesASeparatedStep, ()) {
  // Lemma 8: lambda = 0 is a solution, though not always the one that Lemke's method returns.
  RandomStep s = draw_step();
  const ImpactProblem& problem = s.solver.problem();
  const Eigen::VectorXd speed = problem.normal_jacobian * s.velocity;
  RC_PRE(speed.minCoeff() >= 0.0 || speed.maxCoeff() <= 0.0);
  if (speed.maxCoeff() <= 0.0) s.velocity = -s.velocity;
  test::Step rest;
  const int k = problem.friction_directions;
  rest.beta = rest.normal = Eigen::VectorXd::Zero(problem.contacts());
  rest.direction = Eigen::VectorXd::Zero(problem.contacts() * k);
  const Eigen::VectorXd contact = contact_jacobian(problem) * s.velocity;
  rest.gamma.resize(problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) {
    rest.gamma(i) = std::max(0.0, -contact.segment(problem.contacts() + i * k, k).minCoeff());
  }
  RC_ASSERT(test::independent_residual(problem, delassus_matrix(problem), s.velocity, s.cap,
                                       rest) <= 1e-12);
}

TEST(StepSymmetry, MirroringTheBlockMirrorsTheOutcome) {
  const test::StepSolver solver(test::reference_problem("rocking_block"));
  test::Random random(9);
  const Eigen::Vector3d mirror(-1.0, 1.0, -1.0);  // x to -x swaps the corners
  for (int i = 0; i < 500; ++i) {
    const Eigen::Vector3d velocity = random.normal(3, 1);
    const Eigen::Vector2d cap(random.uniform(), random.uniform());
    const test::Step step = solver.solve(velocity, cap);
    const test::Step mirrored =
        solver.solve(mirror.cwiseProduct(velocity), Eigen::Vector2d(cap(1), cap(0)));
    EXPECT_LT((mirror.cwiseProduct(step.post_velocity) - mirrored.post_velocity).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace carom
