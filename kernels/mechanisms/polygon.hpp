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

/// Of a point from a convex polygon. Inside, the nearest edge counts. A corner of another polygon
/// touches only edges that its body can touch with this corner first: a block that slides over
/// the end of another one would hit this end's side by a rounding error. While the point is
/// outside of such a side alone, its gap has the normal of the edge that it can touch; by less than
/// the slack, it is not outside: of two bodies on a floor, neither slides under the other because
/// it has sunk by a rounding error more. Where corners meet, the direction from one to the other is
/// rounding, and so is which of two edges is nearer: at the surface an edge counts, of two the more
/// level one, so that a block slides over the seam between two others.
/// @param slack m: more than contacts that are kept penetrate
/// @param gravity its direction, in the polygon's coordinates; of any length
/// @param corners 2 numbers each, counter-clockwise
/// @param sides of the corner that is the point, see PlanarContactView
CAROM_HOST_DEVICE inline Separation polygon_separation(int count, const double* corners,
                                                       const double* point,
                                                       const double (&sides)[2][2],
                                                       const double (&gravity)[2], double slack) {
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
    const double from[2] = {point[0] - a[0], point[1] - a[1]};
    const double height = std::fma(normal[0], from[0], normal[1] * from[1]);
    const double along = std::fma(side[0], from[0], side[1] * from[1]) / length;
    if (height > edge.gap) {
      edge = {height, {normal[0], normal[1]}};
      beside_an_edge = along >= 0.0 && along <= length;
    }
    if (leads(normal, sides)) {
      const double its = std::fabs(std::fma(normal[0], gravity[0], normal[1] * gravity[1]));
      const bool tied = std::fabs(height - open.gap) <= tie;
      if (tied ? its > rounding * level : height > open.gap) {
        open = {larger(height, open.gap), {normal[0], normal[1]}};
        level = its;
      } else {
        open.gap = larger(height, open.gap);
      }
    }
    const Separation its = away(from[0], from[1]);
    if (its.gap < corner.gap) corner = its;
  }
  const Separation found = edge.gap <= 0.0 || beside_an_edge ? edge : corner;
  if (open.gap == -INFINITY) return found;
  if (edge.gap <= slack) return open;
  if (open.gap == edge.gap) return found;
  open.gap = found.gap;
  return open;
}

}  // namespace carom::inline CAROM_ISA
