#pragma once

#include <optional>

#include "carom/derivative.hpp"
#include "carom/planar_world.hpp"
#include "carom/roll_options.hpp"
#include "carom/scenario.hpp"

namespace carom {

/// A world without friction as a motion, of the functions that rollouts take. Contacts are the
/// pairs that can touch, in the order of pair_names(), with the world's restitution (none: 0).
/// @param world validated
/// @throws InputError naming a pair that has friction
Motion motion_of(const PlanarWorld& world);

/// The motion of a world from its start to options.duration. Where options.start has ranges, their
/// middles are the start, and half their widths the direction; elsewhere the direction turns all
/// bodies, by 1 rad each.
/// @throws InputError also if a range or the world breaks a rule
StartedMotion started_motion(const PlanarWorld& world, const RollOptions& options);

/// The same of a scenario. Nothing if it has neither [roll] nor `end`: then its impact is meant.
/// @param end s, instead of the duration of [roll]
/// @throws InputError also if the scenario has no world
std::optional<StartedMotion> started_motion(const Scenario& scenario, std::optional<double> end);

}  // namespace carom
