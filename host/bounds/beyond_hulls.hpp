#pragma once

#include <vector>

#include "carom/bounds.hpp"
#include "host/bounds/impact_geometry.hpp"
#include "host/bounds/proof_work.hpp"

namespace carom {

/// The quantities that a bound is wanted of: contact speeds, stated ones, then the coordinates.
std::vector<BoundDirection> bounded_quantities(const ImpactProblem& problem,
                                               const BoundOptions& options);

/// Moves the coordinates, which come last, to the box.
void take_box(OuterBound& bound, int velocities);

/// Makes the ends of all quantities conditions of the only piece, beside those that it has, and
/// moves those of the coordinates to the box.
void take_ends(int velocities, BoundPiece piece, OuterBound& bound);

/// J, rounded up.
double energy_before(const ImpactGeometry& geometry);

/// What is proved of problems that are too large for hulls: the ends that the kinetic energy and
/// the orders of last pushes allow, for any number of steps; or, where that is possible within
/// options.programs, those of a stated number of steps by templates, too.
/// @throws OutOfWork if `work` is stopped
void bound_beyond_hulls(const ImpactProblem& problem, const ImpactGeometry& geometry,
                        const BoundOptions& options, ProofWork& work, OuterBound& bound);

}  // namespace carom
