#include "host/families/family_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "carom/error.hpp"
#include "carom/roll_io.hpp"
#include "host/base/nearest_name.hpp"

namespace carom {
namespace {

constexpr const char* key_characters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

[[noreturn]] void fail(const std::string& path, const std::string& rule,
                       const std::string& suggestion = {}) {
  throw InputError(fmt::format("axis is \"{}\" (must be {}){}", path, rule, suggestion));
}

FamilyPath parse(const std::string& text) {
  const auto malformed = [&] {
    fail(text,
         "a number's path, such as friction, parameters.friction, problem.friction[0] or "
         "body.NAME.position[0]");
  };
  const auto word = [&](std::size_t& at) {
    const std::size_t end = std::min(text.find_first_not_of(key_characters, at), text.size());
    if (end == at) malformed();
    const std::string found = text.substr(at, end - at);
    at = end;
    return found;
  };
  FamilyPath path;
  std::size_t at = 0;
  path.key = word(at);
  if (at < text.size() && text[at] == '.') {
    path.table = path.key;
    path.key = word(++at);
  }
  if (path.table == "start" && at < text.size() && text[at] == '.') {
    path.coordinate = text.substr(at + 1);
    return path;
  }
  while (at < text.size()) {
    std::size_t index = 0;
    const char* const begin = text.data() + at + 1;
    const char* const end = text.data() + text.size();
    if (text[at] != '[') malformed();
    const auto [rest, error] = std::from_chars(begin, end, index);
    if (error != std::errc{} || rest == end || *rest != ']') malformed();
    path.index.push_back(index);
    at = static_cast<std::size_t>(rest - text.data()) + 1;
  }
  return path;
}

const toml::node* stated(const toml::table& root, const std::string& table,
                         const std::string& key) {
  const toml::table* found = root[table].as_table();
  return found == nullptr ? nullptr : found->get(key);
}

/// The paths of several tables of one kind, as in a path: ".name", or "[number]" of one without a
/// name.
std::vector<std::string> entry_names(const toml::array& tables) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const toml::table* const table = tables.get_as<toml::table>(i);
    const std::string name = table == nullptr ? "" : (*table)["name"].value_or(std::string());
    names.push_back(name.empty() ? fmt::format("[{}]", i) : "." + name);
  }
  return names;
}

/// The path within one of several tables ([[body]], [[floor]]); nothing if it is in none.
std::optional<FamilyPath> path_in_entry(const std::string& text, const toml::table& root) {
  for (const auto& [key, node] : root) {
    const std::string table(key.str());
    const bool is_meant = text.starts_with(table + ".") || text.starts_with(table + "[");
    if (!is_meant || !node.is_array_of_tables()) continue;
    const std::vector<std::string> names = entry_names(*node.as_array());
    std::optional<std::size_t> longest;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!text.starts_with(table + names[i] + ".")) continue;
      if (!longest || names[i].size() > names[*longest].size()) longest = i;
    }
    if (!longest) {
      fail(text, fmt::format("{0}.NAME.KEY, {0}.NAME one of {0}{1}", table,
                             fmt::join(names, ", " + table)));
    }
    FamilyPath path = parse(text.substr(table.size() + names[*longest].size() + 1));
    if (!path.table.empty()) {
      fail(text, fmt::format("{}{}.KEY, KEY of a number", table, names[*longest]));
    }
    path.table = table;
    path.entry = longest;
    path.entry_name = names[*longest];
    return path;
  }
  return std::nullopt;
}

/// Whether a table says how the problem is treated, not what it is: the same for all members.
bool is_shared(std::string_view table) {
  constexpr std::array shared = {"law",   "sampling", "evidence", "explore",
                                 "bound", "outputs",  "roll"};
  return std::ranges::find(shared, table) != shared.end();
}

/// A value that a scenario need not state; nothing for any other path.
const Eigen::VectorXd* derived(const FamilyPath& path, const Scenario& scenario) {
  if (path.table != "problem") return nullptr;
  if (path.key == "friction") return &scenario.problem.friction;
  if (path.key == "restitution") return &scenario.problem.restitution;
  return path.key == "pre_impact_velocity" ? &scenario.problem.pre_impact_velocity : nullptr;
}

