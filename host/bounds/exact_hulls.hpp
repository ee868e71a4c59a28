#pragma once

#include <vector>

#include "host/bounds/velocity_cells.hpp"

namespace carom {

/// What the steps of an impact can reach: the start, and one convex piece per cell.
struct ReachableHulls {
  bool closed = false;  ///< no step leaves the pieces, however many there are
  int rounds = 0;       ///< if not closed, they hold what as many steps reach
  std::vector<Polyhedron> pieces;
  bool out_of_work = false;  ///< in the round after these
};

struct HullRules {
  bool tight = false;  ///< the inclusion's: a path uses a cell's impulses within the cell only
  /// Whether steps are taken where no contact approaches, too: others still collide.
  bool goes_on = false;
  int most_rounds;
};

/// Grows the pieces from the velocity before the impact until no step leaves them, or the work is
/// spent.
ReachableHulls reachable_hulls(const ImpactGeometry& geometry,
                               const std::vector<VelocityCell>& cells, const HullRules& rules,
                               ProofWork& work);

}  // namespace carom
