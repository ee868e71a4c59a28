#pragma once

#include <cstddef>
#include <vector>

#include "host/problem/mujoco/contacts.hpp"

namespace carom::mujoco {

/// Leaves out some of the contacts from `first` on, of those of the same two rigid bodies with one
/// normal and one friction coefficient: all but one of those that move alike, such as the front and
/// the back of a box in a model of planar motion; and, with `merge`, those in one plane but the
/// corners of the points' convex hull.
/// @param merge MujocoOptions::merge
/// @return how many of the latter were left out: those that move alike miss nothing
int merge_contacts(const ModelView& model, int merge, std::size_t first,
                   std::vector<Contact>& contacts);

}  // namespace carom::mujoco
