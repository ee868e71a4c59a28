#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "carom/error.hpp"
#include "carom/problem_family.hpp"
#include "host/families/family_path.hpp"
#include "host/scenario/scenario_document.hpp"

namespace carom {

/// An InputError about one of the axes of a family.
class AxisError : public InputError {
 public:
  AxisError(std::size_t axis, const std::string& message) : InputError(message), axis_(axis) {}

  /// Its place among the axes.
  std::size_t axis() const { return axis_; }

 private:
  std::size_t axis_;
};

struct ProblemFamily::State {
  /// The family of a document. @throws InputError as State()
  static ProblemFamily family(const ScenarioDocument& document, std::vector<FamilyAxis> axes,
                              const FamilyOptions& options) {
    return ProblemFamily(std::make_shared<const State>(document, std::move(axes), options));
  }

  /// @throws AxisError naming the axis and the rule it breaks; InputError about all of them
  State(const ScenarioDocument& its_document, std::vector<FamilyAxis> its_axes,
        const FamilyOptions& its_options);

  std::vector<double> values(std::uint64_t member) const;
  Scenario scenario(const std::vector<double>& values) const;

  ScenarioDocument document;  // with the contents of its files and all values that paths need
  Scenario base;
  std::vector<FamilyAxis> axes;
  FamilyOptions options;
  std::vector<FamilyPath> paths;  // one per value
  std::vector<std::string> names;
  std::vector<std::size_t> axis_of;                // number of the axis of each path
  std::vector<std::optional<FamilyPath>> mirrors;  // the other entry of a symmetric matrix, if any
  std::uint64_t size = 0;
  bool derive_anew = false;  // the values that paths need depend on the member's parameters

 private:
  void check_axis(const FamilyAxis& axis) const;
  void add_paths(std::size_t number);
  void add_mirrors();
  void set_value(std::size_t place, double value, toml::table& root) const;
  void check_overlaps() const;
  void count_members();
  /// @throws InputError if the law replaces all that a parameter changes
  void check_effects() const;
  bool differ_only_in_velocity(const std::vector<double>& one,
                               const std::vector<double>& other) const;
};

}  // namespace carom
