#include "host/scenario/world_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <string>
#include <type_traits>
#include <vector>

#include "host/scenario/scenario_keys.hpp"
#include "kernels/base/sine_cosine.hpp"

namespace carom {
namespace {

using Node = toml::node;

/// What a table's keys set.
using Setters = std::map<std::string, std::function<void(const std::string&, const Node&)>>;

void read_table(const ScenarioDocument& document, const toml::table& table,
                const std::string& place, const Setters& setters) {
  std::vector<std::string> names;
  for (const auto& [name, set] : setters) names.push_back(name);
  if (const Node* const friction = table.get("friction");
      friction != nullptr && !setters.contains("friction")) {
    document.fail(
        friction->source(),
        fmt::format("unknown key \"friction\" in {}; it belongs in [world] or [[floor]]", place));
  }
  check_keys(document, table, place, names);
  for (const auto& [key, node] : table) {
    setters.at(std::string(key.str()))(std::string(key.str()), node);
  }
}

/// What a body or a world cannot have a default of.
/// @param table null: it is absent
void require(const ScenarioDocument& document, const toml::table* table, const char* key,
             const std::string& place, const char* why) {
  if (table != nullptr && table->contains(key)) return;
  document.fail(table == nullptr ? toml::source_region{} : table->source(),
                fmt::format("{} is missing in {} ({})", key, place, why));
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
  auto texts(std::vector<std::string>& to) const {
    return [&, this](const std::string& key, const Node& node) { to = document.texts(key, node); };
  }
  template <class Number>
  auto number(Number& to) const {
    return [&, this](const std::string& key, const Node& node) { to = document.number(key, node); };
  }
  /// @param hint where further numbers belong
  template <class Vector>
  auto vector(Vector& to, const char* hint = "") const {
    return [&to, hint, this](const std::string& key, const Node& node) {
      const Eigen::VectorXd numbers = document.vector(key, node);
      if (numbers.size() != to.size()) {
        document.fail(node.source(), fmt::format("{} has {} numbers (must have {}{})", key,
                                                 numbers.size(), to.size(), hint));
      }
      to = numbers;
    };
  }
  template <class Vector>
  auto places(std::vector<Vector>& to) const {
    return [&, this](const std::string& key, const Node& node) {
      constexpr int dimension = Vector::RowsAtCompileTime;
      if (node.is_array() && node.as_array()->empty()) return;
      const Eigen::MatrixXd rows = document.matrix(key, node);
      if (rows.cols() != dimension) {
        document.fail(node.source(), fmt::format("{} has rows of {} numbers (must be of {})", key,
                                                 rows.cols(), dimension));
      }
      for (Eigen::Index i = 0; i < rows.rows(); ++i) to.emplace_back(rows.row(i));
    };
  }
};

PlanarHinge read_hinge(const ScenarioDocument& document, const std::string& key, const Node& node) {
  if (!node.is_table()) {
    document.fail(node.source(), key +
                                     " is no table (must be {on = \"...\", at = [x, y], own = "
                                     "[x, y]})");
  }
  const Values values{document};
  PlanarHinge hinge;
  read_table(document, *node.as_table(), key,
             {{"on", values.text(hinge.on)},
              {"at", values.vector(hinge.at)},
              {"own", values.vector(hinge.own)}});
  return hinge;
}

PlanarBody read_body(const ScenarioDocument& document, const toml::table& table) {
  const Values values{document};
  PlanarBody body;
  Eigen::Vector2d size = Eigen::Vector2d::Zero();
  double angle = 0.0;  // deg
  const bool in_degrees = table.contains("angle_deg");
  const bool hinged = table.contains("hinge");
  const auto position = [&](const std::string& key, const Node& node) {
    const Eigen::VectorXd numbers = document.vector(key, node);
    const bool suits = hinged ? numbers.size() == 1 && !in_degrees
                              : numbers.size() == 2 || (numbers.size() == 3 && !in_degrees);
    if (!suits) {
      document.fail(node.source(), fmt::format("{} has {} numbers (must {})", key, numbers.size(),
                                               hinged && in_degrees ? "be left out beside angle_deg"
                                               : hinged     ? "have 1, the angle, beside hinge"
                                               : in_degrees ? "have 2 beside angle_deg"
                                                            : "have 2, or 3 with the angle"));
    }
    (hinged ? body.position.tail(1) : body.position.head(numbers.size())) = numbers;
  };
  const auto velocity = [&](const std::string& key, const Node& node) {
    const Eigen::VectorXd numbers = document.vector(key, node);
    const Eigen::Index count = numbers.size();
    if (hinged ? count != 1 : count != 2 && count != 3) {
      document.fail(node.source(), fmt::format("{} has {} numbers (must have {})", key, count,
                                               hinged ? "1, that of the angle"
                                                      : "2, or 3 with that of the angle"));
    }
    (hinged ? body.velocity.tail(1) : body.velocity.head(count)) = numbers;
  };
  if (table.contains("points")) body.points.emplace();
  std::vector<Eigen::Vector2d> none;
  read_table(document, table, "[[body]]",
             {{"name", values.text(body.name)},
              {"size", values.vector(size)},
              {"radius", values.number(body.radius)},
              {"corners", values.places(body.corners)},
              {"points", values.places(body.points ? *body.points : none)},
              {"hinge", [&](const std::string& key,
                            const Node& node) { body.hinge = read_hinge(document, key, node); }},
              {"exclude", values.texts(body.exclude)},
              {"mass", values.number(body.mass)},
              {"inertia", values.number(body.inertia)},
              {"position", position},
              {"angle_deg", values.number(angle)},
              {"velocity", velocity}});
  int shapes = 0;
  for (const char* shape : {"size", "corners", "points"}) shapes += table.contains(shape) ? 1 : 0;
  shapes += table.contains("radius") && !body.points ? 1 : 0;
  if (shapes != 1) {
    document.fail(table.source(),
                  "a body has none or several of size, radius, corners and points (must be one: of "
                  "a box, a disc, a convex polygon, or points that touch, with or without a "
                  "radius)");
  }
  if (const toml::node* const node = table.get("size")) {
    for (const double extent : size) {
      if (extent > 0.0 && std::isfinite(extent)) continue;
      document.fail(node->source(),
                    fmt::format("size contains {} (must be > 0 and finite)", extent));
    }
    const Eigen::Vector2d half = 0.5 * size;
    for (const auto& [x, y] : {std::pair(-1, -1), {1, -1}, {1, 1}, {-1, 1}}) {
      body.corners.emplace_back(x * half.x(), y * half.y());
    }
  }
  constexpr double half_turn = 180.0;
  if (in_degrees) body.position(2) = angle / half_turn * std::numbers::pi;
  return body;
}

Eigen::Quaterniond turn_about(const Eigen::Vector3d& degrees) {
  constexpr double half_turn = 180.0;
  const double angle = degrees.norm() / half_turn * std::numbers::pi;
  const SineCosine half = sine_cosine(0.5 * angle);
  Eigen::Quaterniond turn(half.cosine, 0.0, 0.0, 0.0);
  if (angle > 0.0) turn.vec() = half.sine * degrees.normalized();
  return turn;
}

void read_inertia(const ScenarioDocument& document, const std::string& key, const Node& node,
                  std::optional<Eigen::Matrix3d>& inertia) {
  const toml::array* const rows = node.as_array();
  if (rows != nullptr && !rows->empty() && rows->front().is_number()) {
    Eigen::Vector3d moments;
    Values{document}.vector(moments)(key, node);
    inertia = moments.asDiagonal();
    return;
  }
  const Eigen::MatrixXd matrix = document.matrix(key, node);
  if (matrix.rows() != 3 || matrix.cols() != 3) {
    document.fail(node.source(), fmt::format("{} is {} x {} (must be 3 x 3, or three moments)", key,
                                             matrix.rows(), matrix.cols()));
  }
  inertia = matrix;
}

SpatialBody read_spatial_body(const ScenarioDocument& document, const toml::table& table) {
  const Values values{document};
  SpatialBody body;
  Eigen::Vector3d size, degrees;
  Eigen::Vector4d quaternion;
  const auto refuse = [&](const char* reason) {
    return [&document, reason](const std::string& key, const Node& node) {
      document.fail(node.source(),
                    fmt::format("{} is given (must be left out: bodies in space {})", key, reason));
    };
  };
  read_table(
      document, table, "[[body]]",
      {{"name", values.text(body.name)},
       {"size", values.vector(size)},
       {"radius", values.number(body.radius)},
       {"points", values.places(body.points)},
       {"hinge", refuse("are free")},
       {"exclude", refuse("touch floors alone")},
       {"mass", values.number(body.mass)},
       {"inertia", [&](const std::string& key,
                       const Node& node) { read_inertia(document, key, node, body.inertia); }},
       {"position", values.vector(body.position)},
       {"rotation_deg", values.vector(degrees)},
       {"quaternion", values.vector(quaternion)},
       {"velocity", values.vector(body.velocity, "; angular_velocity has those of the rotation")},
       {"angular_velocity", values.vector(body.angular_velocity)}});
  int shapes = table.contains("radius") && !table.contains("points") ? 1 : 0;
  for (const char* shape : {"size", "points"}) shapes += table.contains(shape) ? 1 : 0;
  if (shapes != 1 || (table.contains("points") && body.points.empty())) {
    document.fail(table.source(),
                  "a body has none or several of size, radius and points (must be one: of a box, a "
                  "ball, or points that touch, with or without a radius)");
  }
  if (table.contains("rotation_deg") && table.contains("quaternion")) {
    document.fail(table.source(), "a body has rotation_deg and quaternion (must be one of them)");
  }
  if (table.contains("size")) body.size = size;
  if (table.contains("rotation_deg")) body.orientation = turn_about(degrees);
  if (table.contains("quaternion")) {
    body.orientation = {quaternion(0), quaternion(1), quaternion(2), quaternion(3)};
  }
  return body;
}

PlanarBody read_body_of(const PlanarWorld& /*world*/, const ScenarioDocument& document,
                        const toml::table& table) {
  return read_body(document, table);
}
SpatialBody read_body_of(const SpatialWorld& /*world*/, const ScenarioDocument& document,
                         const toml::table& table) {
  return read_spatial_body(document, table);
}

/// Reads what worlds in the plane and in space have in common.
template <class World>
RigidWorld read_any_world(const ScenarioDocument& document, World world) {
  const Values values{document};
  if (const toml::table* table = document.table("world")) {
    read_table(document, *table, "[world]",
               {{"gravity",
                 [&](const std::string& key, const Node& node) {
                   if (node.is_number()) {
                     world.gravity.setZero();
                     world.gravity.template tail<1>()(0) = -document.number(key, node);
                   } else {
                     values.vector(world.gravity)(key, node);
                   }
                 }},
                {"friction", values.number(world.friction)}});
  }
  for (const toml::table* table : tables_of(document, "body")) {
    world.bodies.push_back(read_body_of(world, document, *table));
    require(document, table, "mass", "[[body]]", "must be stated, in kg");
  }
  for (const toml::table* table : tables_of(document, "floor")) {
    auto& floor = world.floors.emplace_back();
    read_table(document, *table, "[[floor]]",
               {{"name", values.text(floor.name)},
                {"point", values.vector(floor.point)},
                {"normal", values.vector(floor.normal)},
                {"friction", values.number(floor.friction)}});
  }
  const bool touch_one_another = std::is_same_v<World, PlanarWorld> && world.bodies.size() > 1;
  const auto lacks_friction = [](const auto& floor) { return !floor.friction; };
  if (touch_one_another || std::ranges::any_of(world.floors, lacks_friction)) {
    require(
        document, document.table("world"), "friction", "[world]",
        "must be stated: of bodies that touch one another, and of each [[floor]] that has none");
  }
  return validated(std::move(world));
}

}  // namespace

RigidWorld read_world(const ScenarioDocument& document, const std::string& system) {
  if (system == planar_system) return read_any_world(document, PlanarWorld{});
  SpatialWorld world;
  // The motion before the first impact has it, too.
  if (const toml::table* problem = document.table("problem")) {
    if (const Node* const node = problem->get("friction_directions")) {
      const auto directions = document.integer("friction_directions", *node, 2, INT_MAX);
      world.friction_directions = static_cast<int>(directions);
    }
  }
  return read_any_world(document, std::move(world));
}

}  // namespace carom