/// The tables of `root` in which a key without a table is looked up.
std::vector<std::string> possible_tables(const FamilyPath& path, const toml::table& root,
                                         const Scenario& scenario) {
  std::vector<std::string> tables;
  const bool parameter = path.index.empty() && scenario.parameters.contains(path.key);
  if (parameter) tables.emplace_back("parameters");
  for (const auto& [name, node] : root) {
    const std::string table(name.str());
    if (table == "parameters" || is_shared(table)) continue;
    if (node.is_table() && node.as_table()->contains(path.key)) tables.push_back(table);
  }
  // A parameter replaces the value that the system derives from it, unless the scenario states that
  // value.
  FamilyPath in_problem = path;
  in_problem.table = "problem";
  const bool listed = std::find(tables.begin(), tables.end(), "problem") != tables.end();
  if (!parameter && !listed && derived(in_problem, scenario) != nullptr) {
    tables.emplace_back("problem");
  }
  return tables;
}

void check_parameter(const std::string& text, const FamilyPath& path, const Scenario& scenario) {
  if (path.index.empty() && scenario.parameters.contains(path.key)) return;
  std::vector<std::string> names;
  for (const auto& [name, value] : scenario.parameters) names.push_back(name);
  if (names.empty()) fail(text, "in [problem]: system \"matrices\" has no parameters");
  fail(text, fmt::format("a parameter of {}: {}", scenario.system, fmt::join(names, ", ")),
       suggestion(path.key, names));
}

/// Checks that the path ends at a number that the scenario states.
void check_stated(const std::string& text, const FamilyPath& path, const toml::node* node) {
  std::string place = path.table + path.entry_name + "." + path.key;
  for (const std::size_t index : path.index) {
    const toml::array* array = node->as_array();
    if (array == nullptr) fail(text, fmt::format("without an index: {} is no array", place));
    if (index >= array->size()) {
      fail(text, fmt::format("below {}[{}], counted from 0", place, array->size()));
    }
    node = array->get(index);
    place += fmt::format("[{}]", index);
  }
  if (node->is_number()) return;
  if (node->is_array()) fail(text, fmt::format("an entry of it, {}[0], ...", place));
  fail(text, fmt::format("the path of a number, and {} is none", place));
}

/// Checks that the path names a coordinate by which the starts of rollouts may differ.
void check_coordinate(const std::string& text, const FamilyPath& path, const toml::table& root,
                      const Scenario& scenario) {
  if (!scenario.roll)
    fail(text, "of rollouts: impacts have no start but body.NAME.position and velocity");
  if (path.key != "position" && path.key != "velocity") {
    fail(text, "start.position.NAME or start.velocity.NAME");
  }
  const RolledSystem system = rolled_system(scenario);
  const auto& names = system.quaternions.empty() ? system.coordinates : system.velocities;
  if (std::ranges::find(names, path.coordinate) == names.end()) {
    fail(text, fmt::format("start.{}.NAME, NAME one of {}", path.key, fmt::join(names, ", ")),
         suggestion(path.coordinate, names));
  }
  const toml::node* const node = stated(root, path.table, path.key);
  const toml::table* const table = node == nullptr ? nullptr : node->as_table();
  if (node != nullptr && (table == nullptr || table->contains("low"))) {
    fail(text, fmt::format("start.{0}[0], ..., of an array: the scenario states start.{0} of all "
                           "coordinates at once",
                           path.key));
  }
}

}  // namespace

std::string FamilyPath::text() const {
  std::string whole = table + entry_name + "." + key + (coordinate.empty() ? "" : "." + coordinate);
  for (const std::size_t at : index) whole += fmt::format("[{}]", at);
  return whole;
}

