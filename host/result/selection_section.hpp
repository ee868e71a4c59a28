#pragma once

#include <optional>

#include "carom/epsilon_net.hpp"
#include "host/files/hdf5_tools.hpp"

/// Selection from the net of a finished run, and check of the net.
namespace carom::sections {

/// Replaces /net_selection; without a selection, an earlier one is removed.
/// @param velocities nv
void write_selection(hid_t file, const std::optional<NetSelection>& selection, int velocities);
/// Nothing if the file has none. @throws hdf5::Error if it does not fit the problem.
std::optional<NetSelection> read_selection(hid_t file, int velocities);

/// Writes attributes of /net, which exists; without a check, earlier ones are removed.
void write_net_check(hid_t file, const std::optional<NetCheck>& check);
/// Nothing if the net was not checked.
std::optional<NetCheck> read_net_check(hid_t file);

}  // namespace carom::sections
