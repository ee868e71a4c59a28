#pragma once

#include <vector>

#include "host/problem/mujoco/contacts.hpp"

namespace carom::mujoco {

/// If no contact can slip in two directions, rotates the tangents of every contact into the plane
/// of motion: the first tangent is then the slip direction, towards +x (+y if it has no x
/// component, +z if it has neither). Otherwise the frames do not change.
/// @return d, the number of tangents in use: 1 or 2
int settle_tangents(std::vector<Contact>& contacts);

}  // namespace carom::mujoco
