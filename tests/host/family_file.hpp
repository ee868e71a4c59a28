#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "carom/problem_family.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/result_files.hpp"

namespace carom::test {

namespace fs = std::filesystem;

class FamilyFile : public testing::Test {
 protected:
  fs::path write(const std::string& text) const {
    std::ofstream(folder_.path() / "family.toml") << text;
    return folder_.path() / "family.toml";
  }
  std::string refused(const std::string& text) const {
    return refusal([&] { read_problem_family(write(text)); });
  }
  /// rows x columns of doubles, as NumPy writes them.
  void write_npy(const std::string& name, std::size_t columns, const std::vector<double>& values) {
    std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" +
                         std::to_string(values.size() / columns) + ", " + std::to_string(columns) +
                         "), }";
    header.resize(117, ' ');
    header += '\n';
    std::ofstream file(folder_.path() / name, std::ios::binary);
    file << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << header;
    file.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(double)));
  }

  TemporaryFolder folder_;
};

}  // namespace carom::test
