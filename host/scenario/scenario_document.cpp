#include "host/scenario/scenario_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "host/base/nearest_name.hpp"
#include "host/options/option_text.hpp"
#include "host/scenario/matrix_file.hpp"
#include "host/scenario/toml_guard.hpp"

namespace carom {
namespace {

std::string article_and_type(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a float";
    case toml::node_type::boolean:
      return "a boolean";
    default:
      return "a date or time";
  }
}

/// `3, an integer`, or only the type if the value is too long.
std::string describe(const toml::node& node) {
  const std::string type = article_and_type(node);
  if (const auto* integer = node.as_integer()) return fmt::format("{}, {}", integer->get(), type);
  if (const auto* number = node.as_floating_point()) {
    return fmt::format("{}, {}", number->get(), type);
  }
  if (const auto* boolean = node.as_boolean()) return fmt::format("{}, {}", boolean->get(), type);
  if (const auto* text = node.as_string()) return fmt::format("\"{}\", {}", text->get(), type);
  return type;
}

}  // namespace

ScenarioDocument::ScenarioDocument(const std::string& text, std::string name,
                                   std::filesystem::path folder)
    : name_(std::move(name)), folder_(std::move(folder)) {
  if (const auto refusal = find_unsafe_toml(text)) {
    throw InputError(fmt::format("{}:{}: {}", name_, refusal->line, refusal->reason));
  }
  try {
    root_ = toml::parse(text);
  } catch (const toml::parse_error& error) {
    const toml::source_position& begin = error.source().begin;
    throw InputError(
        fmt::format("{}:{}:{}: {}", name_, begin.line, begin.column, error.description()));
  }
}

const toml::table* ScenarioDocument::table(const char* name) const {
  const toml::node* node = root_.get(name);
  if (node == nullptr) return nullptr;
  if (!node->is_table()) fail_type(name, *node, "a table");
  return node->as_table();
}

std::string ScenarioDocument::text(const std::string& key, const toml::node& node) const {
  const auto* value = node.as_string();
  if (value == nullptr) fail_type(key, node, "a string");
  return value->get();
}

double ScenarioDocument::number(const std::string& key, const toml::node& node) const {
  if (!node.is_number()) fail_type(key, node, "a number");
  return *node.value<double>();
}

std::int64_t ScenarioDocument::integer(const std::string& key, const toml::node& node,
                                       std::int64_t least, std::int64_t greatest) const {
  constexpr double most_exact = 0x1p53;
  std::optional<std::int64_t> value = node.value_exact<std::int64_t>();
  const std::optional<double> real = node.value_exact<double>();
  if (real && *real == std::floor(*real) && std::abs(*real) <= most_exact) {  // 1e6
    value = static_cast<std::int64_t>(*real);
  }
  if (!value) fail_type(key, node, "an integer");
  if (*value < least || *value > greatest) {
    const std::string rule = greatest == INT64_MAX
                                 ? fmt::format("must be >= {}", least)
                                 : fmt::format("must be from {} to {}", least, greatest);
    fail(node.source(), fmt::format("{} is {} ({})", key, *value, rule));
  }
  return *value;
}

void ScenarioDocument::check_keys(const toml::table& table, const std::string& place,
                                  const std::vector<std::string>& known,
                                  std::string (*home_of)(const std::string& key)) const {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    std::string home = home_of == nullptr ? "" : home_of(name);
    if (home.ends_with(" in " + place)) home.clear();  // which another system's has
    std::vector<std::string> written = known;          // by people: result files have further ones
    std::erase_if(written, [](const std::string& its) { return its.ends_with(asked_suffix); });
    fail(key.source(),
         fmt::format("unknown key \"{}\"{}{}", name, place.empty() ? "" : " in " + place,
                     home.empty() ? suggestion_or_all(name, written) : home));
  }
}

std::size_t ScenarioDocument::choice(const std::string& key, const toml::node& node,
                                     const std::vector<std::string>& choices) const {
  const std::string value = text(key, node);
  const auto found = std::find(choices.begin(), choices.end(), value);
  if (found == choices.end()) {
    fail(node.source(), fmt::format("{} is \"{}\" (must be \"{}\"){}", key, value,
                                    fmt::join(choices, "\" or \""), suggestion(value, choices)));
  }
  return static_cast<std::size_t>(found - choices.begin());
}