FamilyPath resolve_family_path(const std::string& text, const toml::table& root,
                               const Scenario& scenario) {
  if (std::optional<FamilyPath> path = path_in_entry(text, root)) {
    const toml::table& table = *root[path->table].as_array()->get_as<toml::table>(*path->entry);
    const toml::node* const node = table.get(path->key);
    if (node == nullptr) {
      std::vector<std::string> keys;
      for (const auto& [key, value] : table) keys.emplace_back(key.str());
      fail(text,
           fmt::format("stated by the scenario: {}{} has {}", path->table, path->entry_name,
                       fmt::join(keys, ", ")),
           suggestion(path->key, keys));
    }
    check_stated(text, *path, node);
    return *std::move(path);
  }
  FamilyPath path = parse(text);
  if (path.table.empty()) {
    const std::vector<std::string> tables = possible_tables(path, root, scenario);
    if (tables.size() > 1) {
      fail(text, fmt::format("one of {0}.{2} and {1}.{2}", tables[0], tables[1], path.key));
    }
    if (tables.empty()) {
      std::vector<std::string> names;
      for (const auto& [name, value] : scenario.parameters) names.push_back(name);
      if (!scenario.parameters.contains("friction")) names.emplace_back("friction");
      names.emplace_back("pre_impact_velocity[0]");
      fail(text, fmt::format("a number of the scenario, such as {}", fmt::join(names, ", ")),
           suggestion(path.key, names));
    }
    path.table = tables.front();
  }
  if (is_shared(path.table)) {
    fail(text, "part of the problem: all members of a family are sampled alike");
  }
  if (path.table == "parameters") {
    check_parameter(text, path, scenario);
    return path;
  }
  if (!path.coordinate.empty()) {
    check_coordinate(text, path, root, scenario);
    return path;
  }
  const Eigen::VectorXd* entries = derived(path, scenario);
  const toml::node* node = stated(root, path.table, path.key);
  if (entries == nullptr) {
    if (node == nullptr) {
      FamilyPath list;  // "qvel.rooty" of a list qvel
      list.key = path.table;
      for (const std::string& table : possible_tables(list, root, scenario)) {
        const toml::node* const its = stated(root, table, list.key);
        if (its == nullptr || !its->is_array()) continue;
        fail(text, fmt::format("an entry by its number, {0}[0], ...: {0} is a list", list.key));
      }
      const bool velocity = path.table == "mujoco" && path.key == "qvel";
      fail(text, fmt::format("stated by the scenario: it has no {} in [{}]{}", path.key, path.table,
                             velocity ? "; pre_impact_velocity needs no statement" : ""));
    }
    check_stated(text, path, node);
    return path;
  }
  const bool whole = path.index.empty() && path.key != "pre_impact_velocity";
  if (whole) return path;  // one number for all contacts
  const auto size = static_cast<std::size_t>(entries->size());
  if (size == 0) {
    fail(text,
         fmt::format("{}.{}, for all contacts: the scenario states none", path.table, path.key));
  }
  if (path.index.size() != 1 || path.index.front() >= size) {
    fail(text, fmt::format("{0}.{1}[0] ... {0}.{1}[{2}]", path.table, path.key, size - 1));
  }
  return path;
}

bool state_derived(const FamilyPath& path, const Scenario& scenario, toml::table& root) {
  const Eigen::VectorXd* entries = derived(path, scenario);
  if (entries == nullptr || path.index.empty()) return false;
  const toml::node* node = stated(root, path.table, path.key);
  if (node != nullptr && node->is_array()) return false;
  toml::array values;
  for (const double value : *entries) values.push_back(value);
  root.emplace<toml::table>(path.table);
  root[path.table].as_table()->insert_or_assign(path.key, std::move(values));
  return true;
}

void set_number(const FamilyPath& path, double value, toml::table& root) {
  if (!path.entry) root.emplace<toml::table>(path.table);
  toml::table& table = path.entry ? *root[path.table].as_array()->get_as<toml::table>(*path.entry)
                                  : *root[path.table].as_table();
  if (!path.coordinate.empty()) {
    table.emplace<toml::table>(path.key);
    table[path.key].as_table()->insert_or_assign(path.coordinate, value);
    return;
  }
  if (path.index.empty()) {
    table.insert_or_assign(path.key, value);
    return;
  }
  toml::array* array = table[path.key].as_array();
  for (std::size_t depth = 0; depth + 1 < path.index.size(); ++depth) {
    array = array->get_as<toml::array>(path.index[depth]);
  }
  if (path.index.back() >= array->size()) {
    throw InputError(
        fmt::format("{} is beyond the {} entries of this member", path.text(), array->size()));
  }
  const auto last = static_cast<std::ptrdiff_t>(path.index.back());
  array->replace(array->cbegin() + last, value);
}

}  // namespace carom
