#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/double_double.hpp"
#include "kernels/base/lanes.hpp"
#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

using SingleLane = Lanes<double, 1>;

/// A signed event function over a step: values and slopes (per step) at both ends. Its cubic
/// (Hermite) interpolant differs from it by the fourth power of the step.
struct GuardArc {
  double begin, begin_slope, end, end_slope;
};

/// Event functions over a step, without their signs, side by side.
template <class Row>
struct GuardArcs {
  Row begin, begin_slope, end, end_slope;

  /// Lanes, a bit each, that cannot reach zero: the control points of the cubic are below zero, and
  /// so is the cubic.
  CAROM_HOST_DEVICE std::uint32_t stay_below() const {
    return Row::below(larger(larger(begin, end), larger(after(), before())), Row::all(0.0));
  }
  /// The same from above.
  CAROM_HOST_DEVICE std::uint32_t stay_above() const {
    return Row::below(Row::all(0.0), smaller(smaller(begin, end), smaller(after(), before())));
  }

 private:
  static constexpr double third = 1.0 / 3.0;
  CAROM_HOST_DEVICE Row after() const { return fused(Row::all(third), begin_slope, begin); }
  CAROM_HOST_DEVICE Row before() const { return fused(Row::all(-third), end_slope, end); }
};

/// The first place in [0, until] at which a signed event function comes to zero from below; above 1
/// if it does not. 0: it is there, or beyond by rounding, and goes on.
class FirstCrossing {
 public:
  static constexpr double none = 2.0;

  CAROM_HOST_DEVICE static double of(const GuardArc& arc, double until = 1.0) {
    if (arc.begin >= 0.0 && arc.begin_slope > 0.0) return 0.0;
    return FirstCrossing(arc).find(until);
  }

 private:
  // begin + u (slope + u (square + u cube))
  CAROM_HOST_DEVICE explicit FirstCrossing(const GuardArc& arc)
      : begin_(arc.begin),
        slope_(arc.begin_slope),
        square_(3.0 * (arc.end - arc.begin) - 2.0 * arc.begin_slope - arc.end_slope),
        cube_(2.0 * (arc.begin - arc.end) + arc.begin_slope + arc.end_slope),
        end_(arc.end) {}

  CAROM_HOST_DEVICE double value(double u) const {
    return std::fma(u, std::fma(u, std::fma(u, cube_, square_), slope_), begin_);
  }
  CAROM_HOST_DEVICE double rate(double u) const {
    return std::fma(u, std::fma(3.0 * u, cube_, 2.0 * square_), slope_);
  }

  CAROM_HOST_DEVICE double find(double until) const {
    // Places of the least and greatest value: rate(u) = 0.
    double lowest = -1.0;
    double highest = none;
    const double radicand = std::fma(square_, square_, -3.0 * cube_ * slope_);
    if (radicand > 0.0) {
      const double root = std::sqrt(radicand);
      // The greatest value has a negative, the least a positive second derivative; both forms
      // avoid a difference of near numbers.
      const double far = square_ > 0.0 ? -(square_ + root) : root - square_;
      const double at_far = far / (3.0 * cube_);
      const double at_near = far == 0.0 ? none : slope_ / far;
      highest = square_ > 0.0 ? at_far : at_near;
      lowest = square_ > 0.0 ? at_near : at_far;
    }
    double from = 0.0;
    if (begin_ >= 0.0) {
      // Just flipped, and moving away: it may dip and come back.
      if (end_ < 0.0) return none;
      const bool dips = lowest > 0.0 && lowest < 1.0 && value(lowest) < 0.0;
      if (!dips) return end_ > 0.0 && begin_slope_is_flat() ? 0.0 : none;
      from = lowest;
    }
    if (!(from < until)) return none;
    const bool has_hump = highest > from && highest < until && value(highest) >= 0.0;
    if (!has_hump && (until < 1.0 ? value(until) : end_) < 0.0) return none;
    return bracketed(from, has_hump ? highest : until);
  }

  /// Begins on the guard without speed, and rises.
  CAROM_HOST_DEVICE bool begin_slope_is_flat() const { return slope_ == 0.0; }

  /// The zero between a place below and one that is not, by Newton's method within the bracket.
  CAROM_HOST_DEVICE double bracketed(double low, double high) const {
    constexpr int most = 60;
    constexpr double close = 0x1p-52;  // of a step
    double u = 0.5 * (low + high);
    if (begin_ < 0.0 && low == 0.0 && slope_ > 0.0) u = -begin_ / slope_;  // by first order
    for (int i = 0; i < most && high - low > close; ++i) {
      if (!(u > low && u < high)) u = 0.5 * (low + high);
      const double here = value(u);
      if (here < 0.0) {
        low = u;
      } else {
        high = u;
      }
      const double speed = rate(u);
      const double next = u - here / speed;
      if (speed > 0.0 && std::fabs(next - u) <= close) return larger(low, smaller(next, high));
      u = speed > 0.0 ? next : 0.5 * (low + high);
    }
    return high;
  }

  double begin_, slope_, square_, cube_, end_;
};

}  // namespace carom::inline CAROM_ISA
