#pragma once

#include <cstddef>

#include "carom/roll.hpp"

namespace carom::test {

/// A body far above the floor, without gravity.
inline SpatialWorld afloat(const SpatialBody& body) {
  SpatialWorld world{.bodies = {body}, .floors = {{.name = "floor"}}, .gravity = {0.0, 0.0, 0.0}};
  world.bodies[0].position = {0.0, 0.0, 100.0};
  return world;
}

inline SpatialBody brick() {
  return {.name = "brick", .size = Eigen::Vector3d(0.2, 0.1, 0.06), .mass = 2.4};
}

/// The state of the only body of a rollout at a time.
struct BodyState {
  Eigen::Vector3d position;
  Eigen::Quaterniond turn;
  Eigen::Vector3d velocity, rate;
};

inline BodyState state_of(const Rollouts& found, int time, std::size_t rollout = 0) {
  const std::size_t at =
      rollout * static_cast<std::size_t>(found.times) + static_cast<unsigned>(time);
  const double* q = &found.position[7 * at];
  const double* v = &found.velocity[6 * at];
  return {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}, {v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

/// Inertia in fixed axes.
inline Eigen::Matrix3d inertia_at(const SpatialWorld& world, const BodyState& state) {
  const Eigen::Matrix3d turn = state.turn.toRotationMatrix();
  return turn * *world.bodies[0].inertia * turn.transpose();
}

}  // namespace carom::test
