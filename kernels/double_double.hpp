#pragma once

#include <cmath>

#include "kernels/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// std::fmax and std::fmin may give either of +0 and -0, and processors differ; these do not.
CAROM_HOST_DEVICE inline double larger(double a, double b) { return a > b ? a : b; }
CAROM_HOST_DEVICE inline double smaller(double a, double b) { return a < b ? a : b; }

/// An unevaluated sum high + low of two doubles, about 32 digits, for the rare LCP that double
/// precision cannot decide. Error-free transformations after Dekker and Knuth; needs true IEEE
/// rounding and no contraction, as all of kernels/ does.
struct DoubleDouble {
  double high = 0.0;
  double low = 0.0;

  DoubleDouble() = default;
  CAROM_HOST_DEVICE constexpr DoubleDouble(double value) : high(value) {}
  CAROM_HOST_DEVICE constexpr DoubleDouble(double h, double l) : high(h), low(l) {}

  /// Sum of two doubles without error.
  CAROM_HOST_DEVICE static DoubleDouble exact_sum(double a, double b) {
    const double sum = a + b;
    const double part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
  }
  /// The same where |a| >= |b|.
  CAROM_HOST_DEVICE static DoubleDouble ordered_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
  }
  /// Product of two doubles without error.
  CAROM_HOST_DEVICE static DoubleDouble exact_product(double a, double b) {
    const double product = a * b;
    return {product, std::fma(a, b, -product)};
  }

  CAROM_HOST_DEVICE friend DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble sum = exact_sum(a.high, b.high);
    const DoubleDouble rest = exact_sum(a.low, b.low);
    const DoubleDouble once = ordered_sum(sum.high, sum.low + rest.high);
    return ordered_sum(once.high, once.low + rest.low);
  }
  CAROM_HOST_DEVICE friend DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }
  CAROM_HOST_DEVICE friend DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }
  CAROM_HOST_DEVICE friend DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble product = exact_product(a.high, b.high);
    const double rest = std::fma(a.high, b.low, std::fma(a.low, b.high, product.low));
    return ordered_sum(product.high, rest);
  }
  CAROM_HOST_DEVICE friend DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
    const double first = a.high / b.high;
    const DoubleDouble remainder = a - b * first;
    const double second = remainder.high / b.high;
    const double third = (remainder - b * second).high / b.high;
    return ordered_sum(first, second) + third;
  }
  CAROM_HOST_DEVICE friend bool operator<(DoubleDouble a, DoubleDouble b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
  CAROM_HOST_DEVICE friend bool operator<=(DoubleDouble a, DoubleDouble b) {
    return a.high < b.high || (a.high == b.high && a.low <= b.low);
  }
};

CAROM_HOST_DEVICE inline DoubleDouble multiply_add(DoubleDouble a, DoubleDouble b, DoubleDouble c) {
  return a * b + c;
}
CAROM_HOST_DEVICE inline double multiply_add(double a, double b, double c) {
  return std::fma(a, b, c);
}

CAROM_HOST_DEVICE inline DoubleDouble absolute(DoubleDouble a) { return a.high < 0.0 ? -a : a; }
CAROM_HOST_DEVICE inline double absolute(double a) { return std::fabs(a); }

/// The nearest double.
CAROM_HOST_DEVICE inline double rounded(DoubleDouble value) { return value.high; }
CAROM_HOST_DEVICE inline double rounded(double value) { return value; }

}  // namespace carom::inline CAROM_ISA
