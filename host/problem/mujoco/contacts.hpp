#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "carom/mujoco.hpp"
#include "host/problem/mujoco/model.hpp"

namespace carom::mujoco {

/// One contact point of two geoms. If one of the geoms cannot move, it is `other`.
struct Contact {
  std::string name;        ///< "geom/other", numbered where two geoms touch at several points
  Eigen::Matrix3d frame;   ///< rows: normal from `other` to `geom`, MuJoCo's two tangents; world
  Eigen::MatrixXd motion;  ///< 3 x nv: velocity of `geom` relative to `other` at the point, world
  double friction = 0.0;
};

/// The contacts that `options` selects at the model's state, in MuJoCo's order.
/// @throws InputError on an unknown geom, if there are no contacts, or on contacts that Carom does
/// not support
std::vector<Contact> select_contacts(const Model& model, const MujocoOptions& options);

}  // namespace carom::mujoco
