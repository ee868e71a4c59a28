#include <array>
#include <numbers>
#include <utility>

#include "host/problem/systems/builders.hpp"

namespace carom::builders {
namespace {

using Rule = SystemParameter::Rule;

constexpr int floor_body = -1;

/// Two disks that touch, or a disk on the floor; the normal points from `lower` to `upper`.
struct Touch {
  int upper;
  int lower;
  Eigen::Vector2d normal;
};

/// Start of its motion: the top disk about to land.
PlanarWorld disk_stack_world(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(disk_stack(), given);
  const double radius = p.at("radius");
  const auto disk = [&](const char* name, double x, double y, double speed) {
    return PlanarBody{.name = name,
                      .radius = radius,
                      .mass = p.at("mass"),
                      .position = {x * radius, y * radius, 0.0},
                      .velocity = {0.0, -speed, 0.0}};
  };
  return validated(
      PlanarWorld{.bodies = {disk("top", 0.0, 1.0 + std::numbers::sqrt3, p.at("drop_speed")),
                             disk("left", -1.0, 1.0, 0.0), disk("right", 1.0, 1.0, 0.0)},
                  .floors = {{.name = "floor"}},
                  .friction = p.at("friction"),
                  .gravity = {0.0, -p.at("gravity")}});
}

/// One disk falls on two that lie side by side; v = (x', y', theta') of top, left, right disk.
ImpactProblem build_disk_stack(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(disk_stack(), given);
  const double radius = p.at("radius");
  const double mass = p.at("mass");
  const double half_root = 0.5 * std::numbers::sqrt3;  // the centres form an equilateral triangle
  const int top = 0;
  const int left = 1;
  const int right = 2;
  const std::array<Touch, 5> touches = {{{left, floor_body, {0.0, 1.0}},
                                         {right, floor_body, {0.0, 1.0}},
                                         {top, left, {0.5, half_root}},
                                         {top, right, {-0.5, half_root}},
                                         {right, left, {1.0, 0.0}}}};
  ImpactProblem problem = planar_problem(5, 9, p.at("friction"));
  for (int disk = 0; disk < 3; ++disk) {
    problem.mass_matrix.diagonal().segment<3>(3 * disk) << mass, mass, 0.5 * mass * radius * radius;
  }
  for (int contact = 0; contact < 5; ++contact) {
    const auto& [upper, lower, normal] = touches[static_cast<std::size_t>(contact)];
    const Eigen::Vector2d tangent(normal.y(), -normal.x());
    const auto add = [&](int disk, double sign) {
      const auto motion = point_jacobian(-sign * radius * normal);
      problem.normal_jacobian.block<1, 3>(contact, 3 * disk) = sign * normal.transpose() * motion;
      problem.tangent_jacobian.block<1, 3>(contact, 3 * disk) = sign * tangent.transpose() * motion;
    };
    add(upper, 1.0);
    if (lower != floor_body) add(lower, -1.0);
  }
  problem.pre_impact_velocity(1) = -p.at("drop_speed");
  return validated(std::move(problem));
}

}  // namespace

System disk_stack() {
  System system;
  system.name = "disk_stack";
  system.description =
      "a disk falls on two others: A left and B right on the floor, C and D top on left and right, "
      "E left to right";
  system.parameters = {
      {"radius", 1.0, "m", "radius of each disk", Rule::positive},
      {"mass", 1.0, "kg", "mass of each disk, spread evenly", Rule::positive},
      {"drop_speed", 1.0, "m/s", "speed at which the top disk falls", Rule::not_negative},
      {"friction", std::numbers::sqrt3, "", "Coulomb coefficient of all contacts",
       Rule::not_negative},
      {"gravity", 9.81, "m/s²", "after the impact", Rule::not_negative},
  };
  // The paper's 2^20 would take minutes with all solutions of each step.
  system.sampling = paper_sampling(1.0, 10, 18);
  system.build = build_disk_stack;
  system.world = disk_stack_world;
  return system;
}

}  // namespace carom::builders
