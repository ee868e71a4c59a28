#pragma once

#include <string>

#include "carom/roll.hpp"
#include "carom/scenario.hpp"

namespace carom::test {

/// A rocking block, 1 m x 2 m, with these parameters.
inline Scenario block(const std::string& parameters) {
  return parse_scenario("system = \"rocking_block\"\n[parameters]\n" + parameters);
}

/// Discs and boxes of an own invention: two boxes fall on each other beside a wall.
inline PlanarWorld heap() {
  const auto box = [](const char* name, double x, double y, double angle) {
    return PlanarBody{.name = name,
                      .corners = {{-0.2, -0.1}, {0.2, -0.1}, {0.2, 0.1}, {-0.2, 0.1}},
                      .mass = 2.0,
                      .position = {x, y, angle}};
  };
  PlanarWorld world;
  world.bodies = {box("low", 0.0, 0.1001, 0.0),
                  box("high", 0.05, 0.5, 0.3),
                  {.name = "ball",
                   .radius = 0.1,
                   .mass = 0.5,
                   .position = {0.45, 0.8, 0.0},
                   .velocity = {-0.5, 0.0, 3.0}}};
  world.floors = {{.name = "floor"}, {.name = "wall", .point = {-0.5, 0.0}, .normal = {2.0, 0.0}}};
  world.friction = 0.5;
  return world;
}

}  // namespace carom::test
