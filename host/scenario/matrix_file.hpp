#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>

namespace carom {

/// True if a text names a matrix file: "name.npy", or "name.h5:/dataset" (also .hdf5).
bool names_matrix_file(const std::string& text);

/// Reads an array of one or two dimensions (one: a column) of floating-point numbers or integers
/// from "name.npy" (format 1 to 3, little-endian, C or Fortran order) or "name.h5:/dataset".
/// @param folder where a relative name is looked up
/// @throws InputError naming the file and what is wrong with it
Eigen::MatrixXd read_matrix_file(const std::string& text, const std::filesystem::path& folder);

}  // namespace carom
