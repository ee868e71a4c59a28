#pragma once

#include "carom/rigid_world.hpp"
#include "host/scenario/scenario_document.hpp"

namespace carom {

/// Names of the systems whose bodies are written in TOML.
inline constexpr const char* planar_system = "planar";
inline constexpr const char* spatial_system = "spatial";

/// The world of [world], [[body]] and [[floor]], validated.
/// @param system planar_system or spatial_system
/// @throws InputError with the line of the key that breaks a rule
RigidWorld read_world(const ScenarioDocument& document, const std::string& system);

}  // namespace carom
