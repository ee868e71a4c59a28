#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "carom/dataset.hpp"
#include "carom/error.hpp"
#include "host/families/dataset/shard_layout.hpp"
#include "host/files/hdf5_tools.hpp"
#include "tests/support/result_files.hpp"

namespace carom::test {

/// Ten states of the compass gait in four shards, eight outcomes of each.
inline const std::string small_dataset = R"(scenario = "compass_gait"
problems = 10
[axes]
leg_angle_deg = {min = 20.0, max = 80.0}
leading_rate = {min = 0.1, max = 1.0}
[sampling]
seed = 3
trajectories = 16
max_steps = 20
[outcomes]
per_problem = 8
choice = "iid"
modes = true
[shards]
problems = 3
[split]
validation = 0.2
test = 0.1
)";

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) throw std::logic_error("nothing to replace: " + what);
  return text.replace(at, what.size(), by);
}

inline std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Every file of a folder, by name.
inline std::map<std::string, std::string> bytes_of(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    files[entry.path().filename().string()] = text_of(entry.path());
  }
  return files;
}

/// A folder for data sets and their specification.
class DatasetFolders : public testing::Test {
 protected:
  DatasetSpec read(const std::string& text) const { return read_dataset_spec(write(text)); }
  std::filesystem::path write(const std::string& text) const {
    std::ofstream(at("spec.toml")) << text;
    return at("spec.toml");
  }
  std::string refused(const std::string& text) const {
    try {
      read(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  }
  std::filesystem::path at(const std::string& name) const { return folder_.path() / name; }

  TemporaryFolder folder_;
};

/// One open file of a data set.
class Shard {
 public:
  Shard(const std::filesystem::path& folder, std::uint64_t number)
      : file_(H5Fopen((folder / shard_name(number)).c_str(), H5F_ACC_RDONLY, H5P_DEFAULT),
              "open the shard") {}

  template <class T>
  std::vector<T> get(const char* name) const {
    const hdf5::Shape shape = hdf5::array_shape(file_, name);
    hsize_t size = 1;
    for (const hsize_t extent : shape) size *= extent;
    std::vector<T> data(size);
    if (size > 0) hdf5::read_array(file_, name, hdf5::number_type<T>(), shape, data.data());
    return data;
  }
  std::vector<std::string> get_strings(const char* name) const {
    return hdf5::read_strings(file_, name);
  }

 private:
  hdf5::Handle file_;
};

}  // namespace carom::test
