#include "host/roll/motion_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/base/note_list.hpp"
#include "host/roll/body_length.hpp"
#include "host/roll/kept_states.hpp"
#include "host/roll/roll_plan.hpp"

namespace carom {
namespace {

constexpr std::size_t pose_size = 7;  // x, y, z and the quaternion

/// A body at an instant: its points, with a radius around them.
struct Placed {
  Eigen::Vector3d centre;
  Eigen::Matrix3d axes;
  Eigen::Matrix3Xd points;
  Eigen::Vector3d low, high;  ///< of the points, along the axes, from the centre
  double radius;
  double reach;  ///< from the centre, m

  /// From a point to the box around the points.
  Eigen::Vector3d from(const Eigen::Vector3d& point) const {
    const Eigen::Vector3d own = axes.transpose() * (point - centre);
    return centre + axes * own.cwiseMax(low).cwiseMin(high) - point;
  }
};

Placed place(const SpatialBody& body, const double* position) {
  Placed result;
  result.centre = Eigen::Map<const Eigen::Vector3d>(position);
  result.axes = Eigen::Quaterniond(position[3], position[4], position[5], position[6]).matrix();
  const std::vector<Eigen::Vector3d> own = body.touching_points();
  result.points.resize(3, static_cast<Eigen::Index>(own.size()));
  result.radius = body.radius;
  result.reach = 0.0;
  result.low = result.high = own[0];
  for (std::size_t i = 0; i < own.size(); ++i) {
    result.low = result.low.cwiseMin(own[i]);
    result.high = result.high.cwiseMax(own[i]);
    result.points.col(static_cast<Eigen::Index>(i)) = result.centre + result.axes * own[i];
    result.reach = std::max(result.reach, own[i].norm() + body.radius);
  }
  return result;
}

/// Whether no plane across any of the usual axes has the bodies on different sides: for boxes and
/// balls, whether they overlap.
bool overlap(const Placed& one, const Placed& other) {
  const Eigen::Vector3d between = other.centre - one.centre;
  const double least = 1e-3 * std::min(one.reach, other.reach);  // deeper than contacts are
  if (between.norm() > one.reach + other.reach - least) return false;
  const auto apart = [&](const Eigen::Vector3d& axis) {
    const double length = axis.norm();
    if (!(length > 1e-9 * (one.reach + other.reach))) return false;
    const Eigen::RowVectorXd a = axis.transpose() * one.points / length;
    const Eigen::RowVectorXd b = axis.transpose() * other.points / length;
    const double gap = std::max(b.minCoeff() - a.maxCoeff(), a.minCoeff() - b.maxCoeff());
    return gap - one.radius - other.radius > -least;
  };
  if (apart(between)) return false;
  if (apart(other.from(one.centre)) || apart(one.from(other.centre))) return false;  // of balls
  const double size = std::max(one.reach, other.reach);
  for (int i = 0; i < 3; ++i) {
    if (apart(size * one.axes.col(i)) || apart(size * other.axes.col(i))) return false;
    for (int j = 0; j < 3; ++j) {
      const Eigen::Vector3d across = one.axes.col(i).cross(other.axes.col(j));
      if (apart(size * across)) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Note> note_on_overlaps(const SpatialWorld& world, int threads,
                                     const Rollouts& rollouts) {
  const auto finder = [&](const KeptState& state) -> std::string {
    std::vector<Placed> placed;
    for (const SpatialBody& body : world.bodies) {
      placed.push_back(place(body, &state.position()[placed.size() * pose_size]));
      for (std::size_t a = 0; a + 1 < placed.size(); ++a) {
        if (!overlap(placed[a], placed.back())) continue;
        return fmt::format("\"{}\" and \"{}\"", world.bodies[a].name, body.name);
      }
    }
    return {};
  };
  const auto [count, first] = find_in(rollouts, threads, [&] { return finder; });
  if (count == 0) return std::nullopt;
  return make_note("bodies_overlap",
                   fmt::format("bodies overlap in {} of {} rollouts, {} first: in space they touch "
                               "floors and walls alone (MuJoCo's models touch one another)",
                               count, rollouts.size(), first));
}

std::optional<Note> note_on_window(const RigidWorld& world, double window, double hold) {
  const ShortestBody shortest = shortest_body(world);
  constexpr double small_hold = 1e-4;  // of a length: rad by which a body at rest may lean
  if (window <= small_gap * shortest.length) {
    const ShortestBody base = shortest_base(world);
    if (hold <= small_hold * base.length) return std::nullopt;
    return make_note("wide_window",
                     fmt::format("hold is {} m, and \"{}\" {:.3g} m long: a corner counts as on "
                                 "the ground so far above it, and bodies come to rest aslant; "
                                 "hold = {:.1g} keeps them flat",
                                 hold, base.name, base.length, 1e-6 * base.length));
  }
  return make_note("wide_window",
                   fmt::format("window is {} m, and \"{}\" {:.3g} m long: contacts act across "
                               "gaps of up to window, where bodies also come to rest, and can do "
                               "so again and again; window should be as small as the differences "
                               "of gaps that nobody can know",
                               window, shortest.name, shortest.length));
}

std::optional<Note> note_on_penetration(const RigidWorld& world, const RollOptions& options,
                                        int threads, const Rollouts& rollouts) {
  constexpr double small = 1e-3;  // of a body
  const RigidMechanism mechanism(world);
  const double length = shortest_body(world).length;
  const double tolerances = 10.0 * (options.window + options.hold);
  const double allowed = std::isfinite(length) ? std::max(small * length, tolerances) : tolerances;
  const auto finder = [&](const KeptState& state) -> std::string {
    const auto found =
        mechanism.penetration({state.position().begin(), state.position().end()}, allowed);
    return found ? text_of(*found, mechanism) : "";
  };
  const auto [count, first] = find_in(rollouts, threads, [&] { return finder; });
  if (count == 0) return std::nullopt;
  return make_note("penetration",
                   fmt::format("contacts are deeper than {:.2g} m in {} of {} rollouts, {} first: "
                               "a step was too long for what pressed them; take a smaller step",
                               allowed, count, rollouts.size(), first));
}

std::optional<Note> note_on_energy(const RigidWorld& world, const SamplingOptions& sampling,
                                   const Rollouts& rollouts) {
  if (!std::holds_alternative<law::Plus>(sampling.law)) return std::nullopt;
  constexpr double rounding = 0.01;  // of the kinetic energy, by which steps err
  const RigidMechanism mechanism(world);
  const auto finder = [&](const KeptState& state) -> std::string {
    const std::optional<KeptState> before = state.before();
    if (!before) return {};
    const auto energy_of = [&](const KeptState& its) {
      return mechanism.energy(its.position(), its.velocity());
    };
    const auto now = energy_of(state);
    const auto then = energy_of(*before);
    const double gain = now.kinetic + now.potential - then.kinetic - then.potential;
    if (!(gain > rounding * std::max(now.kinetic, then.kinetic))) return {};
    return fmt::format("by {:.2g} J", gain);
  };
  const auto [count, first] = find_in(rollouts, sampling.threads, [&] { return finder; });
  if (count == 0) return std::nullopt;
  return make_note("energy_gain", fmt::format("the energy grows in {} of {} rollouts, {} first: "
                                              "law plus bounds no energy",
                                              count, rollouts.size(), first));
}

}  // namespace carom
