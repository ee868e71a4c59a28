#pragma once

#include <string>

#include "carom/grid.hpp"
#include "tests/host/command_line_fixture.hpp"

namespace carom {

/// A small grid of the compass gait.
class GridFixture : public CommandLine {
 protected:
  GridSpec spec(const std::string& more = "", int rates = 3) const {
    return read_grid_spec(write("spec.toml", more + R"(
scenario = "compass_gait"
[axes]
trailing_rate = {min = -0.5, max = 1.0, count = )" +
                                                 std::to_string(rates) +
                                                 R"(}
problem.friction = {values = [0.5, 1.0]}
[sampling]
trajectories = 500
max_steps = 20
)"));
  }
};

}  // namespace carom