bool ScenarioDocument::truth(const std::string& key, const toml::node& node) const {
  if (!node.is_boolean()) fail_type(key, node, "true or false");
  return *node.value<bool>();
}

std::vector<std::string> ScenarioDocument::texts(const std::string& key,
                                                 const toml::node& node) const {
  const toml::array* array = node.as_array();
  if (array == nullptr) fail_type(key, node, "an array of strings");
  std::vector<std::string> values;
  for (const toml::node& element : *array) values.push_back(text("an entry of " + key, element));
  return values;
}

std::vector<double> ScenarioDocument::numbers(const std::string& key,
                                              const toml::node& node) const {
  const toml::array* array = node.as_array();
  if (array == nullptr) fail_type(key, node, "an array of numbers");
  std::vector<double> values;
  for (const toml::node& element : *array) values.push_back(number("an entry of " + key, element));
  return values;
}

Eigen::VectorXd ScenarioDocument::vector(const std::string& key, const toml::node& node) const {
  if (node.is_string()) {
    const Eigen::MatrixXd matrix = matrix_file(key, node);
    if (matrix.cols() == 1) return matrix.col(0);
    if (matrix.rows() == 1) return matrix.row(0).transpose();
    fail(node.source(),
         fmt::format("{} is {} x {} (must be a vector)", key, matrix.rows(), matrix.cols()));
  }
  if (!node.is_array()) fail_type(key, node, "an array of numbers, or the name of a matrix file");
  const std::vector<double> values = numbers(key, node);
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

Eigen::MatrixXd ScenarioDocument::matrix(const std::string& key, const toml::node& node) const {
  if (node.is_string()) return matrix_file(key, node);
  const toml::array* rows = node.as_array();
  if (rows == nullptr) fail_type(key, node, "an array of rows, or the name of a matrix file");
  Eigen::MatrixXd values;
  Eigen::Index next = 0;
  for (const toml::node& row_node : *rows) {
    const toml::array* row = row_node.as_array();
    if (row == nullptr) fail_type("an entry of " + key, row_node, "a row, an array of numbers");
    const auto columns = static_cast<Eigen::Index>(row->size());
    if (next == 0) values.resize(static_cast<Eigen::Index>(rows->size()), columns);
    if (columns != values.cols()) {
      fail(row->source(), fmt::format("{} has {} entries in row {} (must have {} as in row 1)", key,
                                      columns, next + 1, values.cols()));
    }
    Eigen::Index column = 0;
    for (const toml::node& element : *row) {
      values(next, column++) = number("an entry of " + key, element);
    }
    ++next;
  }
  return values;
}

Eigen::MatrixXd ScenarioDocument::matrix_file(const std::string& key,
                                              const toml::node& node) const {
  const std::string file = text(key, node);
  if (!names_matrix_file(file)) {
    fail_type(key, node, "numbers, or the name of a matrix file: file.npy or file.h5:/dataset");
  }
  try {
    return read_matrix_file(file, folder_);
  } catch (const InputError& error) {
    fail(node.source(), fmt::format("{}: {}", key, error.what()));
  }
}

void ScenarioDocument::fail(const toml::source_region& where, std::string_view message) const {
  if (where.begin.line == 0) throw InputError(fmt::format("{}: {}", name_, message));
  throw InputError(fmt::format("{}:{}: {}", name_, where.begin.line, message));
}

void ScenarioDocument::fail_at(std::string path, std::string_view message) const {
  if (changes_ != nullptr && changes_->root_.at_path(path)) changes_->fail_at(path, message);
  while (!path.empty()) {
    if (const auto found = root_.at_path(path)) fail(found.node()->source(), message);
    path.erase(std::min(path.find_last_of(".["), path.size()));
    if (path.find_first_of(".[") == std::string::npos && root_.get(path) == nullptr) break;
  }
  fail(toml::source_region{}, message);
}

void ScenarioDocument::fail_type(const std::string& key, const toml::node& node,
                                 std::string_view rule) const {
  fail(node.source(), fmt::format("{} is {} (must be {})", key, describe(node), rule));
}

}  // namespace carom
