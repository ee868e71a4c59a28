#pragma once

#include <string>
#include <vector>

#include "carom/mujoco.hpp"
#include "host/scenario/scenario_document.hpp"

namespace carom {

/// Reads [mujoco]; the model's name as it is written. @throws InputError if the name is missing
MujocoOptions read_mujoco(const ScenarioDocument& document);

/// The keys of [mujoco].
const std::vector<std::string>& mujoco_keys();

}  // namespace carom
