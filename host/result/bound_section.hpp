#pragma once

#include <optional>

#include "carom/bounds.hpp"
#include "host/files/hdf5_tools.hpp"

/// /bound of a result file, and of an exploration's.
namespace carom::sections {

/// Replaces /bound; without a bound, the group is removed.
void write_bound(hid_t file, const std::optional<BoundCheck>& check, const ImpactProblem& problem);
/// Nothing if the file has none. @throws hdf5::Error if it does not fit the problem.
std::optional<BoundCheck> read_bound(hid_t file, const ImpactProblem& problem);

}  // namespace carom::sections
