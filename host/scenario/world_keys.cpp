#include "host/scenario/world_keys.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "host/scenario/scenario_keys.hpp"

namespace carom {
namespace {

using Node = toml::node;

/// What a table's keys set.
using Setters = std::map<std::string, std::function<void(const std::string&, const Node&)>>;

void read_table(const ScenarioDocument& document, const toml::table& table,
                const std::string& place, const Setters& setters) {
  std::vector<std::string> names;
  for (const auto& [name, set] : setters) names.push_back(name);
  check_keys(document, table, place, names);
  for (const auto& [key, node] : table) {
    setters.at(std::string(key.str()))(std::string(key.str()), node);
  }
}

/// The tables of an array of tables; none if it is absent.
std::vector<const toml::table*> tables_of(const ScenarioDocument& document, const char* name) {
  std::vector<const toml::table*> tables;
  const Node* const node = document.root().get(name);
  if (node == nullptr) return tables;
  if (!node->is_array_of_tables()) {
    document.fail(node->source(),
                  fmt::format("{} is no array of tables (must be [[{}]])", name, name));
  }
  for (const Node& entry : *node->as_array()) tables.push_back(entry.as_table());
  return tables;
}

/// Readers of the kinds of values.
struct Values {
  const ScenarioDocument& document;

  auto text(std::string& to) const {
    return [&, this](const std::string& key, const Node& node) { to = document.text(key, node); };
  }
  template <class Number>
  auto number(Number& to) const {
    return [&, this](const std::string& key, const Node& node) { to = document.number(key, node); };
  }
  template <class Vector>
  auto vector(Vector& to) const {
    return [&, this](const std::string& key, const Node& node) {
      const Eigen::VectorXd numbers = document.vector(key, node);
      if (numbers.size() != to.size()) {
        document.fail(node.source(), fmt::format("{} has {} numbers (must have {})", key,
                                                 numbers.size(), to.size()));
      }
      to = numbers;
    };
  }
};

PlanarBody read_body(const ScenarioDocument& document, const toml::table& table) {
  const Values values{document};
  PlanarBody body;
  Eigen::Vector2d size = Eigen::Vector2d::Zero();
  double angle = 0.0;  // deg
  const bool in_degrees = table.contains("angle_deg");
  if (in_degrees) body.position.resize(3);
  const auto position = [&](const std::string& key, const Node& node) {
    const Eigen::VectorXd numbers = document.vector(key, node);
    if (numbers.size() != 2 && (numbers.size() != 3 || in_degrees)) {
      document.fail(node.source(),
                    fmt::format("{} has {} numbers (must have {})", key, numbers.size(),
                                in_degrees ? "2 beside angle_deg" : "2, or 3 with the angle"));
    }
    body.position.head(numbers.size()) = numbers;
  };
  const auto corners = [&](const std::string& key, const Node& node) {
    const Eigen::MatrixXd rows = document.matrix(key, node);
    if (rows.cols() != 2) {
      document.fail(node.source(),
                    fmt::format("{} has rows of {} numbers (must be of 2)", key, rows.cols()));
    }
    for (Eigen::Index i = 0; i < rows.rows(); ++i) body.corners.emplace_back(rows.row(i));
  };
  read_table(document, table, "[[body]]",
             {{"name", values.text(body.name)},
              {"size", values.vector(size)},
              {"radius", values.number(body.radius)},
              {"corners", corners},
              {"mass", values.number(body.mass)},
              {"inertia", values.number(body.inertia)},
              {"position", position},
              {"angle_deg", values.number(angle)},
              {"velocity", values.vector(body.velocity)}});
  int shapes = 0;
  for (const char* shape : {"size", "radius", "corners"}) shapes += table.contains(shape) ? 1 : 0;
  if (shapes != 1) {
    document.fail(table.source(),
                  "a body has none or several of size, radius and corners (must be one: of a box, "
                  "a disc, or a convex polygon)");
  }
  if (table.contains("size")) {
    const Eigen::Vector2d half = 0.5 * size;
    for (const auto& [x, y] : {std::pair(-1, -1), {1, -1}, {1, 1}, {-1, 1}}) {
      body.corners.emplace_back(x * half.x(), y * half.y());
    }
  }
  constexpr double half_turn = 180.0;
  if (in_degrees) body.position(2) = angle / half_turn * std::numbers::pi;
  return body;
}

}  // namespace

PlanarWorld read_world(const ScenarioDocument& document) {
  const Values values{document};
  PlanarWorld world;
  if (const toml::table* table = document.table("world")) {
    read_table(document, *table, "[world]",
               {{"gravity",
                 [&](const std::string& key, const Node& node) {
                   if (node.is_number()) {
                     world.gravity = {0.0, -document.number(key, node)};
                   } else {
                     values.vector(world.gravity)(key, node);
                   }
                 }},
                {"friction", values.number(world.friction)}});
  }
  for (const toml::table* table : tables_of(document, "body")) {
    world.bodies.push_back(read_body(document, *table));
  }
  for (const toml::table* table : tables_of(document, "floor")) {
    PlanarFloor& floor = world.floors.emplace_back();
    read_table(document, *table, "[[floor]]",
               {{"name", values.text(floor.name)},
                {"point", values.vector(floor.point)},
                {"normal", values.vector(floor.normal)},
                {"friction", values.number(floor.friction)}});
  }
  return validated(std::move(world));
}

}  // namespace carom
