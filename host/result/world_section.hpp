#pragma once

#include "carom/scenario.hpp"
#include "host/files/hdf5_tools.hpp"

/// /world of a file: what pictures need of bodies.
namespace carom::sections {

constexpr const char* world_group = "world";

/// Shapes, corners or points, hinges; and floors.
void write_bodies(hid_t group, const RigidWorld& world);
/// Makes /world: the bodies of the scenario's world and its contacts, right before the impact.
/// There is none if the scenario has no world, or one in space, or if its problem is not the first
/// impact of its world.
void write_world(hid_t file, const Scenario& scenario);

}  // namespace carom::sections
