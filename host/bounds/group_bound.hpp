#pragma once

#include <functional>
#include <optional>

#include "carom/bounds.hpp"
#include "host/bounds/impact_geometry.hpp"

namespace carom {

/// A bound of a problem whose contacts are in groups that do not act on one another, exactly as the
/// problem's doubles say: steps of one group change no speed in another, so an outcome is the
/// velocity before and what each group adds to it.
/// @param prove bounds the problem of a group, with these options, whose steps go on where none of
/// its contacts approaches, since another group may still collide: such a step can have a solution
/// that jams, besides the one without impulses
/// @return nothing if there is one group, or a group's hulls do not close
std::optional<OuterBound> bound_by_groups(
    const ImpactProblem& problem, const ImpactGeometry& geometry, const BoundOptions& options,
    const std::function<OuterBound(const ImpactProblem&, const BoundOptions&)>& prove);

}  // namespace carom
