#include "host/files/input_files.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <system_error>

namespace carom {
namespace {

struct Inputs {
  std::mutex alone;
  std::set<std::filesystem::path> files;
};

Inputs& inputs() {
  static Inputs of_this_process;
  return of_this_process;
}

}  // namespace

void note_input(const std::filesystem::path& file) {
  std::error_code unknown;
  const std::filesystem::path whole = std::filesystem::absolute(file, unknown);
  const std::lock_guard alone(inputs().alone);
  inputs().files.insert(whole);
}

bool is_input(const std::filesystem::path& file) {
  const std::lock_guard alone(inputs().alone);
  return std::any_of(inputs().files.begin(), inputs().files.end(), [&](const auto& input) {
    std::error_code missing;
    return std::filesystem::equivalent(file, input, missing);
  });
}

}  // namespace carom
