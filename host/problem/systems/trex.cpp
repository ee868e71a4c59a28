#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "host/problem/systems/builders.hpp"

namespace carom::builders {
namespace {

using Rule = SystemParameter::Rule;
using Angles = Eigen::Matrix<double, 1, 8>;  // which velocities turn a part

constexpr double body_density = 1000.0;                 // kg/m^3, the paper's
constexpr double limb_line_density = 2000.0 * 1.25e-4;  // kg/m: the paper's density and section

double speed_after_17_cm() { return std::sqrt(2.0 * 9.81 * 0.17); }  // after the paper's 17 cm

/// A line from the centre of the front body to another point of the robot: the segments on it.
class Line {
 public:
  /// The end after `length` more in the direction `angle`, which `turns` change.
  Line longer(double length, double angle, const Angles& turns) const {
    Line end = *this;
    end.jacobian_.row(0) -= length * std::sin(angle) * turns;
    end.jacobian_.row(1) += length * std::cos(angle) * turns;
    return end;
  }
  /// Rows x', y' of the velocity of the end.
  const Eigen::Matrix<double, 2, 8>& jacobian() const { return jacobian_; }

 private:
  Eigen::Matrix<double, 2, 8> jacobian_ = Eigen::Matrix<double, 2, 8>::Identity();
};

double ball_mass(double radius) {
  return body_density * (4.0 / 3.0) * std::numbers::pi * radius * radius * radius;
}

double ball_inertia(double radius) { return 0.4 * ball_mass(radius) * radius * radius; }

double limb_mass(double length) { return limb_line_density * length; }

double limb_inertia(double length) { return limb_mass(length) * length * length / 12.0; }

/// Length of the tail: it ends where the tangents of both bodies meet.
double tail_length(const ParameterValues& p) {
  const double front = p.at("front_radius");
  const double hind = p.at("hind_radius");
  return hind * (front + hind) / (front - hind);
}

/// Direction of the body, near the stated one, at which foot and tip of the tail are level.
double level_body(const ParameterValues& p) {
  const double along = p.at("front_radius") + p.at("hind_radius");
  const double lower = p.at("hip") + p.at("knee");
  // The foot is across * cos(body) + forward * sin(body) above the tip.
  const double across = p.at("upper_leg") * std::sin(p.at("hip")) +
                        p.at("lower_leg") * std::sin(lower) -
                        tail_length(p) * std::sin(p.at("tail"));
  const double forward = p.at("upper_leg") * std::cos(p.at("hip")) +
                         p.at("lower_leg") * std::cos(lower) - along -
                         tail_length(p) * std::cos(p.at("tail"));
  const double level = std::atan2(-across, forward);
  return level + std::numbers::pi * std::round((p.at("body") - level) / std::numbers::pi);
}

double body_angle(const ParameterValues& p) {
  const double settled = p.at("settle");
  if (settled != 0.0 && settled != 1.0) fail_parameter("settle", settled, "must be 0 or 1");
  return settled == 1.0 ? level_body(p) : p.at("body");
}

/// Start of its motion: foot and tip of the tail on the floor. The hind body touches nothing but by
/// the tip.
PlanarWorld trex_world(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(trex(), given);
  const double body = body_angle(p);
  const auto ahead = [](double distance) { return Eigen::Vector2d(distance, 0.0); };
  const double radius = p.at("front_radius");
  PlanarBody front{.name = "front",
                   .radius = radius,
                   .mass = ball_mass(radius),
                   .inertia = ball_inertia(radius)};
  front.position(2) = body;
  front.velocity.y() = -p.at("drop_speed");
  PlanarWorld world{.bodies = {front}, .floors = {{.name = "floor"}}, .friction = 0.0};
  const auto add_limb = [&](const std::string& name, double length, double angle,
                            PlanarHinge hinge) {
    hinge.own = ahead(-0.5 * length);
    PlanarBody limb{.name = name,
                    .points = {{}},
                    .mass = limb_mass(length),
                    .inertia = limb_inertia(length),
                    .hinge = hinge};
    limb.position(2) = angle;
    world.bodies.push_back(limb);
  };
  const double upper = p.at("upper_leg");
  const double lower = p.at("lower_leg");
  for (const std::string other : {"", "other_"}) {
    const double thigh = body + p.at(other + "hip");
    add_limb(other + "upper", upper, thigh, {.on = "front"});
    add_limb(other + "lower", lower, thigh + p.at(other + "knee"),
             {.on = other + "upper", .at = ahead(0.5 * upper)});
    world.bodies.back().points = {ahead(0.5 * lower)};
  }
  const double hind_radius = p.at("hind_radius");
  PlanarBody hind{.name = "hind",
                  .points = {{ahead(tail_length(p))}},
                  .mass = ball_mass(hind_radius),
                  .inertia = ball_inertia(hind_radius),
                  .hinge = {{.on = "front", .at = ahead(radius + hind_radius)}}};
  hind.position(2) = body + p.at("tail");
  world.bodies.push_back(hind);
  world.bodies.front().position.y() =
      upper * -std::sin(body + p.at("hip")) + lower * -std::sin(body + p.at("hip") + p.at("knee"));
  return validated(std::move(world));
}

/// The tailed biped TREX as its foot and the tip of its tail land (Seghete & Murphey, Section
/// VII-B, Figure 6); v = (x', y', body', hip', other_hip', knee', other_knee', tail'). The paper
/// leaves the mass model open: here bodies are solid spheres, limbs are rods, the tail has no mass
/// and the hips are at the centre of the front body.
ImpactProblem build_trex(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(trex(), given);
  const double front = p.at("front_radius");
  const double hind = p.at("hind_radius");
  if (!(hind < front)) {
    fail_parameter("hind_radius", hind, "must be below front_radius: the tail tapers");
  }
  const auto angles = [](std::initializer_list<int> which) {
    Angles turns = Angles::Zero();
    for (const int velocity : which) turns(velocity) = 1.0;
    return turns;
  };
  ImpactProblem problem = planar_problem(2, 8, 0.0);
  const auto add = [&](const Line& centre, double mass, double inertia, const Angles& turns) {
    problem.mass_matrix += mass * (centre.jacobian().transpose() * centre.jacobian()) +
                           inertia * (turns.transpose() * turns);
  };
  const auto add_ball = [&](const Line& centre, double radius, const Angles& turns) {
    add(centre, ball_mass(radius), ball_inertia(radius), turns);
  };
  /// Adds a limb from `joint` and returns its other end.
  const auto add_limb = [&](const Line& joint, double length, double angle, const Angles& turns) {
    add(joint.longer(0.5 * length, angle, turns), limb_mass(length), limb_inertia(length), turns);
    return joint.longer(length, angle, turns);
  };
  const double body = body_angle(p);
  const Line hips;
  add_ball(hips, front, angles({2}));
  const Line hind_centre = hips.longer(front + hind, body, angles({2}));
  add_ball(hind_centre, hind, angles({2, 7}));
  const auto add_leg = [&](double hip, double knee, int hip_velocity, int knee_velocity) {
    const double upper = body + hip;
    const Line end = add_limb(hips, p.at("upper_leg"), upper, angles({2, hip_velocity}));
    return add_limb(end, p.at("lower_leg"), upper + knee, angles({2, hip_velocity, knee_velocity}));
  };
  const Line foot = add_leg(p.at("hip"), p.at("knee"), 3, 5);
  add_leg(p.at("other_hip"), p.at("other_knee"), 4, 6);
  const Line tip = hind_centre.longer(tail_length(p), body + p.at("tail"), angles({2, 7}));
  problem.normal_jacobian.row(0) = foot.jacobian().row(1);
  problem.normal_jacobian.row(1) = tip.jacobian().row(1);
  problem.tangent_jacobian.row(0) = foot.jacobian().row(0);
  problem.tangent_jacobian.row(1) = tip.jacobian().row(0);
  problem.contact_names = {"foot", "tail"};
  problem.pre_impact_velocity(1) = -p.at("drop_speed");
  return validated(std::move(problem));
}

}  // namespace

System trex() {
  System system;
  system.name = "trex";
  system.description =
      "a biped with a tail lands on a foot and the tip of the tail, without friction; masses are "
      "our own";
  // Table I, second row.
  system.parameters = {
      {"body", 5.92, "rad", "direction from the front body to the hind one", Rule::any},
      {"hip", 4.79, "rad", "upper leg that stands, from the body", Rule::any},
      {"knee", 5.67, "rad", "lower leg that stands, from the upper one", Rule::any},
      {"other_hip", 2.85, "rad", "upper leg in the air, from the body", Rule::any},
      {"other_knee", 5.71, "rad", "lower leg in the air, from the upper one", Rule::any},
      {"tail", -0.19, "rad", "hind body with the tail, from the body", Rule::any},
      {"front_radius", 0.0669, "m", "radius of the front body", Rule::positive},
      {"hind_radius", 0.0422, "m", "radius of the hind body", Rule::positive},
      {"upper_leg", 0.0781, "m", "length of each upper leg", Rule::positive},
      {"lower_leg", 0.0986, "m", "length of each lower leg", Rule::positive},
      {"settle", 1.0, "", "1: the body turns until foot and tail are level; 0: as stated",
       Rule::any},
      {"drop_speed", speed_after_17_cm(), "m/s", "speed at which it falls; default: after 17 cm",
       Rule::not_negative},
  };
  system.sampling.law = law::Propagative{};
  system.build = build_trex;
  system.world = trex_world;
  return system;
}

}  // namespace carom::builders
