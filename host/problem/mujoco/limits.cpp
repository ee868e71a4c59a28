#include "host/problem/mujoco/limits.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace carom::mujoco {
namespace {

bool is_ball(const mjModel& model, const Limit& limit) {
  return limit.object == mjOBJ_JOINT && model.jnt_type[limit.id] == mjJNT_BALL;
}

/// rad; of a ball, the greater number of its range.
double largest_angle(const mjModel& model, const Limit& limit) {
  const mjtNum* const range = model.jnt_range + 2 * limit.id;
  return std::max(range[0], range[1]);
}

/// The rotation vector of a ball joint: its direction times the angle, in [0, pi].
Eigen::Vector3d rotation_of(const ModelView& model, int joint) {
  const mjtNum* const at = model.data().qpos + model.model().jnt_qposadr[joint];
  Eigen::Quaterniond turn(at[0], at[1], at[2], at[3]);
  turn.normalize();
  if (turn.w() < 0.0) turn.coeffs() *= -1.0;
  const double sine = turn.vec().norm();
  if (sine == 0.0) return Eigen::Vector3d::Zero();
  return turn.vec() * (2.0 * std::atan2(sine, turn.w()) / sine);
}

/// m or rad from the end to the value.
double room(const ModelView& model, const Limit& limit) {
  const mjModel& its = model.model();
  const bool is_joint = limit.object == mjOBJ_JOINT;
  const mjtNum* const range = (is_joint ? its.jnt_range : its.tendon_range) + 2 * limit.id;
  if (is_ball(its, limit)) return largest_angle(its, limit) - rotation_of(model, limit.id).norm();
  const double value =
      is_joint ? model.data().qpos[its.jnt_qposadr[limit.id]] : model.data().ten_length[limit.id];
  return limit.is_upper ? range[1] - value : value - range[0];
}

double margin_of(const mjModel& model, const Limit& limit) {
  return (limit.object == mjOBJ_JOINT ? model.jnt_margin : model.tendon_margin)[limit.id];
}

/// Adds the rate of a tendon's length.
void add_tendon_row(const ModelView& model, int tendon, double sign, Eigen::RowVectorXd& row) {
#if mjVERSION_HEADER >= 3006000
  const auto& source = model.model();
  constexpr bool is_dense = false;
#else
  const auto& source = model.data();
  const bool is_dense = model.functions().is_sparse(&model.model()) == 0;
#endif
  const mjtNum* const entries = model.data().ten_J;
  if (is_dense) {
    row += sign * Eigen::Map<const Eigen::RowVectorXd>(entries + tendon * row.size(), row.size());
    return;
  }
  for (int k = 0; k < source.ten_J_rownnz[tendon]; ++k) {
    const int at = source.ten_J_rowadr[tendon] + k;
    row(source.ten_J_colind[at]) += sign * entries[at];
  }
}

}  // namespace

std::vector<Limit> limits_of(const mjModel& model) {
  std::vector<Limit> limits;
  if ((model.opt.disableflags & (mjDSBL_LIMIT | mjDSBL_CONSTRAINT)) != 0) return limits;
  const auto add = [&](mjtObj object, int count, const auto* limited) {
    for (int id = 0; id < count; ++id) {
      if (!limited[id]) continue;
      const Limit lower{.object = object, .id = id, .is_upper = false};
      const Limit upper{.object = object, .id = id, .is_upper = true};
      if (!is_ball(model, lower)) {
        limits.insert(limits.end(), {lower, upper});
      } else if (largest_angle(model, upper) < std::numbers::pi) {  // which no angle exceeds
        limits.push_back(upper);
      }
    }
  };
  add(mjOBJ_JOINT, static_cast<int>(model.njnt), model.jnt_limited);
  add(mjOBJ_TENDON, static_cast<int>(model.ntendon), model.tendon_limited);
  return limits;
}

std::vector<ReachedLimit> limits_within(const ModelView& model, double distance) {
  std::vector<ReachedLimit> reached;
  for (const Limit& limit : limits_of(model.model())) {
    const double margin = margin_of(model.model(), limit);
    const double gap = room(model, limit) - margin;
    if (gap <= distance) reached.push_back({limit, gap, margin});
  }
  return reached;
}

Eigen::RowVectorXd limit_row(const ModelView& model, const Limit& limit) {
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(model.model().nv);
  const double sign = limit.is_upper ? -1.0 : 1.0;
  if (limit.object == mjOBJ_TENDON) {
    add_tendon_row(model, limit.id, sign, row);
  } else if (is_ball(model.model(), limit)) {
    // The angle's rate is the part of the joint's angular velocity along the rotation.
    const Eigen::Vector3d along = rotation_of(model, limit.id).normalized();
    row.segment<3>(model.model().jnt_dofadr[limit.id]) = sign * along;
  } else {
    row(model.model().jnt_dofadr[limit.id]) = sign;
  }
  return row;
}

bool is_of_angle(const mjModel& model, const Limit& limit) {
  const auto turns = [&](int joint) {
    return model.jnt_type[joint] == mjJNT_HINGE || model.jnt_type[joint] == mjJNT_BALL;
  };
  if (limit.object == mjOBJ_JOINT) return turns(limit.id);
  const int* const wraps = model.wrap_objid + model.tendon_adr[limit.id];
  for (int i = 0; i < model.tendon_num[limit.id]; ++i) {
    if (model.wrap_type[model.tendon_adr[limit.id] + i] != mjWRAP_JOINT || !turns(wraps[i])) {
      return false;
    }
  }
  return true;
}

std::string limit_name(const ModelView& model, const Limit& limit) {
  const std::string name = limit.object == mjOBJ_JOINT
                               ? model.joint_name(limit.id)
                               : model.name(mjOBJ_TENDON, "tendon", limit.id);
  return listable(name) + (limit.is_upper ? " upper limit" : " lower limit");
}

}  // namespace carom::mujoco
