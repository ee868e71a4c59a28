#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>

#include <Eigen/QR>
#include <algorithm>
#include <atomic>
#include <mutex>

#include "kernels/step/capacity.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/step_solver.hpp"

namespace carom {
namespace {

#if defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
constexpr int problems_per_case = 20;  // sanitizers cost a factor of ten, no optimisation more
#else
constexpr int problems_per_case = 1000;
#endif
constexpr int steps_per_problem = 10;

/// What makes an LCP hard beside its size and friction.
enum class Kind {
  plain,
  identical_contacts,   // pairs of equal rows
  no_tangential_speed,  // Jt v = 0 before the step: friction is tied in both directions
  some_caps_zero,
  tiny_caps,  // as in Algorithm 2's final step
  huge_caps
};

struct Case {
  int contacts;
  int velocities;
  double friction;  // negative: random on [0, 1.5]
  Kind kind;
};

struct Tally {
  std::atomic<int> lcps = 0;
  std::atomic<int> failures = 0;
  std::atomic<int> retried = 0;
  double worst_residual = 0.0;
  double worst_energy_gain = -1.0;
  std::mutex mutex;
};

ImpactProblem make_problem(test::Random& random, const Case& c) {
  ImpactProblem problem = test::random_problem(random, c.contacts, c.velocities, c.friction);
  if (c.kind == Kind::identical_contacts) {
    for (int i = 1; i < c.contacts; i += 2) {
      problem.normal_jacobian.row(i) = problem.normal_jacobian.row(i - 1);
      problem.tangent_jacobian.row(i) = problem.tangent_jacobian.row(i - 1);
      problem.friction(i) = problem.friction(i - 1);
    }
  }
  if (c.kind == Kind::no_tangential_speed) {
    const Eigen::VectorXd speed = problem.tangent_jacobian * problem.pre_impact_velocity;
    problem.pre_impact_velocity -=
        problem.tangent_jacobian.completeOrthogonalDecomposition().solve(speed);
  }
  return problem;
}

Eigen::VectorXd draw_caps(test::Random& random, const Case& c) {
  Eigen::VectorXd cap(c.contacts);
  for (int i = 0; i < c.contacts; ++i) {
    cap(i) = random.uniform(0.0, 1.0);
    if (c.kind == Kind::some_caps_zero && random.uniform() < 0.4) cap(i) = 0.0;
    if (c.kind == Kind::tiny_caps) cap(i) *= 1e-7;
    if (c.kind == Kind::huge_caps) cap(i) *= 100.0;
  }
  return cap;
}

void run_case(const Case& c, Tally& tally) {
  oneapi::tbb::parallel_for(0, problems_per_case, [&](int p) {
    test::Random random(static_cast<std::uint64_t>(p) * 977 + 1);
    const test::StepSolver solver(make_problem(random, c));
    const ImpactProblem& problem = solver.problem();
    const Eigen::MatrixXd delassus = delassus_matrix(problem);
    double residual = 0.0;
    double gain = -1.0;
    for (int s = 0; s < steps_per_problem; ++s) {
      const bool from_problem = s < steps_per_problem / 2 || c.kind == Kind::no_tangential_speed;
      const Eigen::VectorXd velocity = from_problem
                                           ? problem.pre_impact_velocity
                                           : Eigen::VectorXd(random.normal(c.velocities, 1));
      const Eigen::VectorXd cap = draw_caps(random, c);
      const test::Step step = solver.solve(velocity, cap);
      ++tally.lcps;
      if (step.outcome.retries > 0) ++tally.retried;
      if (step.outcome.status != Status::separated) {
        ++tally.failures;
        continue;
      }
      residual =
          std::max(residual, test::independent_residual(problem, delassus, velocity, cap, step));
      const double before = kinetic_energy(problem, velocity);
      gain = std::max(gain, (kinetic_energy(problem, step.post_velocity) - before) / before);
    }
    const std::scoped_lock lock(tally.mutex);
    tally.worst_residual = std::max(tally.worst_residual, residual);
    tally.worst_energy_gain = std::max(tally.worst_energy_gain, gain);
  });
}

class RandomLcps : public testing::TestWithParam<std::tuple<double, Kind>> {};

TEST_P(RandomLcps, AreAllSolvedAndNeverGainEnergy) {
  const auto [friction, kind] = GetParam();
  const std::pair<int, int> sizes[] = {{2, 6}, {5, 12}, {8, 15}, {12, 18},            // generic
                                       {2, 1}, {5, 3},  {8, 6},  {12, 6},  {12, 3}};  // redundant
  for (const auto& [contacts, velocities] : sizes) {
    Tally tally;
    run_case({contacts, velocities, friction, kind}, tally);
    SCOPED_TRACE(testing::Message() << "m = " << contacts << ", nv = " << velocities);
    EXPECT_EQ(tally.failures, 0) << "of " << tally.lcps;
    // The kernels' own residual is rounded: with friction 1e5, by up to 6e-10.
    EXPECT_LE(tally.worst_residual, residual_tolerance + 1e-14 * friction);
    EXPECT_LE(tally.worst_energy_gain, 1e-9);
    RecordProperty("retried_m" + std::to_string(contacts) + "_nv" + std::to_string(velocities),
                   tally.retried.load());
  }
}

std::string case_name(const testing::TestParamInfo<std::tuple<double, Kind>>& info) {
  constexpr const char* kinds[] = {"Plain",        "IdenticalContacts", "NoTangentialSpeed",
                                   "SomeCapsZero", "TinyCaps",          "HugeCaps"};
  const double friction = std::get<0>(info.param);
  const char* const prefix =
      friction < 0.0 ? "MixedFriction" : (friction == 0.0 ? "NoFriction" : "HugeFriction");
  return std::string(prefix) + kinds[static_cast<int>(std::get<1>(info.param))];
}

INSTANTIATE_TEST_SUITE_P(All, RandomLcps,
                         testing::Combine(testing::Values(-1.0, 0.0, 1e5),
                                          testing::Values(Kind::plain, Kind::identical_contacts,
                                                          Kind::no_tangential_speed,
                                                          Kind::some_caps_zero, Kind::tiny_caps,
                                                          Kind::huge_caps)),
                         case_name);

/// k friction directions in space.
class RandomSpatialLcps : public testing::TestWithParam<int> {};

TEST_P(RandomSpatialLcps, AreAllSolved) {
  const int k = GetParam();
  const int contacts = max_lcp_size / (3 + k) < 4 ? max_lcp_size / (3 + k) : 4;
  oneapi::tbb::parallel_for(0, problems_per_case / 4, [&](int p) {
    test::Random random(static_cast<std::uint64_t>(p) + 5);
    const test::StepSolver solver(test::random_problem(random, contacts, 6, -1.0, 2, k));
    const Eigen::MatrixXd delassus = delassus_matrix(solver.problem());
    for (int s = 0; s < steps_per_problem; ++s) {
      const Eigen::VectorXd velocity = random.normal(6, 1);
      const Eigen::VectorXd cap = random.normal(contacts, 1).cwiseAbs();
      const test::Step step = solver.solve(velocity, cap);
      ASSERT_EQ(step.outcome.status, Status::separated);
      EXPECT_LE(test::independent_residual(solver.problem(), delassus, velocity, cap, step),
                residual_tolerance);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, RandomSpatialLcps, testing::Values(4, 6, 8, 12));

}  // namespace
}  // namespace carom
