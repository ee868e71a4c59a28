#pragma once

#include <cstddef>
#include <vector>

#include "host/problem/mujoco/contacts.hpp"

namespace carom::mujoco {

/// Leaves out some of the contacts from `first` on: of those of the same two rigid bodies with one
/// normal, one friction coefficient, and points in one plane, all but the corners of the points'
/// convex hull; and all but one of those that move alike.
/// @param merge MujocoOptions::merge, not 0
/// @return how many of the former were left out: those that move alike miss nothing
int merge_contacts(const ModelView& model, int merge, std::size_t first,
                   std::vector<Contact>& contacts);

}  // namespace carom::mujoco
