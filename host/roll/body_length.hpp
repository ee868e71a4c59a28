#pragma once

#include <limits>
#include <string>

#include "carom/roll.hpp"

namespace carom {

/// Gaps up to this many lengths of the shortest body are small beside it.
inline constexpr double small_gap = 0.01;

/// The body with the least length of those that are more than a point.
struct ShortestBody {
  std::string name;                                         ///< empty: all bodies are points
  double length = std::numeric_limits<double>::infinity();  ///< greatest distance of two points, m
};
ShortestBody shortest_body(const RigidWorld& world);
/// Of the bodies that can lean, which have more than one point: without their radius.
ShortestBody shortest_base(const RigidWorld& world);

}  // namespace carom
