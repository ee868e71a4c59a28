#include <algorithm>
#include <cmath>

#include "carom/mujoco_states.hpp"
#include "host/problem/mujoco/contacts.hpp"

namespace carom {
namespace {

/// The velocity of a point of a body, world axes, by the motion axes of the joints that carry the
/// body: without a Jacobian, which has a column for every velocity of the model.
Eigen::Vector3d point_velocity(const mjModel& model, const mjData& data, int body,
                               const mjtNum* point) {
  Eigen::Matrix<double, 6, 1> motion = Eigen::Matrix<double, 6, 1>::Zero();  // rotation, centre
  for (int link = body; link > 0; link = model.body_parentid[link]) {
    const int first = model.body_dofadr[link];
    for (int dof = first; dof < first + model.body_dofnum[link]; ++dof) {
      motion += Eigen::Map<const Eigen::Matrix<double, 6, 1>>(&data.cdof[6 * dof]) * data.qvel[dof];
    }
  }
  const Eigen::Map<const Eigen::Vector3d> centre(&data.subtree_com[3 * model.body_rootid[body]]);
  const Eigen::Vector3d arm = Eigen::Map<const Eigen::Vector3d>(point) - centre;
  const Eigen::Vector3d rotation = motion.head<3>();
  return motion.tail<3>() + rotation.cross(arm);
}

/// @param threshold m/s
bool geoms_approach(const mjModel& model, const mjData& data, double distance, double threshold) {
  for (int i = 0; i < data.ncon; ++i) {
    const mjContact& contact = data.contact[i];
    if (contact.dist - contact.includemargin > distance) continue;
    if (contact.geom[0] < 0 || contact.geom[1] < 0) return true;  // for others to refuse
    Eigen::Vector3d opening = Eigen::Vector3d::Zero();
    for (const int side : {0, 1}) {
      const int body = model.geom_bodyid[contact.geom[side]];
      opening += (side == 1 ? 1.0 : -1.0) * point_velocity(model, data, body, contact.pos);
    }
    const Eigen::Map<const Eigen::Vector3d> normal(contact.frame);
    if (normal.dot(opening) < -threshold) return true;
  }
  return false;
}

/// @param threshold m/s or rad/s
bool limits_approach(const mujoco::ModelView& model, double distance, double threshold) {
  const Eigen::Map<const Eigen::VectorXd> velocity(model.data().qvel, model.model().nv);
  return std::ranges::any_of(mujoco::limits_within(model, distance), [&](const auto& limit) {
    return mujoco::limit_row(model, limit).dot(velocity) < -threshold;
  });
}

}  // namespace

std::vector<std::uint8_t> mujoco_approach(const mjModel& model, std::span<const mjData* const> data,
                                          const MujocoOptions& options, double threshold) {
  constexpr double rounding = 1e-9;
  const double least = threshold - rounding * (1.0 + std::abs(threshold));
  const mujoco::Library& library = mujoco::library();
  std::vector<std::uint8_t> found;
  for (const mjData* const its : data) {
    const mujoco::ModelView state(library, mujoco::model_in_memory, &model, its);
    // What breaks equality constraints changes the velocity before the impact.
    found.push_back(its->ne > 0 || geoms_approach(model, *its, options.distance, least) ||
                    (options.limits && limits_approach(state, options.distance, least)));
  }
  return found;
}

}  // namespace carom
