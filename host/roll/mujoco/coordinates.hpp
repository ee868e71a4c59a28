#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "carom/roll.hpp"
#include "host/problem/mujoco/model.hpp"

namespace carom::mujoco {

/// Names of a model's numbers: "knee" of a hinge or slide, "trunk.x", ..., "trunk.qw", ... of a
/// free joint or ball, whose velocities are "trunk.x", ..., "trunk.turn_x", ...
struct Coordinates {
  std::vector<std::string> positions, units, velocities;
  std::vector<int> position_of;  ///< of each velocity: the coordinate whose rate it is, or -1
  std::vector<int> quaternions;  ///< the first of four coordinates
  std::vector<int> turns;        ///< of each: the first of three velocities
};

Coordinates coordinates_of(const ModelView& model);

/// qpos and qvel
struct State {
  Eigen::VectorXd position, velocity;
};

/// The starts of rollouts: pure functions of (seed, problem id, ranges, index). What no range is of
/// is that of the model's state. A range of a turn is an angle about an axis of the joint's body in
/// that state; several of a joint are one rotation vector.
class Starts {
 public:
  /// @throws InputError if a range is of no velocity's name
  Starts(const ModelView& model, const Coordinates& coordinates, const SamplingOptions& sampling,
         const RollOptions& options);

  State of(std::uint64_t rollout) const;

 private:
  const Coordinates& coordinates_;
  SamplingOptions sampling_;
  State start_;
  std::vector<std::optional<StartRange>> ranges_;  ///< of each velocity's place, and its rate
};

}  // namespace carom::mujoco
