#pragma once

#include "kernels/step/capacity.hpp"

namespace carom {

/// Greatest sizes of a mechanism in time.
inline constexpr int max_bodies = max_velocities / 3;
inline constexpr int max_spatial_bodies = max_velocities / 6;
inline constexpr int max_pairs = 512;
/// Contacts that can act at a time on all bodies.
inline constexpr int max_touching = 64;

/// rad, by which a body turns in a part of a step at most, where its spin alone changes its
/// velocity or brings corners to other bodies.
inline constexpr double most_turn = 0.05;

}  // namespace carom
