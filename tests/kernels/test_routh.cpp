#include <gtest/gtest.h>

#include <cmath>

#include "carom/carom.hpp"

namespace carom {
namespace {

/// Routh's method for one planar contact in closed form: the contact velocity moves along straight
/// lines as the normal impulse grows (slide, then stick or reverse) until it stops approaching.
struct Routh {
  double normal;   // m/s
  double tangent;  // m/s
};

Routh routh(double ann, double ant, double att, double mu, Routh v) {
  for (int phase = 0; phase < 3 && v.normal < 0.0; ++phase) {
    double friction = v.tangent > 0.0 ? -mu : mu;  // tangential per normal impulse
    if (v.tangent == 0.0) {
      const double sticking = -ant / att;
      friction = std::fabs(sticking) <= mu ? sticking : std::copysign(mu, sticking);
    }
    const double normal_rate = ann + friction * ant;
    const double tangent_rate =
        v.tangent == 0.0 && std::fabs(ant / att) <= mu ? 0.0 : ant + friction * att;
    const double to_stop = normal_rate > 0.0 ? -v.normal / normal_rate : INFINITY;
    const double to_stick = v.tangent * tangent_rate < 0.0 ? -v.tangent / tangent_rate : INFINITY;
    if (to_stop <= to_stick) return {0.0, v.tangent + to_stop * tangent_rate};
    v = {v.normal + to_stick * normal_rate, 0.0};
  }
  return v;
}

struct Contact {
  const char* name;
  double offset_x, offset_y;  // of the contact from the centre of a unit disc-like body
  double mu;
  double vx, vy, rate;
};

std::ostream& operator<<(std::ostream& out, const Contact& c) { return out << c.name; }

class OneContact : public testing::TestWithParam<Contact> {};

TEST_P(OneContact, ConvergesToRouthsPathAsStepsShrink) {
  const Contact& c = GetParam();
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Vector3d(1.0, 1.0, 0.4).asDiagonal();
  problem.normal_jacobian = Eigen::RowVector3d(0.0, 1.0, c.offset_x);
  problem.tangent_jacobian = Eigen::RowVector3d(1.0, 0.0, -c.offset_y);
  problem.friction = Eigen::VectorXd::Constant(1, c.mu);
  problem.pre_impact_velocity = Eigen::Vector3d(c.vx, c.vy, c.rate);
  const Eigen::MatrixXd a = delassus_matrix(problem);
  const Routh before{problem.normal_jacobian.row(0).dot(problem.pre_impact_velocity),
                     problem.tangent_jacobian.row(0).dot(problem.pre_impact_velocity)};
  ASSERT_LT(before.normal, 0.0);
  const Routh expected = routh(a(0, 0), a(0, 1), a(1, 1), c.mu, before);

  double previous = INFINITY;
  for (const double h : {1e-1, 1e-2, 1e-3}) {
    SamplingOptions options;
    options.trajectories = 20;
    options.max_steps = 20000;
    options.impulse_step = h;
    options.epsilon = h / 10.0;
    options.law = law::SetValued{.caps = CapsDistribution{}, .solutions = Solutions::first};
    options.backend = Backend::cpu;
    const SampleSet samples = sample(problem, options);
    double worst = 0.0;
    for (std::size_t row = 0; row < samples.size(); ++row) {
      ASSERT_EQ(samples.status[row], Status::separated);
      const Eigen::Map<const Eigen::Vector3d> v(&samples.velocity[row * 3]);
      worst = std::max({worst, std::fabs(problem.normal_jacobian.row(0).dot(v) - expected.normal),
                        std::fabs(problem.tangent_jacobian.row(0).dot(v) - expected.tangent)});
    }
    EXPECT_LE(worst, 10.0 * h);  // velocity changes by at most about |A| (1 + mu) h in a step
    EXPECT_LE(worst, previous);
    previous = worst + 1e-12;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, OneContact,
    testing::Values(Contact{"SlidesThroughout", 0.1, -0.5, 0.2, 3.0, -1.0, 0.0},
                    Contact{"SlidesThenSticks", 0.1, -0.5, 0.8, 0.4, -1.0, 0.0},
                    Contact{"SlidesThenReverses", 0.9, -0.5, 0.25, 0.05, -1.0, 0.0},
                    Contact{"SticksFromTheStart", 0.0, -0.5, 0.5, 0.0, -1.0, 0.0},
                    Contact{"WithoutFriction", 0.3, -0.5, 0.0, 0.2, -1.0, 0.1}),
    [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace carom
