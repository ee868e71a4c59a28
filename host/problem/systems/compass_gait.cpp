#include <cmath>
#include <utility>

#include "host/problem/systems/builders.hpp"

namespace carom::builders {
namespace {

using Rule = SystemParameter::Rule;

/// Velocity of a point at `distance` from the pelvis on the leg at `angle` (counter-clockwise,
/// zero = hanging down) whose rate is velocity `leg`; v = (pelvis x', y', two leg rates).
Eigen::Matrix<double, 2, 4> leg_motion(double angle, double distance, int leg) {
  Eigen::Matrix<double, 2, 4> motion = Eigen::Matrix<double, 2, 4>::Zero();
  motion.leftCols<2>().setIdentity();
  motion.col(leg) << distance * std::cos(angle), distance * std::sin(angle);
  return motion;
}

/// The legs' angles, leading and trailing, rad.
std::pair<double, double> leg_angles(const ParameterValues& p) {
  const double spread = p.at("leg_angle_deg");
  if (spread <= 0.0 || spread >= quarter_turn_degrees) {
    fail_parameter("leg_angle_deg", spread, "must be > 0 and < 90");
  }
  return {-radians(spread), radians(spread)};
}

/// Start of its motion: both feet on the floor.
PlanarWorld compass_gait_world(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(compass_gait(), given);
  const auto [leading_angle, trailing_angle] = leg_angles(p);
  const double length = p.at("leg_length");
  const double distance = p.at("mass_distance");
  const auto leg = [&](const char* name, double angle, double rate) {
    PlanarBody body;
    body.name = name;
    body.points = {{0.0, distance - length}};
    body.mass = p.at("leg_mass");
    body.inertia = p.at("leg_inertia");
    body.position(2) = angle;
    body.velocity(2) = rate;
    return body;
  };
  const double trailing_rate = p.at("trailing_rate");
  PlanarBody leading = leg("leading", leading_angle, p.at("leading_rate"));
  const Eigen::Matrix<double, 2, 4> foot = leg_motion(trailing_angle, length, 3);
  const Eigen::Matrix<double, 2, 4> centre = leg_motion(leading_angle, distance, 2);
  leading.position.head<2>() << distance * std::sin(leading_angle),
      length * std::cos(leading_angle) - distance * std::cos(leading_angle);
  leading.velocity.head<2>() = leading.velocity(2) * centre.col(2) - trailing_rate * foot.col(3);
  PlanarBody trailing = leg("trailing", trailing_angle, trailing_rate);
  trailing.hinge = {.on = "leading", .at = {0.0, distance}, .own = {0.0, distance}};
  return validated(PlanarWorld{.bodies = {leading, trailing},
                               .floors = {{.name = "floor"}},
                               .friction = p.at("friction"),
                               .gravity = {0.0, -p.at("gravity")}});
}

/// Two legs with a mass on each, hinged at a massless pelvis. The leading foot (A) lands while the
/// trailing one (B) rests on the floor.
ImpactProblem build_compass_gait(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(compass_gait(), given);
  const double length = p.at("leg_length");
  const double mass = p.at("leg_mass");
  const double mass_distance = p.at("mass_distance");
  const auto [leading_angle, trailing_angle] = leg_angles(p);
  ImpactProblem problem = planar_problem(2, 4, p.at("friction"));
  for (int contact = 0; contact < 2; ++contact) {
    const double angle = contact == 0 ? leading_angle : trailing_angle;
    const int leg = 2 + contact;
    const auto centre = leg_motion(angle, mass_distance, leg);
    problem.mass_matrix += mass * centre.transpose() * centre;
    problem.mass_matrix(leg, leg) += p.at("leg_inertia");
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
      {"leg_mass", 1.0, "kg", "mass of each leg", Rule::positive},
      {"mass_distance", 0.5, "m", "pelvis to the centre of mass of each leg", Rule::positive},
      {"leg_inertia", 0.0, "kg m^2", "of each leg about its centre of mass; 0: a point mass",
       Rule::not_negative},
      {"leg_angle_deg", 78.0, "deg", "each leg from the vertical, between 0 and 90",
       Rule::positive},
      {"leading_rate", 0.25, "rad/s", "rate of the leading leg, counter-clockwise", Rule::any},
      {"trailing_rate", 0.25, "rad/s", "rate of the trailing leg, counter-clockwise", Rule::any},
      {"friction", 5.0, "", "Coulomb coefficient of both feet", Rule::not_negative},
      {"gravity", 9.81, "m/s²", "after the impact", Rule::not_negative},
  };
  system.sampling = paper_sampling(0.25, 5, 20);
  system.build = build_compass_gait;
  system.world = compass_gait_world;
  return system;
}

}  // namespace carom::builders
