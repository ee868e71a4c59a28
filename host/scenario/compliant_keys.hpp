#pragma once

#include <string>

#include "carom/compliant.hpp"
#include "host/scenario/scenario_document.hpp"

namespace carom {

/// Names of the systems whose contacts give way.
inline constexpr const char* compliant_systems[] = {"springs", "plate", "piecewise_affine",
                                                    "biped"};

bool is_compliant(const std::string& system);

/// The system of this name as [problem] states it, validated.
/// @throws InputError with the line of the key that breaks a rule
CompliantSystem read_compliant(const ScenarioDocument& document, const std::string& system);

}  // namespace carom
