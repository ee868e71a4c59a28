#include <cmath>
#include <numbers>
#include <utility>

#include "host/problem/systems/builders.hpp"

namespace carom::builders {
namespace {

using Rule = SystemParameter::Rule;

/// Sides of the lowest corner seen from the centre, m: to the right and down.
Eigen::Vector2d lowest_corner(double side, double tilt_deg) {
  // Tilted clockwise, the corners lie on the half diagonal at -45 deg - tilt and 45 deg - tilt.
  const double half_diagonal = side / std::numbers::sqrt2;
  const double below = radians(45.0 + tilt_deg);
  return {half_diagonal * std::cos(below), -half_diagonal * std::sin(below)};
}

/// Start of its motion: about to meet the wall.
PlanarWorld box_wall_world(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(box_wall(), given);
  const double half = 0.5 * p.at("side");
  const Eigen::Vector2d lowest = lowest_corner(p.at("side"), p.at("tilt_deg"));
  PlanarBody box;
  box.name = "box";
  box.corners = {{-half, -half}, {half, -half}, {half, half}, {-half, half}};
  box.mass = p.at("mass");
  box.position = {lowest.y(), -lowest.y(), -radians(p.at("tilt_deg"))};
  box.velocity = {p.at("slide_speed"), 0.0, 0.0};
  return validated(
      PlanarWorld{.bodies = {box},
                  .floors = {{.name = "floor"}, {.name = "wall", .normal = {-1.0, 0.0}}},
                  .friction = p.at("friction"),
                  .gravity = {0.0, -p.at("gravity")}});
}

/// A tilted square box slides on its lowest corner (A) until its rightmost corner (B) meets a
/// wall, whose free side is -x; v = (x', y', theta') of its centre.
ImpactProblem build_box_wall(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(box_wall(), given);
  const double side = p.at("side");
  const double mass = p.at("mass");
  const double tilt = p.at("tilt_deg");
  if (tilt <= 0.0 || tilt >= quarter_turn_degrees) {
    fail_parameter("tilt_deg", tilt, "must be > 0 and < 90");
  }
  ImpactProblem problem = planar_problem(2, 3, p.at("friction"));
  problem.mass_matrix.diagonal() << mass, mass, mass * side * side / 6.0;
  const Eigen::Vector2d lowest = lowest_corner(side, tilt);
  const Eigen::Vector2d rightmost(-lowest.y(), lowest.x());
  const auto floor_motion = point_jacobian(lowest);
  const auto wall_motion = point_jacobian(rightmost);
  problem.normal_jacobian.row(0) = floor_motion.row(1);
  problem.tangent_jacobian.row(0) = floor_motion.row(0);
  problem.normal_jacobian.row(1) = -wall_motion.row(0);
  problem.tangent_jacobian.row(1) = -wall_motion.row(1);
  problem.pre_impact_velocity << p.at("slide_speed"), 0.0, 0.0;
  return validated(std::move(problem));
}

}  // namespace

System box_wall() {
  System system;
  system.name = "box_wall";
  system.description =
      "a tilted box slides into a wall: A lower corner on the floor, B on the wall";
  system.parameters = {
      {"side", 1.0, "m", "side of the square box", Rule::positive},
      {"mass", 1.0, "kg", "mass, spread evenly", Rule::positive},
      {"tilt_deg", 10.0, "deg", "clockwise tilt, between 0 and 90", Rule::positive},
      {"slide_speed", 1.0, "m/s", "speed towards the wall", Rule::any},
      {"friction", 1.0, "", "Coulomb coefficient of both contacts", Rule::not_negative},
      {"gravity", 9.81, "m/s²", "after the impact", Rule::not_negative},
  };
  system.sampling = paper_sampling(2.0, 5, 18);
  system.build = build_box_wall;
  system.world = box_wall_world;
  return system;
}

}  // namespace carom::builders
