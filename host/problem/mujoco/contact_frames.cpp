#include "host/problem/mujoco/contact_frames.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "host/problem/decompositions.hpp"

namespace carom::mujoco {
namespace {

// A slip below this fraction of that in the other direction, or of the contact's whole motion, is
// zero up to rounding.
constexpr double planar_tolerance = 1e-9;
// A direction's component below this is zero up to rounding.
constexpr double component_tolerance = 1e-9;

/// Singular values and left vectors of a contact's slip: the amount and the directions of its slip.
SingularVectors slip(const Contact& contact) {
  return singular_vectors(contact.frame.bottomRows<2>() * contact.motion, /*with_right=*/false);
}

bool points_backwards(const Eigen::RowVector3d& direction) {
  for (int axis = 0; axis < 3; ++axis) {
    if (std::abs(direction(axis)) > component_tolerance) return direction(axis) < 0.0;
  }
  return false;
}

}  // namespace

int settle_tangents(std::vector<Contact>& contacts) {
  std::vector<SingularVectors> slips;
  for (const Contact& contact : contacts) {
    if (contact.limit) {
      slips.emplace_back();
      continue;
    }
    slips.push_back(slip(contact));
    const Eigen::VectorXd& values = slips.back().values;  // descending
    const double whole = std::max(values(0), contact.motion.norm());
    if (values.size() > 1 && values(1) > planar_tolerance * whole) return 2;
  }
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    if (contacts[i].limit) continue;
    const Eigen::Matrix<double, 2, 3> tangents = contacts[i].frame.bottomRows<2>();
    Eigen::RowVector3d along = slips[i].left.col(0).transpose() * tangents;
    if (points_backwards(along)) along = -along;
    contacts[i].frame.row(1) = along;
    contacts[i].frame.row(2) = contacts[i].frame.row(0).cross(along);
  }
  return 1;
}

}  // namespace carom::mujoco
