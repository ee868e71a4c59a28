#include <cmath>
#include <numbers>
#include <utility>

#include "host/problem/systems/builders.hpp"

namespace carom::builders {
namespace {

using Rule = SystemParameter::Rule;

constexpr double touching = 1e-9;  // of the radii: rounding of angles, far below any real gap

/// Directions from the centre of ball c to those of a and b.
std::pair<Eigen::Vector2d, Eigen::Vector2d> lines_of_centres(const ParameterValues& p) {
  const double half = 0.5 * radians(p.at("angle_deg"));
  return {{std::sin(half), std::cos(half)}, {-std::sin(half), std::cos(half)}};
}

double ball_mass(const ParameterValues& p, double radius) {
  return p.at("mass") * std::pow(radius / p.at("radius_a"), 3);
}

/// Start of its motion on a level table: ball c about to meet the others.
PlanarWorld billiards_world(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(billiards(), given);
  const auto [to_a, to_b] = lines_of_centres(p);
  const double of_c = p.at("radius_c");
  const auto ball = [&](const char* name, double radius, const Eigen::Vector2d& direction) {
    PlanarBody body{.name = name, .radius = radius, .mass = ball_mass(p, radius)};
    body.position.head<2>() = (of_c + radius) * direction;
    return body;
  };
  PlanarBody cue = ball("c", of_c, {0.0, 0.0});
  cue.velocity.y() = p.at("cue_speed");
  return validated(PlanarWorld{
      .bodies = {ball("a", p.at("radius_a"), to_a), ball("b", p.at("radius_b"), to_b), cue},
      .friction = 0.0,
      .gravity = {0.0, 0.0}});
}

/// Balls a and b lie still, the cue ball c touches both and moves along the bisector of the lines
/// of centres (Seghete & Murphey, Figure 4); v = (x', y') of a, b, c.
ImpactProblem build_billiards(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(billiards(), given);
  const double angle = p.at("angle_deg");
  const double radius[] = {p.at("radius_a"), p.at("radius_b"), p.at("radius_c")};
  const auto [to_a, to_b] = lines_of_centres(p);
  const Eigen::Vector2d between =
      (radius[2] + radius[0]) * to_a - (radius[2] + radius[1]) * to_b;  // from b to a
  const double gap = between.norm() - radius[0] - radius[1];
  const double noise = touching * (radius[0] + radius[1]);
  if (gap < -noise || angle > 180.0) {
    fail_parameter("angle_deg", angle, "must be at most 180, and balls a and b must not overlap");
  }
  const int contacts = gap <= noise ? 3 : 2;
  ImpactProblem problem = planar_problem(contacts, 6, 0.0);
  for (int ball = 0; ball < 3; ++ball) {
    problem.mass_matrix.diagonal().segment<2>(2 * ball).setConstant(ball_mass(p, radius[ball]));
  }
  const auto touch = [&](int contact, int ball, int other, const Eigen::Vector2d& normal) {
    problem.normal_jacobian.block<1, 2>(contact, 2 * ball) = normal.transpose();
    problem.normal_jacobian.block<1, 2>(contact, 2 * other) = -normal.transpose();
  };
  if (contacts == 3) {
    touch(0, 0, 1, between.normalized());
    problem.contact_names = {"a-b"};
  }
  touch(contacts - 2, 0, 2, to_a);
  touch(contacts - 1, 1, 2, to_b);
  problem.contact_names.insert(problem.contact_names.end(), {"a-c", "b-c"});
  problem.pre_impact_velocity(5) = p.at("cue_speed");
  return validated(std::move(problem));
}

}  // namespace

System billiards() {
  System system;
  system.name = "billiards";
  system.description =
      "a cue ball c hits balls a and b at once, without friction; a and b may touch, too";
  system.parameters = {
      {"angle_deg", 60.0, "deg", "between the lines from the centre of c to those of a and b",
       Rule::positive},
      {"radius_a", 1.0, "m", "radius of ball a", Rule::positive},
      {"radius_b", 1.0, "m", "radius of ball b", Rule::positive},
      {"radius_c", 2.0, "m", "radius of ball c", Rule::positive},
      {"mass", 1.0, "kg", "mass of ball a; masses are as the radii cubed", Rule::positive},
      {"cue_speed", 1.0, "m/s", "speed of ball c along the bisector", Rule::not_negative},
  };
  system.sampling.law = law::Propagative{};
  system.build = build_billiards;
  system.world = billiards_world;
  return system;
}

}  // namespace carom::builders
