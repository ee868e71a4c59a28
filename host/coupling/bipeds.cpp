#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "carom/error.hpp"
#include "carom/example_motion.hpp"
#include "host/base/nearest_name.hpp"
#include "host/coupling/differences.hpp"

namespace carom {
namespace {

/// Body and two point feet in the plane; Figure 1 (masses are not printed in the paper).
struct Biped {
  double body_mass, foot_mass, inertia, gravity, leg, hip, stiffness, flywheel, restitution, height;

  Eigen::Vector2d hip_at(int side) const { return {side == 0 ? -hip : hip, 0.0}; }
  /// Of a foot from the body's centre, body axes.
  Eigen::Vector2d foot_at(int side) const { return hip_at(side) - Eigen::Vector2d(0.0, leg); }
};

Eigen::Matrix2d turned(double angle) { return Eigen::Rotation2Dd(angle).toRotationMatrix(); }

/// Coordinates xb, xl, xr, zb, zl, zr, theta: feet on springs.
ExampleMotion springy(const Biped& b, double angle, bool flywheel) {
  const auto point = [](const Eigen::VectorXd& q, int which) {
    return Eigen::Vector2d(q(which), q(3 + which));
  };
  ExampleMotion found;
  found.coordinates = {"xb", "xl", "xr", "zb", "zl", "zr", "theta"};
  Eigen::VectorXd mass(7);
  mass << b.body_mass, b.foot_mass, b.foot_mass, b.body_mass, b.foot_mass, b.foot_mass, b.inertia;
  found.motion.mass = [mass](const Eigen::VectorXd&) { return Eigen::MatrixXd(mass.asDiagonal()); };
  found.motion.gaps = [](const Eigen::VectorXd& q) { return Eigen::VectorXd(q.segment(4, 2)); };
  found.motion.gap_jacobian = [](const Eigen::VectorXd&) {
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(2, 7);
    rows(0, 4) = rows(1, 5) = 1.0;
    return rows;
  };
  found.motion.force = [=](const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
    Eigen::VectorXd force = Eigen::VectorXd::Zero(7);
    force.segment(3, 3) = -b.gravity * mass.segment(3, 3);
    for (int side = 0; side < 2; ++side) {
      const Eigen::Vector2d arm = turned(q(6)) * b.hip_at(side);
      const Eigen::Vector2d leg = point(q, 1 + side) - point(q, 0) - arm;
      const Eigen::Vector2d pull =
          b.stiffness * (leg.norm() - b.leg) * leg.normalized();  // on the body
      force(0) += pull.x();
      force(3) += pull.y();
      force(1 + side) -= pull.x();
      force(4 + side) -= pull.y();
      force(6) += arm.x() * pull.y() - arm.y() * pull.x();
    }
    if (flywheel) force(6) += b.flywheel * (v(4) - v(5)) * (v(4) - v(5));
    return force;
  };
  const auto pose = [=](double turn) {
    const Eigen::Vector2d body(0.0, b.height);
    const Eigen::Vector2d left = body + turned(turn) * b.foot_at(0);
    const Eigen::Vector2d right = body + turned(turn) * b.foot_at(1);
    Eigen::VectorXd q(7);
    q << body.x(), left.x(), right.x(), body.y(), left.y(), right.y(), turn;
    return q;
  };
  found.start = found.direction = Eigen::VectorXd::Zero(14);
  found.start.head(7) = pose(angle);
  found.direction.head(7) = slope_of([&](double h) { return pose(angle + h); });
  found.outcome = 13;
  return found;
}

/// Coordinates of the centre of mass and theta.
ExampleMotion rigid(const Biped& b, double angle) {
  const double mass = b.body_mass + 2.0 * b.foot_mass;
  const Eigen::Vector2d centre(0.0, -2.0 * b.foot_mass * b.leg / mass);  // from the body's
  const Eigen::Vector2d feet[] = {b.foot_at(0) - centre, b.foot_at(1) - centre};
  const double inertia = b.inertia + b.body_mass * centre.squaredNorm() +
                         b.foot_mass * (feet[0].squaredNorm() + feet[1].squaredNorm());
  ExampleMotion found;
  found.coordinates = {"x", "z", "theta"};
  found.motion.mass = [=](const Eigen::VectorXd&) {
    return Eigen::MatrixXd(Eigen::Vector3d(mass, mass, inertia).asDiagonal());
  };
  found.motion.gaps = [=](const Eigen::VectorXd& q) {
    return Eigen::VectorXd(
        Eigen::Vector2d(q(1) + (turned(q(2)) * feet[0]).y(), q(1) + (turned(q(2)) * feet[1]).y()));
  };
  found.motion.gap_jacobian = [=](const Eigen::VectorXd& q) {
    Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(2, 3);
    for (int side = 0; side < 2; ++side) {
      rows(side, 1) = 1.0;
      rows(side, 2) = (turned(q(2)) * feet[side]).x();
    }
    return rows;
  };
  found.motion.force = [=](const Eigen::VectorXd&, const Eigen::VectorXd&) {
    return Eigen::VectorXd(Eigen::Vector3d(0.0, -b.gravity * mass, 0.0));
  };
  const auto pose = [=](double turn) {
    const Eigen::Vector2d at = Eigen::Vector2d(0.0, b.height) + turned(turn) * centre;
    return Eigen::VectorXd(Eigen::Vector3d(at.x(), at.y(), turn));
  };
  found.start = found.direction = Eigen::VectorXd::Zero(6);
  found.start.head(3) = pose(angle);
  found.direction.head(3) = slope_of([&](double h) { return pose(angle + h); });
  found.outcome = 5;
  return found;
}

}  // namespace

const std::vector<std::string>& example_motions() {
  static const std::vector<std::string> names = {"rigid_biped", "soft_biped", "flywheel_biped"};
  return names;
}

const std::map<std::string, double>& example_parameters() {
  static const std::map<std::string, double> defaults = {
      {"angle", 0.0},   {"body_mass", 1.0}, {"foot_mass", 1.0},   {"inertia", 1.0},
      {"gravity", 1.0}, {"leg", 0.5},       {"hip", 0.25},        {"stiffness", 27.0},
      {"height", 1.0},  {"flywheel", 1.5},  {"restitution", 0.0}, {"end", 1.4}};
  return defaults;
}

ExampleMotion example_motion(const std::string& name,
                             const std::map<std::string, double>& parameters) {
  if (std::ranges::find(example_motions(), name) == example_motions().end()) {
    throw InputError(fmt::format("\"{}\" is no motion (must be one of {})", name,
                                 fmt::join(example_motions(), ", ")));
  }
  std::map<std::string, double> all = example_parameters();
  for (const auto& [key, value] : parameters) {
    const auto found = all.find(key);
    if (found == all.end()) {
      std::vector<std::string> known;
      known.reserve(all.size());
      for (const auto& [one, _] : all) known.push_back(one);
      throw InputError(fmt::format("{} is no parameter of {} (must be one of {})", key, name,
                                   fmt::join(known, ", ")));
    }
    const bool any = key == "angle" || key == "flywheel";
    const bool zero = key == "stiffness" || key == "restitution" || key == "hip";
    if (!std::isfinite(value) || (!any && !(value > 0.0) && !(zero && value == 0.0)) ||
        (key == "restitution" && value > 1.0)) {
      throw InputError(fmt::format("{} is {} (must be {})", key, value,
                                   any                    ? "finite"
                                   : key == "restitution" ? "from 0 to 1"
                                   : zero                 ? ">= 0"
                                                          : "> 0"));
    }
    found->second = value;
  }
  const Biped biped{all["body_mass"],   all["foot_mass"], all["inertia"],   all["gravity"],
                    all["leg"],         all["hip"],       all["stiffness"], all["flywheel"],
                    all["restitution"], all["height"]};
  ExampleMotion found = name == "rigid_biped"
                            ? rigid(biped, all["angle"])
                            : springy(biped, all["angle"], name == "flywheel_biped");
  found.motion.contact_names = {"left", "right"};
  found.motion.restitution = Eigen::Vector2d::Constant(biped.restitution);
  found.end = all["end"];
  return found;
}

}  // namespace carom
