#pragma once

#include "carom/planar_world.hpp"
#include "host/scenario/scenario_document.hpp"

namespace carom {

inline constexpr const char* planar_system = "planar";

/// The world of [world], [[body]] and [[floor]], validated.
/// @throws InputError with the line of the key that breaks a rule
PlanarWorld read_world(const ScenarioDocument& document);

}  // namespace carom
