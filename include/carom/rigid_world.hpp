#pragma once

#include <variant>

#include "carom/planar_world.hpp"
#include "carom/spatial_world.hpp"

namespace carom {

/// Rigid bodies that move in time by Carom's own scheme.
using RigidWorld = std::variant<PlanarWorld, SpatialWorld>;

}  // namespace carom
