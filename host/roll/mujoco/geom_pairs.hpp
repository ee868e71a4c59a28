#pragma once

#include <array>
#include <string>
#include <vector>

#include "host/problem/mujoco/contacts.hpp"

namespace carom::mujoco {

/// Two geoms, the one with the lesser number first.
using GeomPair = std::array<int, 2>;

/// The pairs of geoms that MuJoCo lets touch and `wanted` selects, in increasing order: by contype
/// and conaffinity, but for geoms of a body, of a body and its parent and of excluded ones; and
/// those that the model states.
std::vector<GeomPair> geom_pairs(const ModelView& model, const WantedGeoms& wanted);

/// "geom/other" each, as contacts are called.
std::vector<std::string> pair_names(const ModelView& model, const std::vector<GeomPair>& pairs);

}  // namespace carom::mujoco
