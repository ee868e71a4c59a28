#include <cmath>
#include <utility>

#include "host/problem/systems/builders.hpp"

namespace carom::builders {
namespace {

using Rule = SystemParameter::Rule;
using Motion = Eigen::Matrix<double, 2, 7>;  // velocity (x, y) of a point per velocity
using Eigen::Vector2d;

constexpr int pitch = 2;

/// Unit vector along a link at an absolute angle: counter-clockwise, zero = hanging down.
Vector2d along(double angle) { return {std::sin(angle), -std::cos(angle)}; }

/// A leg's absolute link angles, and the index of its hip rate (the knee's follows).
struct Leg {
  double thigh;
  double shank;
  int hip_velocity;
};

/// Motion of a point that pitch, hip and knee carry along; positions relative to the trunk's mass
/// point. A point above a joint is not moved by it: `joints` = 0 (trunk), 1 (thigh), 2 (shank).
Motion point_motion(const Vector2d& point, const Vector2d& hip, const Vector2d& knee,
                    const Leg& leg, int joints) {
  const auto turn = [&](const Vector2d& pivot) {
    const Vector2d arm = point - pivot;
    return Vector2d(-arm.y(), arm.x());
  };
  Motion motion = Motion::Zero();
  motion.leftCols<2>().setIdentity();
  motion.col(pitch) = turn(Vector2d::Zero());
  if (joints >= 1) motion.col(leg.hip_velocity) = turn(hip);
  if (joints >= 2) motion.col(leg.hip_velocity + 1) = turn(knee);
  return motion;
}

/// Adds a link: its mass at a point with the given motion, its inertia at the rate of pitch plus
/// the rates of `joints` joints.
void add_link(ImpactProblem& problem, const Motion& motion, double mass, double inertia,
              int hip_velocity, int joints) {
  Eigen::Matrix<double, 1, 7> rate = Eigen::Matrix<double, 1, 7>::Zero();
  rate(pitch) = 1.0;
  for (int joint = 0; joint < joints; ++joint) rate(hip_velocity + joint) = 1.0;
  problem.mass_matrix += mass * motion.transpose() * motion + inertia * rate.transpose() * rate;
}

/// Absolute angle of the trailing shank that puts both feet on the same floor.
double trailing_shank(const ParameterValues& p, double leading_thigh, double leading_shank,
                      double trailing_thigh) {
  const double thigh = p.at("thigh_length");
  const double shank = p.at("shank_length");
  const double reach = thigh / shank * (std::cos(leading_thigh) - std::cos(trailing_thigh)) +
                       std::cos(leading_shank);
  if (std::abs(reach) > 1.0) {
    fail_parameter("trailing_hip_deg", p.at("trailing_hip_deg"),
                   "must let the trailing foot reach the floor that the leading one touches");
  }
  return -std::acos(reach);  // of the two, the one with the knee bent backwards
}

/// The legs at the impact, leading and trailing.
std::pair<Leg, Leg> legs_of(const ParameterValues& p) {
  const double trunk_angle = radians(p.at("pitch_deg"));
  Leg leading{trunk_angle + radians(p.at("leading_hip_deg")), 0.0, 3};
  leading.shank = leading.thigh + radians(p.at("leading_knee_deg"));
  Leg trailing{trunk_angle + radians(p.at("trailing_hip_deg")), 0.0, 5};
  trailing.shank = trailing_shank(p, leading.thigh, leading.shank, trailing.thigh);
  return {leading, trailing};
}

/// Start of its motion: both feet on the floor, joints at rest.
PlanarWorld ramone_world(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(ramone(), given);
  const auto [leading, trailing] = legs_of(p);
  const double rate = p.at("pitch_rate");
  const auto body = [&](const std::string& name, const std::string& kind, double angle) {
    PlanarBody link;
    link.name = name;
    link.points.emplace();
    link.mass = p.at(kind + "_mass");
    link.inertia = p.at(kind + "_inertia");
    link.position(2) = angle;
    link.velocity(2) = rate;
    return link;
  };
  PlanarBody trunk = body("trunk", "trunk", radians(p.at("pitch_deg")));
  const Vector2d ankle = p.at("hip_offset") * along(trunk.position(2)) +
                         p.at("thigh_length") * along(leading.thigh) +
                         p.at("shank_length") * along(leading.shank);
  trunk.position.y() = p.at("foot_radius") - ankle.y();
  const ImpactProblem problem = ramone().build(given);
  trunk.velocity.head<2>() = problem.pre_impact_velocity.head<2>();
  PlanarWorld world{.bodies = {trunk},
                    .floors = {{.name = "floor"}},
                    .friction = p.at("friction"),
                    .gravity = {0.0, -p.at("gravity")}};
  const auto below = [&](double distance) { return Vector2d(0.0, -distance); };
  for (const auto& [name, leg] : {std::pair("leading", leading), {"trailing", trailing}}) {
    PlanarBody thigh = body(std::string(name) + " thigh", "thigh", leg.thigh);
    const double to_hip = p.at("thigh_mass_distance");
    thigh.hinge = {.on = "trunk", .at = below(p.at("hip_offset")), .own = below(-to_hip)};
    PlanarBody shank = body(std::string(name) + " shank", "shank", leg.shank);
    const double to_knee = p.at("shank_mass_distance");
    shank.hinge = {
        .on = thigh.name, .at = below(p.at("thigh_length") - to_hip), .own = below(-to_knee)};
    shank.points = {below(p.at("shank_length") - to_knee)};
    shank.radius = p.at("foot_radius");
    world.bodies.insert(world.bodies.end(), {thigh, shank});
  }
  return validated(std::move(world));
}

/// A planar biped of trunk, two thighs and two shanks with disc feet; v = (x', y' of the trunk's
/// mass point, pitch, leading hip, leading knee, trailing hip, trailing knee rates).
ImpactProblem build_ramone(const ParameterValues& given) {
  const ParameterValues p = complete_parameters(ramone(), given);
  const double trunk_angle = radians(p.at("pitch_deg"));
  const auto [leading, trailing] = legs_of(p);

  ImpactProblem problem = planar_problem(2, 7, p.at("friction"));
  const Vector2d hip = p.at("hip_offset") * along(trunk_angle);
  const Motion trunk = point_motion(Vector2d::Zero(), hip, hip, leading, 0);
  add_link(problem, trunk, p.at("trunk_mass"), p.at("trunk_inertia"), pitch, 0);
  for (int contact = 0; contact < 2; ++contact) {
    const Leg& leg = contact == 0 ? leading : trailing;
    const Vector2d knee = hip + p.at("thigh_length") * along(leg.thigh);
    const Vector2d thigh_mass = hip + p.at("thigh_mass_distance") * along(leg.thigh);
    const Vector2d shank_mass = knee + p.at("shank_mass_distance") * along(leg.shank);
    const Vector2d ankle = knee + p.at("shank_length") * along(leg.shank);
    const Vector2d sole = ankle - Vector2d(0.0, p.at("foot_radius"));
    add_link(problem, point_motion(thigh_mass, hip, knee, leg, 1), p.at("thigh_mass"),
             p.at("thigh_inertia"), leg.hip_velocity, 1);
    add_link(problem, point_motion(shank_mass, hip, knee, leg, 2), p.at("shank_mass"),
             p.at("shank_inertia"), leg.hip_velocity, 2);
    const Motion foot = point_motion(sole, hip, knee, leg, 2);
    problem.tangent_jacobian.row(contact) = foot.row(0);
    problem.normal_jacobian.row(contact) = foot.row(1);
  }
  const double pitch_rate = p.at("pitch_rate");
  problem.pre_impact_velocity.head<3>() << -pitch_rate * problem.tangent_jacobian(1, pitch),
      -pitch_rate * problem.normal_jacobian(1, pitch), pitch_rate;
  return validated(std::move(problem));
}

}  // namespace

System ramone() {
  System system;
  system.name = "ramone";
  system.description = "the biped RAMone's step: A leading foot lands, B trailing foot at rest";
  system.parameters = {
      {"trunk_mass", 7.9026, "kg", "mass of the trunk", Rule::positive},
      {"trunk_inertia", 0.08, "kg m^2", "about the trunk's mass point", Rule::positive},
      {"hip_offset", 0.137675, "m", "trunk's mass point down to the hips", Rule::not_negative},
      {"thigh_mass", 0.7887, "kg", "mass of each thigh", Rule::positive},
      {"thigh_inertia", 0.00221, "kg m^2", "about the thigh's mass point", Rule::positive},
      {"thigh_length", 0.2, "m", "hip to knee", Rule::positive},
      {"thigh_mass_distance", 0.019399, "m", "hip to the thigh's mass point", Rule::not_negative},
      {"shank_mass", 0.510, "kg", "mass of each shank", Rule::positive},
      {"shank_inertia", 0.00652, "kg m^2", "about the shank's mass point", Rule::positive},
      {"shank_length", 0.2385, "m", "knee to the centre of the foot", Rule::positive},
      {"shank_mass_distance", 0.165235, "m", "knee to the shank's mass point", Rule::not_negative},
      {"foot_radius", 0.02815, "m", "radius of the disc foot", Rule::not_negative},
      {"pitch_deg", 16.0, "deg", "trunk, counter-clockwise", Rule::any},
      {"leading_hip_deg", -70.0, "deg", "leading thigh relative to the trunk", Rule::any},
      {"leading_knee_deg", -2.0, "deg", "leading shank relative to its thigh", Rule::any},
      {"trailing_hip_deg", 70.0, "deg",
       "trailing thigh relative to the trunk; its knee angle follows, both feet being on the floor",
       Rule::any},
      {"pitch_rate", 1.0, "rad/s", "the robot turns as one body about its trailing sole",
       Rule::any},
      {"friction", 1e5, "", "Coulomb coefficient of both feet", Rule::not_negative},
      {"gravity", 9.81, "m/s²", "after the impact", Rule::not_negative},
  };
  system.sampling = paper_sampling(1.0, 10, 20);
  system.build = build_ramone;
  system.world = ramone_world;
  return system;
}

}  // namespace carom::builders
