#pragma once

#include <optional>
#include <vector>

#include "carom/certificate.hpp"
#include "carom/extremes.hpp"
#include "carom/net_search.hpp"
#include "host/files/hdf5_tools.hpp"

/// /certificate, /sought and /search of a result file.
namespace carom::sections {

/// Replaces /certificate; without a certificate, an earlier one is removed.
void write_certificate(hid_t file, const std::optional<Certificate>& certificate);
/// Nothing if the file has none. @throws hdf5::Error if its numbers make no sense.
std::optional<Certificate> read_certificate(hid_t file);

/// Replaces /sought; without outcomes, the group is removed.
void write_sought(hid_t file, const std::vector<SoughtOutcome>& sought,
                  const ImpactProblem& problem);
/// None if the file has none. @throws hdf5::Error if they do not fit the problem.
std::vector<SoughtOutcome> read_sought(hid_t file, const ImpactProblem& problem);

/// Replaces /search; without a search, the group is removed.
void write_search(hid_t file, const std::optional<NetSearch>& search, const ImpactProblem& problem);
std::optional<NetSearch> read_search(hid_t file, const ImpactProblem& problem);

}  // namespace carom::sections
