#pragma once

#include <string>
#include <vector>

#include "carom/mujoco.hpp"
#include "host/scenario/scenario_document.hpp"

namespace carom {

/// In [problem] of a result file, beside a MuJoCo model whose motion has no impact.
inline constexpr const char* no_impact_key = "no_impact";

/// Reads [mujoco]; the model's name as it is written. @throws InputError if the name is missing
MujocoOptions read_mujoco(const ScenarioDocument& document);

/// One friction for all contacts is none of limits, which have no tangents: they keep theirs, 0.
/// @param before the friction that the model gives
void keep_limits_smooth(const Eigen::VectorXd& before, ImpactProblem& problem);

/// The keys of [mujoco].
const std::vector<std::string>& mujoco_keys();

}  // namespace carom
