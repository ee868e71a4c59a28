#include <cmath>
#include <utility>

#include "host/problem/systems/builders.hpp"

namespace carom::builders {
namespace {

using Rule = SystemParameter::Rule;

constexpr double quarter_turn_degrees = 90.0;

/// Velocity of a point at `distance` from the pelvis on the leg at `angle` (counter-clockwise,
/// zero = hanging down) whose rate is velocity `leg`; v = (pelvis x', y', two leg rates).
Eigen::Matrix<double, 2, 4> leg_motion(double angle, double distance, int leg) {
  Eigen::Matrix<double, 2, 4> motion = Eigen::Matrix<double, 2, 4>::Zero();
  motion.leftCols<2>().setIdentity();
  motion.col(leg) << distance * std::cos(angle), distance * std::sin(angle);
  return motion;
}

/// Two massless legs with a point mass on each, hinged at a massless pelvis. The leading foot (A)
/// lands while the trailing one (B) rests on the floor.
ImpactProblem build(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(compass_gait(), given);
  const double length = p.at("leg_length");
  const double mass = p.at("leg_mass");
  const double mass_distance = p.at("mass_distance");
  const double spread = p.at("leg_angle_deg");
  if (spread <= 0.0 || spread >= quarter_turn_degrees) {
    fail_parameter("leg_angle_deg", spread, "must be > 0 and < 90");
  }
  ImpactProblem problem = planar_problem(2, 4, p.at("friction"));
  for (int contact = 0; contact < 2; ++contact) {
    const double angle = contact == 0 ? -radians(spread) : radians(spread);
    const int leg = 2 + contact;
    const auto centre = leg_motion(angle, mass_distance, leg);
    problem.mass_matrix += mass * centre.transpose() * centre;
    const auto foot = leg_motion(angle, length, leg);
    problem.tangent_jacobian.row(contact) = foot.row(0);
    problem.normal_jacobian.row(contact) = foot.row(1);
  }
  const double trailing_rate = p.at("trailing_rate");
  problem.pre_impact_velocity << -trailing_rate * problem.tangent_jacobian(1, 3),
      -trailing_rate * problem.normal_jacobian(1, 3), p.at("leading_rate"), trailing_rate;
  return validated(std::move(problem));
}

}  // namespace

System compass_gait() {
  System system;
  system.name = "compass_gait";
  system.description = "a two-legged walker's step: A leading foot lands, B trailing foot at rest";
  system.parameters = {
      {"leg_length", 1.0, "m", "pelvis to foot", Rule::positive},
      {"leg_mass", 1.0, "kg", "point mass of each leg", Rule::positive},
      {"mass_distance", 0.5, "m", "pelvis to each point mass", Rule::positive},
      {"leg_angle_deg", 78.0, "deg", "each leg from the vertical, between 0 and 90",
       Rule::positive},
      {"leading_rate", 0.25, "rad/s", "rate of the leading leg, counter-clockwise", Rule::any},
      {"trailing_rate", 0.25, "rad/s", "rate of the trailing leg, counter-clockwise", Rule::any},
      {"friction", 5.0, "", "Coulomb coefficient of both feet", Rule::not_negative},
  };
  system.sampling = paper_sampling(0.25, 5, 20);
  system.build = build;
  return system;
}

}  // namespace carom::builders
