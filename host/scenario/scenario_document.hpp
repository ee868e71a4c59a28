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

/// A parsed scenario text with typed reading of values; errors name file and line.
class ScenarioDocument {
 public:
  /// @throws InputError "name:line:column: ..." on a syntax error
  ScenarioDocument(const std::string& text, std::string name, std::filesystem::path folder);

  /// A changed copy of a document's root; errors about its new values name no line, or that of
  /// `changes`, which must then outlive it, where these have the same path.
  ScenarioDocument(toml::table root, const ScenarioDocument& origin, const std::string& name = {},
                   const ScenarioDocument* changes = nullptr)
      : name_(name.empty() ? origin.name_ : name),
        folder_(origin.folder_),
        root_(std::move(root)),
        changes_(changes) {}

  const toml::table& root() const { return root_; }
  const std::string& name() const { return name_; }
  /// The folder for files that the text names.
  const std::filesystem::path& folder() const { return folder_; }
  /// A table of the root; null if absent. @throws InputError if the value is not a table
  const toml::table* table(const char* name) const;

  /// Refuses keys of `table` (called "[problem]", ... or "" for the top) other than `known`, naming
  /// the table `home_of` the unknown key if there is one, else the nearest known key, or all.
  void check_keys(const toml::table& table, const std::string& place,
                  const std::vector<std::string>& known,
                  std::string (*home_of)(const std::string& key) = nullptr) const;

  // Each function reads the value of `key`. @throws InputError naming the required type or range
  std::string text(const std::string& key, const toml::node& node) const;
  double number(const std::string& key, const toml::node& node) const;
  std::int64_t integer(const std::string& key, const toml::node& node, std::int64_t least,
                       std::int64_t greatest = INT64_MAX) const;
  /// The index, from 0 on, of a string in a list of words.
  std::size_t choice(const std::string& key, const toml::node& node,
                     const std::vector<std::string>& choices) const;
  bool truth(const std::string& key, const toml::node& node) const;
  std::vector<std::string> texts(const std::string& key, const toml::node& node) const;
  /// An array of numbers, or the name of a matrix file.
  std::vector<double> numbers(const std::string& key, const toml::node& node) const;
  Eigen::VectorXd vector(const std::string& key, const toml::node& node) const;
  /// An array of rows, or the name of a matrix file.
  Eigen::MatrixXd matrix(const std::string& key, const toml::node& node) const;

  /// @throws InputError "name:line: message"; without a line if `where` has none
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
  const ScenarioDocument* changes_ = nullptr;
};

}  // namespace carom
