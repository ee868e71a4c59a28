#pragma once

#include <cmath>

#include "kernels/base/double_double.hpp"
#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

struct SineCosine {
  double sine;
  double cosine;
};

/// Sine and cosine of an angle in rad, |angle| <= 2^30, within 1 ulp: the same bits on any
/// processor, which those of the C library and of a device are not.
///
/// The angle less a multiple of a right angle is high + low with |high| <= pi / 4; there, Taylor's
/// series are summed to below 1e-19.
CAROM_HOST_DEVICE inline SineCosine sine_cosine(double angle) {
  // A right angle in three parts, each what the parts before leave.
  constexpr double right_angle = 0x1.921fb54442d18p+0;
  constexpr double second_part = 0x1.1a62633145c07p-54;
  constexpr double third_part = -0x1.f1976b7ed8fbcp-110;
  constexpr double small = 0.785;  // below pi / 4, where there is nothing to take off
  double turns = 0.0;
  DoubleDouble rest = angle;
  if (!(std::fabs(angle) < small)) {
    turns = std::floor(angle / right_angle + 0.5);
    const DoubleDouble whole = DoubleDouble::exact_product(turns, right_angle);
    rest = DoubleDouble::exact_sum(angle - whole.high, -whole.low) -
           DoubleDouble::exact_product(turns, second_part) - DoubleDouble(turns * third_part);
  }
  const double x = rest.high;
  const double square = x * x;
  // 1 / n! with the signs of the series
  constexpr double sine_terms[] = {
      -1.0 / 6.0,        1.0 / 120.0,        -1.0 / 5040.0,          1.0 / 362880.0,
      -1.0 / 39916800.0, 1.0 / 6227020800.0, -1.0 / 1307674368000.0, 1.0 / 355687428096000.0};
  constexpr double cosine_terms[] = {
      1.0 / 24.0,        -1.0 / 720.0,         1.0 / 40320.0,          -1.0 / 3628800.0,
      1.0 / 479001600.0, -1.0 / 87178291200.0, 1.0 / 20922789888000.0, -1.0 / 6402373705728000.0};
  double odd = 0.0;
  double even = 0.0;
  for (int i = 7; i >= 0; --i) {
    odd = std::fma(odd, square, sine_terms[i]);
    even = std::fma(even, square, cosine_terms[i]);
  }
  const double half = 0.5 * square;
  const double near_one = 1.0 - half;
  const double sine = x + std::fma(x * square, odd, rest.low * near_one);
  const double cosine =
      near_one + (((1.0 - near_one) - half) + std::fma(square * square, even, -x * rest.low));
  switch (static_cast<int>(turns - 4.0 * std::floor(0.25 * turns))) {
    case 0:
      return {sine, cosine};
    case 1:
      return {cosine, -sine};
    case 2:
      return {-sine, -cosine};
    default:
      return {-cosine, sine};
  }
}

}  // namespace carom::inline CAROM_ISA
