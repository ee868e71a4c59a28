#pragma once

#include "carom/outcome_modes.hpp"
#include "host/files/hdf5_tools.hpp"

/// /modes of a result file: the outcomes by their combination of contact modes.
namespace carom::sections {

/// Replaces /modes; without outcomes, the group is removed.
void write_modes(hid_t file, const OutcomeModes& modes, const ImpactProblem& problem);
/// Without counts if the file has no /modes. @throws hdf5::Error if /modes does not fit the
/// problem.
OutcomeModes read_modes(hid_t file, const ImpactProblem& problem);

}  // namespace carom::sections
