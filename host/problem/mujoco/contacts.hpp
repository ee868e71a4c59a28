#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "carom/mujoco.hpp"
#include "host/problem/mujoco/model.hpp"

namespace carom::mujoco {

/// One contact point of two geoms, seen from `other`, the one that cannot move if there is one.
struct Contact {
  std::string name;        ///< "geom/other", numbered where two geoms touch at several points
  Eigen::Matrix3d frame;   ///< rows: normal from `other` to `geom`, MuJoCo's two tangents; world
  Eigen::MatrixXd motion;  ///< 3 x nv: velocity of `geom` relative to `other` at the point, world
  double friction = 0.0;
};

/// The contacts that `options` selects at the model's state, in MuJoCo's order.
/// @throws InputError on an unknown geom, if there are no contacts, or on what Carom cannot hold
std::vector<Contact> select_contacts(const Model& model, const MujocoOptions& options);

}  // namespace carom::mujoco
