#include "host/scenario/mujoco_keys.hpp"

#include <fmt/format.h>

#include <climits>

#include "host/scenario/scenario_keys.hpp"

namespace carom {
namespace {

using Document = ScenarioDocument;
using Node = toml::node;

std::vector<MujocoGeoms> read_geoms(const Document& document, const Node& node) {
  constexpr const char* rule = "a geom's name or an array of two names";
  const toml::array* array = node.as_array();
  if (array == nullptr) document.fail_type("geoms", node, "an array of names or pairs of names");
  std::vector<MujocoGeoms> list;
  for (const toml::node& entry : *array) {
    if (entry.is_string()) {
      list.push_back({document.text("an entry of geoms", entry), ""});
      continue;
    }
    const toml::array* pair = entry.as_array();
    if (pair == nullptr || pair->size() != 2) document.fail_type("an entry of geoms", entry, rule);
    const std::vector<std::string> names = document.texts("an entry of geoms", entry);
    if (names[1].empty()) document.fail_type("an entry of geoms", entry, rule);
    list.push_back({names[0], names[1]});
  }
  if (list.empty()) {
    document.fail(node.source(), "geoms is empty (must name one at least; without it, all count)");
  }
  return list;
}

Eigen::VectorXd read_numbers(const Document& document, const char* name, const Node& node) {
  Eigen::VectorXd numbers = document.vector(name, node);
  if (numbers.size() == 0) {
    document.fail(node.source(), fmt::format("{} is empty (must hold a number at least)", name));
  }
  return numbers;
}

std::string read_keyframe(const Document& document, const Node& node) {
  if (node.is_integer()) return std::to_string(document.integer("keyframe", node, 0));
  if (!node.is_string()) document.fail_type("keyframe", node, "a name or an index");
  return document.text("keyframe", node);
}

/// What a number means is checked with the model.
int read_merge(const Document& document, const Node& node) {
  if (node.is_boolean()) return document.truth("merge", node) ? 1 : 0;
  if (!node.is_integer()) document.fail_type("merge", node, "true, false, or a number of corners");
  return static_cast<int>(document.integer("merge", node, INT_MIN, INT_MAX));
}

}  // namespace

const std::vector<std::string>& mujoco_keys() {
  static const std::vector<std::string> names = {"model", "keyframe", "qpos",  "qvel",
                                                 "geoms", "distance", "merge", "limits"};
  return names;
}

void keep_limits_smooth(const Eigen::VectorXd& before, ImpactProblem& problem) {
  const Eigen::Index d = problem.tangent_dimension();
  for (Eigen::Index i = 0; i < before.size() && before.size() == problem.friction.size(); ++i) {
    const bool slips = !problem.tangent_jacobian.middleRows(i * d, d).isZero(0.0);
    if (!slips && before(i) == 0.0) problem.friction(i) = 0.0;
  }
}

MujocoOptions read_mujoco(const ScenarioDocument& document) {
  const toml::table* table = document.table("mujoco");
  if (table == nullptr) {
    document.fail({}, "[mujoco] is missing (system \"mujoco\" needs it)");
  }
  check_keys(document, *table, "[mujoco]", mujoco_keys());
  const toml::node* model = table->get("model");
  if (model == nullptr) {
    document.fail(table->source(),
                  "model is missing in [mujoco] (must be the name of an MJCF file)");
  }
  MujocoOptions options;
  options.model = document.text("model", *model);
  if (const toml::node* node = table->get("keyframe")) {
    options.keyframe = read_keyframe(document, *node);
  }
  if (const toml::node* node = table->get("qpos"))
    options.qpos = read_numbers(document, "qpos", *node);
  if (const toml::node* node = table->get("qvel"))
    options.qvel = read_numbers(document, "qvel", *node);
  if (const toml::node* node = table->get("geoms")) options.geoms = read_geoms(document, *node);
  if (const toml::node* node = table->get("distance")) {
    options.distance = document.number("distance", *node);
  }
  if (const toml::node* node = table->get("merge")) options.merge = read_merge(document, *node);
  if (const toml::node* node = table->get("limits")) {
    options.limits = document.truth("limits", *node);
  } else if (const toml::table* problem = document.table("problem")) {
    // A result of a Carom that had no limits: later ones write the key.
    options.limits = !problem->contains("mass_matrix") && !problem->contains(no_impact_key);
  }
  return options;
}

}  // namespace carom
