#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "carom/roll.hpp"
#include "host/base/field_error.hpp"
#include "host/base/nearest_name.hpp"
#include "host/roll/roll_plan.hpp"
#include "host/roll/roll_questions.hpp"
#include "host/scenario/scenario_keys.hpp"

namespace carom {
namespace {

using Node = toml::node;

/// Whether a table has min or max, or what may be a wrong word for one.
bool states_limits(const toml::table& table) {
  return std::ranges::any_of(table, [](const auto& its) {
    const std::string_view key = its.first.str();
    return !suggestion(key, {"min", "max"}).empty() ||
           (its.second.is_number() && (key == "low" || key == "high"));
  });
}

/// Ranges of [start.position] or [start.velocity]; TOML takes `d1.x = 1` for x of a table d1.
void read_ranges(const ScenarioDocument& document, const toml::table& table,
                 const std::string& owner, bool of_velocity, std::vector<StartRange>& ranges) {
  for (const auto& [key, node] : table) {
    const std::string name = owner + std::string(key.str());
    StartRange range{.coordinate = name, .of_velocity = of_velocity};
    const toml::table* const limits = node.as_table();
    if (node.is_number()) {
      range.least = range.greatest = document.number(name, node);
    } else if (limits != nullptr && !limits->empty() && !states_limits(*limits)) {
      read_ranges(document, *limits, name + ".", of_velocity, ranges);
      continue;
    } else if (limits != nullptr) {
      check_keys(document, *limits, name, {"min", "max"});
      const Node* const least = limits->get("min");
      const Node* const greatest = limits->get("max");
      if (least == nullptr || greatest == nullptr) {
        document.fail(node.source(), name + " lacks min or max (must have both)");
      }
      range.least = document.number("min", *least);
      range.greatest = document.number("max", *greatest);
    } else {
      document.fail_type(name, node, "a number or {min = ..., max = ...}");
    }
    ranges.push_back(std::move(range));
  }
}

/// `position = [2.0, 0.1]` or `position = {low = [...], high = [...]}`, by coordinates.
void read_arrays(const ScenarioDocument& document, const std::string& key, const Node& node,
                 const std::vector<std::string>& names, bool of_velocity,
                 std::vector<StartRange>& ranges) {
  Eigen::VectorXd ends[2];
  if (const toml::table* const limits = node.as_table()) {
    check_keys(document, *limits, key, {"low", "high"});
    for (const int end : {0, 1}) {
      const char* const name = end == 0 ? "low" : "high";
      const Node* const one = limits->get(name);
      if (one == nullptr) document.fail(node.source(), key + " lacks low or high (must have both)");
      ends[end] = document.vector(name, *one);
    }
  } else {
    ends[0] = ends[1] = document.vector(key, node);
  }
  for (const Eigen::VectorXd& end : ends) {
    if (end.size() == static_cast<Eigen::Index>(names.size())) continue;
    document.fail(node.source(),
                  fmt::format("{} has {} numbers (must have {})", key, end.size(), names.size()));
  }
  std::map<std::string, StartRange> by_name;  // the order of a table's keys
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    by_name[names[i]] = {names[i], of_velocity, ends[0](at), ends[1](at)};
  }
  for (const auto& [name, range] : by_name) ranges.push_back(range);
}

}  // namespace

void read_start(const ScenarioDocument& document, const CompliantSystem* system,
                std::optional<RollOptions>& options) {
  const toml::table* table = document.table("start");
  if (table == nullptr) return;
  check_keys(document, *table, "[start]", {"position", "velocity"});
  if (!options) options.emplace();
  for (const char* kind : {"position", "velocity"}) {
    const Node* const node = table->get(kind);
    if (node == nullptr) continue;
    const toml::table* const parts = node->as_table();
    const bool has_ends = parts != nullptr && (parts->contains("low") || parts->contains("high"));
    if (system != nullptr && (parts == nullptr || has_ends)) {
      read_arrays(document, kind, *node, system->coordinates, kind == std::string("velocity"),
                  options->start);
      continue;
    }
    if (!node->is_table()) document.fail_type(kind, *node, "a table of coordinates");
    std::vector<StartRange> ranges;
    read_ranges(document, *node->as_table(), "", kind == std::string("velocity"), ranges);
    // The order counts: random numbers are those of a place, and files name each in full.
    std::ranges::sort(ranges, {}, &StartRange::coordinate);
    const auto twice = std::ranges::adjacent_find(ranges, {}, &StartRange::coordinate);
    if (twice != ranges.end()) {
      document.fail(node->source(), fmt::format("{} is stated twice", twice->coordinate));
    }
    options->start.insert(options->start.end(), ranges.begin(), ranges.end());
  }
}

void check_names_in_time(const ScenarioDocument& document, const Scenario& scenario) {
  if (!scenario.roll || (scenario.roll->start.empty() && scenario.roll->ask.empty())) return;
  const toml::table* const problem = document.table("problem");
  const bool is_result = problem != nullptr && problem->contains("mass_matrix");
  RolledSystem system;
  if (scenario.compliant) {
    system = rolled_system(*scenario.compliant);
  } else if (scenario.world) {
    system = rolled_system(*scenario.world);
  } else if (scenario.mujoco && document.table("roll") != nullptr && !is_result) {
    system = rolled_system(MujocoMotion{*scenario.mujoco});
  } else {
    return;
  }
  try {
    for (const StartRange& range : scenario.roll->start) {
      place_of(range, system.velocities.empty() ? system.coordinates : system.velocities);
    }
    RollOptions options = *scenario.roll;
    options.duration = std::numeric_limits<double>::infinity();
    check_questions(options, system);
  } catch (const FieldError& error) {
    document.fail_at(error.path(), error.what());
  }
}

}  // namespace carom
