#pragma once

#include <cmath>

#include "kernels/base/qualifiers.hpp"
#include "kernels/base/sine_cosine.hpp"

namespace carom::inline CAROM_ISA {

/// Signed distance of a point from something, and the direction from there to the point.
struct Separation {
  double gap;
  double normal[2];
};

/// Of the point (x, y) from the origin; upwards where there is none.
CAROM_HOST_DEVICE inline Separation away(double x, double y) {
  const double distance = std::sqrt(std::fma(x, x, y * y));
  if (!(distance > 0.0)) return {0.0, {0.0, 1.0}};
  return {distance, {x / distance, y / distance}};
}

/// Turns a vector by an angle: from the coordinates of a body to those of the world.
CAROM_HOST_DEVICE inline void turn_forth(const SineCosine& turn, const double* from, double* to) {
  to[0] = std::fma(turn.cosine, from[0], -turn.sine * from[1]);
  to[1] = std::fma(turn.sine, from[0], turn.cosine * from[1]);
}

/// Turns a vector against an angle: from the world to a body.
CAROM_HOST_DEVICE inline void turn_back(const SineCosine& turn, const double* from, double* to) {
  to[0] = std::fma(turn.cosine, from[0], turn.sine * from[1]);
  to[1] = std::fma(-turn.sine, from[0], turn.cosine * from[1]);
}

/// Whether a corner is the first of its body to come to an edge with this normal.
/// @param sides of the corner, see PlanarContactView
CAROM_HOST_DEVICE inline bool leads(const double* normal, const double (&sides)[2][2]) {
  constexpr double least = -0.1;  // edges that land flat turn in the step before
  bool leads = true;
  for (const double* side : sides) {
    leads = leads && std::fma(normal[0], side[0], normal[1] * side[1]) >= least;
  }
  return leads;
}

/// A corner of a convex polygon, and its two sides: unit vectors away from it, and their lengths.
struct PolygonCorner {
  double point[2];
  double sides[2][2];
  double lengths[2];
};

/// The corner of a polygon of this number of corners (2 numbers each).
CAROM_HOST_DEVICE inline PolygonCorner corner_of(int count, const double* corners, int index) {
  PolygonCorner found;
  const double* const its = corners + 2 * index;
  const int neighbours[2] = {index + 1 == count ? 0 : index + 1,
                             index == 0 ? count - 1 : index - 1};
  for (int s = 0; s < 2; ++s) {
    const double* const end = corners + 2 * neighbours[s];
    const Separation side = away(end[0] - its[0], end[1] - its[1]);
    found.point[s] = its[s];
    found.lengths[s] = side.gap;
    for (int i = 0; i < 2; ++i) found.sides[s][i] = side.normal[i];
  }
  return found;
}

/// Where sides of two corners cross, of which neither is in the other's polygon: how far the first
/// is beyond a side of the other, or the other beyond one of the first's, of the sides that this
/// corner can be the first to touch, the least; and this side's normal, towards the first. A gap of
/// 0: no sides cross, or other corners come first.
CAROM_HOST_DEVICE inline Separation crossing(const PolygonCorner& one, const PolygonCorner& other) {
  const double from[2] = {one.point[0] - other.point[0], one.point[1] - other.point[1]};
  bool crosses = false;
  for (int s = 0; s < 2; ++s) {
    for (int t = 0; t < 2; ++t) {
      const double* const a = one.sides[s];
      const double* const b = other.sides[t];
      const double turn = std::fma(a[0], b[1], -a[1] * b[0]);
      const double along_a = std::fma(b[0], from[1], -b[1] * from[0]) / turn;
      const double along_b = std::fma(a[0], from[1], -a[1] * from[0]) / turn;
      crosses = crosses || (along_a > 0.0 && along_a < one.lengths[s] && along_b > 0.0 &&
                            along_b < other.lengths[t]);
    }
  }
  Separation least{-INFINITY, {0.0, 1.0}};
  for (int s = 0; crosses && s < 2; ++s) {
    for (int whose = 0; whose < 2; ++whose) {
      const bool of_other = whose == 0;
      const PolygonCorner& its = of_other ? other : one;
      // The inside of a polygon is on the left of its first side, on the right of its second.
      const double sign = s == 0 ? 1.0 : -1.0;
      const double outward[2] = {sign * its.sides[s][1], -sign * its.sides[s][0]};
      if (!leads(outward, of_other ? one.sides : other.sides)) continue;
      const double towards = of_other ? 1.0 : -1.0;
      const double normal[2] = {towards * outward[0], towards * outward[1]};
      const double height = std::fma(normal[0], from[0], normal[1] * from[1]);
      if (height < 0.0 && height > least.gap) least = {height, {normal[0], normal[1]}};
    }
  }
  return least.gap == -INFINITY ? Separation{0.0, {0.0, 1.0}} : least;
}

/// Of a point from a convex polygon. Inside, the nearest edge counts. A corner of another polygon
/// touches only edges that its body can touch with this corner first: a block that slides over
/// the end of another one would hit this end's side by a rounding error. While the point is
/// outside of such a side alone, its gap has the normal of the edge that it can touch; by less than
/// the slack, it is not outside: of two bodies on a floor, neither slides under the other because
/// it has sunk by a rounding error more. Where corners meet, the direction from one to the other is
/// rounding, and so is which of two edges is nearer: at the surface an edge counts, of two the more
/// level one, so that a block slides over the seam between two others. Where a corner has passed
/// the tip of another one within a step, both are outside, and their sides cross.
/// @param slack m: more than contacts that are kept penetrate
/// @param passed m: within a part of a step, corners that meet come no farther from each other
/// @param gravity its direction, in the polygon's coordinates; of any length
/// @param corners 2 numbers each, counter-clockwise
/// @param from the corner that is the point, see PlanarContactView; without sides, any point
CAROM_HOST_DEVICE inline Separation polygon_separation(int count, const double* corners,
                                                       const PolygonCorner& from,
                                                       const double (&gravity)[2], double slack,
                                                       double passed) {
  const double* const point = from.point;
  int nearest = 0;
  Separation edge{-INFINITY, {0.0, 1.0}};
  Separation open = edge;  // of the edges that the corner can touch
  Separation corner{INFINITY, {0.0, 1.0}};
  bool beside_an_edge = false;
  double level = 0.0;  // of `open`: the share of gravity along its normal
  const double tie = 0.25 * slack;
  constexpr double rounding = 1.0 + 1e-9;
  for (int i = 0; i < count; ++i) {
    const double* a = corners + 2 * i;
    const double* b = corners + 2 * (i + 1 == count ? 0 : i + 1);
    const double side[2] = {b[0] - a[0], b[1] - a[1]};
    const double length = std::sqrt(std::fma(side[0], side[0], side[1] * side[1]));
    const double normal[2] = {side[1] / length, -side[0] / length};
    const double off[2] = {point[0] - a[0], point[1] - a[1]};
    const double height = std::fma(normal[0], off[0], normal[1] * off[1]);
    const double along = std::fma(side[0], off[0], side[1] * off[1]) / length;
    if (height > edge.gap) {
      edge = {height, {normal[0], normal[1]}};
      beside_an_edge = along >= 0.0 && along <= length;
    }
    if (leads(normal, from.sides)) {
      const double its = std::fabs(std::fma(normal[0], gravity[0], normal[1] * gravity[1]));
      const bool tied = std::fabs(height - open.gap) <= tie;
      if (tied ? its > rounding * level : height > open.gap) {
        open = {larger(height, open.gap), {normal[0], normal[1]}};
        level = its;
      } else {
        open.gap = larger(height, open.gap);
      }
    }
    const Separation its = away(off[0], off[1]);
    if (its.gap < corner.gap) {
      corner = its;
      nearest = i;
    }
  }
  if (edge.gap > slack && corner.gap < passed && from.lengths[0] > 0.0) {
    const Separation crossed = crossing(from, corner_of(count, corners, nearest));
    if (crossed.gap < -slack) return crossed;
  }
  const Separation found = edge.gap <= 0.0 || beside_an_edge ? edge : corner;
  if (open.gap == -INFINITY) return found;
  if (edge.gap <= slack) return open;
  if (open.gap == edge.gap) return found;
  open.gap = found.gap;
  return open;
}

}  // namespace carom::inline CAROM_ISA
