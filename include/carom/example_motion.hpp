#pragma once

#include <map>
#include <string>
#include <vector>

#include "carom/derivative.hpp"

namespace carom {

/// A motion to see derivatives of, by the angle at the start.
struct ExampleMotion : StartedMotion {
  Eigen::Index outcome = 0;  ///< entry of the state at the end that is looked at
};

/// "rigid_biped", "soft_biped", "flywheel_biped": the bipeds of Pace & Burden's Figure 1, dropped
/// at rest.
const std::vector<std::string>& example_motions();

/// @param parameters  of those that are in `example_parameters()`
/// @throws InputError if name or a parameter is unknown or out of range
ExampleMotion example_motion(const std::string& name,
                             const std::map<std::string, double>& parameters = {});

/// Names and defaults, in SI units and rad.
const std::map<std::string, double>& example_parameters();

}  // namespace carom
