#pragma once

#include "carom/comparison.hpp"
#include "host/files/hdf5_tools.hpp"

/// The part of a result file that holds what other laws of impact make of the same problem.
namespace carom::sections {

/// Makes /comparison, in place of one that exists; without outcomes and note there is none.
void write_comparison(hid_t file, const Comparison& comparison, const ImpactProblem& problem);

/// Empty where the file has no such group. @throws hdf5::Error if it does not fit the problem.
Comparison read_comparison(hid_t file, const ImpactProblem& problem);

}  // namespace carom::sections
