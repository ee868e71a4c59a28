#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>

namespace carom {

/// Whether a text names a matrix file: "name.npy", or "name.h5:/dataset" (also .hdf5).
bool names_matrix_file(const std::string& text);

/// Limit for a table of states: 1 GiB of numbers.
inline constexpr std::size_t most_state_numbers = std::size_t{1} << 27;

/// Reads an array of one or two dimensions (one: a column) of floating-point numbers or integers
/// from "name.npy" (format 1 to 3, little-endian, C or Fortran order) or "name.h5:/dataset".
/// @param folder where a relative name is looked up
/// @param most_entries limit that prevents a wrong file from filling the memory; the default is far
/// above any compiled capacity
/// @throws InputError naming the file and its fault
Eigen::MatrixXd read_matrix_file(const std::string& text, const std::filesystem::path& folder,
                                 std::size_t most_entries = std::size_t{1} << 20);

}  // namespace carom
