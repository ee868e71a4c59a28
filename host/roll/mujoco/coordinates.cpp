#include "host/roll/mujoco/coordinates.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "host/roll/roll_plan.hpp"

namespace carom::mujoco {
namespace {

Eigen::Quaterniond quaternion_at(const Eigen::VectorXd& position, int at) {
  return {position(at), position(at + 1), position(at + 2), position(at + 3)};
}

}  // namespace

Coordinates coordinates_of(const ModelView& model) {
  Coordinates all;
  const auto add = [&](const std::string& name, const char* unit) {
    all.position_of.push_back(static_cast<int>(all.positions.size()));
    all.positions.push_back(name);
    all.units.emplace_back(unit);
    all.velocities.push_back(name);
  };
  for (int joint = 0; joint < static_cast<int>(model.model().njnt); ++joint) {
    std::string name = model.joint_name(joint);
    std::ranges::replace(name, ' ', '_');  // questions have words
    std::ranges::replace(name, ',', ';');  // lists have commas
    const int type = model.model().jnt_type[joint];
    if (type == mjJNT_HINGE || type == mjJNT_SLIDE) {
      add(name, type == mjJNT_HINGE ? "rad" : "m");
      continue;
    }
    if (type == mjJNT_FREE) {
      for (const char* axis : {".x", ".y", ".z"}) add(name + axis, "m");
    }
    all.quaternions.push_back(static_cast<int>(all.positions.size()));
    all.turns.push_back(static_cast<int>(all.velocities.size()));
    for (const char* part : {".qw", ".qx", ".qy", ".qz"}) {
      all.positions.push_back(name + part);
      all.units.emplace_back("");
    }
    for (const char* axis : {".turn_x", ".turn_y", ".turn_z"}) {
      all.velocities.push_back(name + axis);
      all.position_of.push_back(-1);
    }
  }
  return all;
}

Starts::Starts(const ModelView& model, const Coordinates& coordinates,
               const SamplingOptions& sampling, const RollOptions& options)
    : coordinates_(coordinates),
      sampling_(sampling),
      start_{Eigen::Map<const Eigen::VectorXd>(model.data().qpos, model.model().nq),
             Eigen::Map<const Eigen::VectorXd>(model.data().qvel, model.model().nv)},
      ranges_(2 * coordinates.velocities.size()) {
  for (const StartRange& range : options.start) {
    const std::size_t at = place_of(range, coordinates.velocities);
    ranges_[at + (range.of_velocity ? coordinates.velocities.size() : 0)] = range;
  }
}

State Starts::of(std::uint64_t rollout) const {
  State state = start_;
  const Philox random(sampling_.seed, sampling_.problem_id, rollout);
  const auto nv = static_cast<Eigen::Index>(coordinates_.velocities.size());
  Eigen::VectorXd turn = Eigen::VectorXd::Zero(nv);
  for (Eigen::Index i = 0; i < 2 * nv; ++i) {
    const std::optional<StartRange>& range = ranges_[static_cast<std::size_t>(i)];
    if (!range) continue;
    // The number of the coordinate, not of the range, whose order a file does not keep.
    const double drawn = draw_start(*range, random, static_cast<std::uint32_t>(i));
    const int place = i < nv ? coordinates_.position_of[static_cast<std::size_t>(i)] : -1;
    if (i >= nv) {
      state.velocity(i - nv) = drawn;
    } else if (place >= 0) {
      state.position(place) = drawn;
    } else {
      turn(i) = drawn;
    }
  }
  for (std::size_t k = 0; k < coordinates_.quaternions.size(); ++k) {
    const Eigen::Vector3d own = turn.segment<3>(coordinates_.turns[k]);
    if (own.isZero(0.0)) continue;
    const int at = coordinates_.quaternions[k];
    const Eigen::Quaterniond turned =
        quaternion_at(state.position, at).normalized() *
        Eigen::Quaterniond(Eigen::AngleAxisd(own.norm(), own.normalized()));
    state.position.segment<4>(at) << turned.w(), turned.x(), turned.y(), turned.z();
  }
  return state;
}

}  // namespace carom::mujoco
