#pragma once

#include <span>
#include <vector>

#include "carom/bounds.hpp"
#include "host/bounds/impact_geometry.hpp"

namespace carom {

/// The problems of the groups of contacts that do not act on one another, exactly as the problem's
/// doubles say: no impulse of one group changes a speed in another.
std::vector<ImpactProblem> problems_of_groups(const ImpactProblem& problem,
                                              const ImpactGeometry& geometry);

/// The bound of contacts in groups: an outcome is the velocity before and what each group adds to
/// it.
/// @param wanted quantities of the problem, which followed those of contacts in the groups' options
/// @param bounds of the problems of the groups, by closed hulls. Steps of a group go on where none
/// of its contacts approaches, as long as another one may collide: such a step can have a solution
/// that jams, besides the one without impulses
OuterBound sum_of_groups(const ImpactProblem& problem, const ImpactGeometry& geometry,
                         const std::vector<BoundDirection>& wanted,
                         std::span<const OuterBound> bounds);

}  // namespace carom
