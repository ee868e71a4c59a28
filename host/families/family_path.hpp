#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/scenario.hpp"
#include "host/scenario/toml.hpp"

namespace carom {

/// A number's place in a scenario: `table.key[index]...`, `start.position.coordinate`, or, of one
/// of several tables, `body.name.key[index]...`.
struct FamilyPath {
  std::string table;
  std::optional<std::size_t> entry = {};  ///< which of several tables
  std::string entry_name = {};            ///< as in a path: ".name" or "[number]"
  std::string key;
  std::string coordinate = {};
  std::vector<std::size_t> index;

  std::string text() const;
};

/// Reads a path, with or without its table, that names a number of this scenario.
/// @throws InputError naming the path and the possible names
FamilyPath resolve_family_path(const std::string& text, const toml::table& root,
                               const Scenario& scenario);

/// Adds to `root` the values that a built-in system derives (friction, pre-impact velocity), if
/// `path` needs them and the scenario does not state them. @return whether values were added
bool state_derived(const FamilyPath& path, const Scenario& scenario, toml::table& root);

/// Sets the number at `path`; the arrays of the path must exist.
void set_number(const FamilyPath& path, double value, toml::table& root);

}  // namespace carom
