#pragma once

#include <cmath>

#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// The result of std::fmax and std::fmin for +0 and -0 depends on the processor; that of these
/// functions does not.
CAROM_HOST_DEVICE inline double larger(double a, double b) { return a > b ? a : b; }
CAROM_HOST_DEVICE inline double smaller(double a, double b) { return a < b ? a : b; }

// The functions of Lanes for a single number, so that one formula serves both.
CAROM_HOST_DEVICE inline double fused(double a, double b, double c) { return std::fma(a, b, c); }

/// An unevaluated sum high + low of two doubles, about 32 digits, for the rare LCP that double
/// precision cannot decide. Uses the error-free transformations of Dekker and Knuth; requires IEEE
/// rounding without contraction, as all of kernels/ does. T is double, or Lanes of doubles.
template <class T>
struct BasicDoubleDouble {
  T high{};
  T low{};

  BasicDoubleDouble() = default;
  CAROM_HOST_DEVICE constexpr BasicDoubleDouble(T value) : high(value) {}
  CAROM_HOST_DEVICE constexpr BasicDoubleDouble(T h, T l) : high(h), low(l) {}

  /// Sum of two doubles without error.
  CAROM_HOST_DEVICE static BasicDoubleDouble exact_sum(T a, T b) {
    const T sum = a + b;
    const T part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
  }
  /// The same for |a| >= |b|.
  CAROM_HOST_DEVICE static BasicDoubleDouble ordered_sum(T a, T b) {
    const T sum = a + b;
    return {sum, b - (sum - a)};
  }
  /// Product of two doubles without error.
  CAROM_HOST_DEVICE static BasicDoubleDouble exact_product(T a, T b) {
    const T product = a * b;
    return {product, fused(a, b, -product)};
  }

  CAROM_HOST_DEVICE friend BasicDoubleDouble operator+(BasicDoubleDouble a, BasicDoubleDouble b) {
    const BasicDoubleDouble sum = exact_sum(a.high, b.high);
    const BasicDoubleDouble rest = exact_sum(a.low, b.low);
    const BasicDoubleDouble once = ordered_sum(sum.high, sum.low + rest.high);
    return ordered_sum(once.high, once.low + rest.low);
  }
  CAROM_HOST_DEVICE friend BasicDoubleDouble operator-(BasicDoubleDouble a) {
    return {-a.high, -a.low};
  }
  CAROM_HOST_DEVICE friend BasicDoubleDouble operator-(BasicDoubleDouble a, BasicDoubleDouble b) {
    return a + -b;
  }
  CAROM_HOST_DEVICE friend BasicDoubleDouble operator*(BasicDoubleDouble a, BasicDoubleDouble b) {
    const BasicDoubleDouble product = exact_product(a.high, b.high);
    const T rest = fused(a.high, b.low, fused(a.low, b.high, product.low));
    return ordered_sum(product.high, rest);
  }
  CAROM_HOST_DEVICE friend BasicDoubleDouble operator/(BasicDoubleDouble a, BasicDoubleDouble b) {
    const T first = a.high / b.high;
    const BasicDoubleDouble remainder = a - b * first;
    const T second = remainder.high / b.high;
    const T third = (remainder - b * second).high / b.high;
    return ordered_sum(first, second) + third;
  }
  CAROM_HOST_DEVICE friend bool operator<(BasicDoubleDouble a, BasicDoubleDouble b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
  CAROM_HOST_DEVICE friend bool operator<=(BasicDoubleDouble a, BasicDoubleDouble b) {
    return a.high < b.high || (a.high == b.high && a.low <= b.low);
  }
};
using DoubleDouble = BasicDoubleDouble<double>;

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
