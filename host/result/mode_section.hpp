#pragma once

#include "carom/outcome_modes.hpp"
#include "host/files/hdf5_tools.hpp"

/// /modes of a result file: the outcomes by their combination of contact modes.
namespace carom::sections {

/// Makes /modes, in place of one that exists; without an outcome there is none.
void write_modes(hid_t file, const OutcomeModes& modes, const ImpactProblem& problem);
/// Without counts if the file has no /modes. @throws hdf5::Error if it does not fit the problem.
OutcomeModes read_modes(hid_t file, const ImpactProblem& problem);

}  // namespace carom::sections
