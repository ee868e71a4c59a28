#pragma once

#include <vector>

#include "host/problem/mujoco/contacts.hpp"

namespace carom::mujoco {

/// Turns the tangents of every contact into the plane of motion, where no contact can slip in two
/// directions: afterwards the first tangent is the one direction, towards +x (+y where it has no x,
/// +z where it has neither). Leaves the frames as they are otherwise.
/// @return d, the number of tangents that count: 1 or 2
int settle_tangents(std::vector<Contact>& contacts);

}  // namespace carom::mujoco
