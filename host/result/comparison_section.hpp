#pragma once

#include "carom/comparison.hpp"
#include "host/files/hdf5_tools.hpp"

/// The part of a result file with the outcomes of other impact laws for the same problem.
namespace carom::sections {

/// Replaces /comparison; without outcomes and note, the group is removed.
void write_comparison(hid_t file, const Comparison& comparison, const ImpactProblem& problem);

/// Empty if the file has no such group. @throws hdf5::Error if the group does not fit the problem.
Comparison read_comparison(hid_t file, const ImpactProblem& problem);

}  // namespace carom::sections
