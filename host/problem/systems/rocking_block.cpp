#include <cmath>
#include <utility>

#include "host/problem/systems/builders.hpp"

namespace carom::builders {
namespace {

using Rule = SystemParameter::Rule;

constexpr double gravity = 9.81;      // m/s^2
constexpr double drop_height = 0.01;  // m, as in the paper

/// A uniform block lands flat on its two lower corners; v = (x', y', theta') of its centre.
ImpactProblem build(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(rocking_block(), given);
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
      {"drop_speed", std::sqrt(2.0 * gravity * drop_height), "m/s",
       "speed at which it falls; default: after 1 cm", Rule::not_negative},
      {"impact_angle_deg", 0.0, "deg", "direction of the fall from the vertical, towards +x",
       Rule::any},
      {"friction", 1.0, "", "Coulomb coefficient of both corners", Rule::not_negative},
  };
  system.sampling = paper_sampling(0.3, 10, 14);
  system.build = build;
  return system;
}

}  // namespace carom::builders
