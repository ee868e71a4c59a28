#include <algorithm>
#include <cmath>
#include <utility>

#include "carom/roll.hpp"
#include "host/problem/systems/builders.hpp"

namespace carom::builders {
namespace {

using Rule = SystemParameter::Rule;

constexpr double gravity = 9.81;      // m/s^2
constexpr double drop_height = 0.01;  // m, as in the paper

double speed_after_1_cm() { return std::sqrt(2.0 * gravity * drop_height); }

/// Start of its motion: at the height of drop_height if that is stated, else about to land.
PlanarWorld rocking_block_world(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(rocking_block(), given);
  const double half_width = 0.5 * p.at("width");
  const double half_height = 0.5 * p.at("height");
  PlanarBody block;
  block.name = "block";
  block.corners = {{-half_width, -half_height},
                   {half_width, -half_height},
                   {half_width, half_height},
                   {-half_width, half_height}};
  block.mass = p.at("mass");
  const double tilt = radians(p.at("tilt_deg"));
  double lowest = 0.0;  // below the centre
  for (const Eigen::Vector2d& corner : block.corners) {
    lowest = std::min(lowest, std::sin(tilt) * corner.x() + std::cos(tilt) * corner.y());
  }
  block.position = {0.0, p.at("drop_height") - lowest, tilt};
  const double angle = radians(p.at("impact_angle_deg"));
  const double speed = p.at("drop_height") > 0.0 ? 0.0 : p.at("drop_speed");
  block.velocity = {speed * std::sin(angle), -speed * std::cos(angle), 0.0};
  return validated(PlanarWorld{.bodies = {block},
                               .floors = {{.name = "floor"}},
                               .friction = p.at("friction"),
                               .gravity = {0.0, -p.at("gravity")}});
}

/// A uniform block lands flat on its two lower corners; v = (x', y', theta') of its centre.
ImpactProblem build_rocking_block(const ParameterValues& given) {
  ParameterValues p = complete_parameters(rocking_block(), given);
  const double dropped_from = p.at("drop_height");
  if (dropped_from > 0.0) {
    if (p.at("drop_speed") != speed_after_1_cm()) {
      fail_parameter("drop_height", dropped_from,
                     "must be without drop_speed, which it determines");
    }
    if (p.at("impact_angle_deg") != 0.0) {
      fail_parameter("drop_height", dropped_from, "must be with impact_angle_deg 0");
    }
    p["drop_speed"] = std::sqrt(2.0 * p.at("gravity") * dropped_from);
  }
  if (p.at("tilt_deg") != 0.0) return first_impact(rocking_block_world(given));
  const double width = p.at("width");
  const double height = p.at("height");
  const double mass = p.at("mass");
  ImpactProblem problem = planar_problem(2, 3, p.at("friction"));
  const double inertia = mass * (width * width + height * height) / 12.0;
  problem.mass_matrix.diagonal() << mass, mass, inertia;
  for (int corner = 0; corner < 2; ++corner) {
    const double side = corner == 0 ? -0.5 : 0.5;
    const auto motion = point_jacobian({side * width, -0.5 * height});
    problem.tangent_jacobian.row(corner) = motion.row(0);
    problem.normal_jacobian.row(corner) = motion.row(1);
  }
  const double angle = radians(p.at("impact_angle_deg"));
  problem.pre_impact_velocity << p.at("drop_speed") * std::sin(angle),
      -p.at("drop_speed") * std::cos(angle), 0.0;
  return validated(std::move(problem));
}

}  // namespace

System rocking_block() {
  System system;
  system.name = "rocking_block";
  system.description = "a block lands flat on two corners: A left, B right";
  system.parameters = {
      {"width", 1.0, "m", "distance of the two corners", Rule::positive},
      {"height", 2.0, "m", "height of the block", Rule::positive},
      {"mass", 1.0, "kg", "mass, spread evenly", Rule::positive},
      {"drop_speed", speed_after_1_cm(), "m/s", "speed at which it falls; default: after 1 cm",
       Rule::not_negative},
      {"impact_angle_deg", 0.0, "deg", "direction of the fall from the vertical, towards +x",
       Rule::any},
      {"friction", 1.0, "", "Coulomb coefficient of both corners", Rule::not_negative},
      {"drop_height", 0.0, "m", "height from which it is dropped, instead of drop_speed",
       Rule::not_negative},
      {"tilt_deg", 0.0, "deg", "angle of the block, counter-clockwise: which corner lands first",
       Rule::any},
      {"gravity", gravity, "m/s²", "before and after the impact", Rule::not_negative},
  };
  system.sampling = paper_sampling(0.3, 10, 14);
  system.build = build_rocking_block;
  system.world = rocking_block_world;
  return system;
}

}  // namespace carom::builders
