#pragma once

#include <string>

#include "carom/scenario.hpp"

namespace carom {

/// Whether two scenarios give the same trajectories, the same net and the same evidence.
bool same_run(const Scenario& one, const Scenario& other);

/// Checksum of everything that the rows depend on, the version of Carom included, without the
/// number of rows: runs with the same id have the same rows. Eight hexadecimal digits.
std::string run_id(const Scenario& scenario);

}  // namespace carom
