#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "carom/error.hpp"
#include "host/scenario/toml.hpp"

namespace carom {

/// A parsed scenario text whose values are read with a type in mind, and whose errors name file
/// and line.
class ScenarioDocument {
 public:
  /// @throws InputError "name:line:column: ..." on a syntax error
  ScenarioDocument(const std::string& text, std::string name, std::filesystem::path folder);

  const toml::table& root() const { return root_; }
  /// Where the files that the text names are looked up.
  const std::filesystem::path& folder() const { return folder_; }
  /// A table of the root; null if absent. @throws InputError if it is something else
  const toml::table* table(const char* name) const;

  // Each reads one value called `key`. @throws InputError naming the wanted type or range
  std::string text(const std::string& key, const toml::node& node) const;
  double number(const std::string& key, const toml::node& node) const;
  std::int64_t integer(const std::string& key, const toml::node& node, std::int64_t least,
                       std::int64_t greatest = INT64_MAX) const;
  std::vector<std::string> texts(const std::string& key, const toml::node& node) const;
  /// An array of numbers, or the name of a matrix file.
  Eigen::VectorXd vector(const std::string& key, const toml::node& node) const;
  /// An array of rows, or the name of a matrix file.
  Eigen::MatrixXd matrix(const std::string& key, const toml::node& node) const;

  /// @throws InputError "name:line: message"; without a line where `where` has none
  [[noreturn]] void fail(const toml::source_region& where, std::string_view message) const;
  /// The same for the deepest existing part of a path such as "problem.friction[1]".
  [[noreturn]] void fail_at(std::string path, std::string_view message) const;
  /// `key is 3, an integer (must be <rule>)` at the node's line.
  [[noreturn]] void fail_type(const std::string& key, const toml::node& node,
                              std::string_view rule) const;

 private:
  Eigen::MatrixXd matrix_file(const std::string& key, const toml::node& node) const;

  std::string name_;
  std::filesystem::path folder_;
  toml::table root_;
};

}  // namespace carom
