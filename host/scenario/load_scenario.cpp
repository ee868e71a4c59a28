#include <fmt/format.h>

#include <algorithm>

#include "carom/error.hpp"
#include "carom/scenario.hpp"
#include "host/nearest_name.hpp"

namespace carom {

Scenario load_scenario(const std::string& file_or_system) {
  if (std::filesystem::exists(file_or_system)) return read_scenario(file_or_system);
  std::vector<std::string> names;
  for (const System& system : systems()) names.push_back(system.name);
  if (std::find(names.begin(), names.end(), file_or_system) != names.end()) {
    return parse_scenario("system = \"" + file_or_system + "\"\n", file_or_system);
  }
  throw InputError(fmt::format("scenario is \"{}\" (must be a file, or one of the systems {}){}",
                               file_or_system, fmt::join(names, ", "),
                               suggestion(file_or_system, names)));
}

}  // namespace carom
