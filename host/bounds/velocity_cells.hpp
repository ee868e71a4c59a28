#pragma once

#include <string>
#include <vector>

#include "host/bounds/impact_geometry.hpp"

namespace carom {

/// A closed cell of velocities, one code per contact: '0' separating (or resting) and without
/// impulse; '1' not separating, of a contact without friction; of the others, 's' not separating,
/// without slip, any impulse of the friction cone; 'a', 'b', ... not separating, and friction
/// direction 1, 2, ... opposes the slip most, so that the impulse is on that edge of the cone; in
/// space also 'A', 'B', ... where direction 1 and 2, 2 and 3, ... oppose it equally, with impulses
/// between the two edges.
struct VelocityCell {
  std::string code;
  std::vector<Condition> conditions;
  std::vector<IntegerVector> edges;  ///< that span the cell's impulses; directions (0, y)
};

/// Friction directions that have a letter of their own: 'a' to 'r', before 's'.
inline constexpr int most_lettered_directions = 's' - 'a';

/// The codes of one contact: 2 without friction, 4 in the plane, 2 + 2 k in space.
/// @param friction_directions at most most_lettered_directions
std::string cell_codes(bool frictionless, int friction_directions);

/// How many cells a problem has, or any number above `most` if there are more.
std::size_t cell_count(const ImpactGeometry& geometry, std::size_t most);

/// All cells in which some contact may have an impulse: all but that of zeros. What a cell says of
/// speeds may be missed by `slack`, m/s.
std::vector<VelocityCell> velocity_cells(const ImpactGeometry& geometry, const Rational& slack);

}  // namespace carom
