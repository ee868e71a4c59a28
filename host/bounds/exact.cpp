#include "host/bounds/exact.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace carom {
namespace {

/// Within a few units in the last place; the ratio of the integers as doubles would overflow.
double near(const Rational& value) {
  const Integer top = multiprecision::abs(numerator(value));
  const Integer bottom = denominator(value);
  if (top == 0) return 0.0;
  constexpr int digits = 62;
  const int shift =
      digits + static_cast<int>(msb(bottom)) - static_cast<int>(msb(top));  // ratio near 2^digits
  const Integer ratio = shift >= 0 ? (top << shift) / bottom : top / (bottom << -shift);
  const double size = std::ldexp(static_cast<double>(ratio.convert_to<std::int64_t>()), -shift);
  return numerator(value) < 0 ? -size : size;
}

}  // namespace

double rounded_up(const Rational& value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double result = near(value);
  while (exact(result) < value) result = std::nextafter(result, infinity);
  for (;;) {
    const double less = std::nextafter(result, -infinity);
    if (exact(less) < value) return result;
    result = less;
  }
}

double rounded_down(const Rational& value) { return 0.0 - rounded_up(-value); }  // not -0

Integer dot(const IntegerVector& a, const IntegerVector& b) {
  Integer sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].is_zero() && !b[i].is_zero()) sum += a[i] * b[i];
  }
  return sum;
}

Rational dot(const RationalVector& a, const RationalVector& b) {
  Rational sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!a[i].is_zero() && !b[i].is_zero()) sum += a[i] * b[i];
  }
  return sum;
}

void make_primitive(IntegerVector& vector) {
  Integer divisor = 0;
  for (const Integer& entry : vector) {
    divisor = gcd(divisor, entry);
    if (divisor == 1) return;
  }
  if (divisor == 0) return;
  for (Integer& entry : vector) entry /= divisor;
}

IntegerVector primitive(const RationalVector& vector) {
  Integer common = 1;
  for (const Rational& entry : vector) common = lcm(common, denominator(entry));
  IntegerVector result;
  for (const Rational& entry : vector) {
    result.push_back(numerator(entry) * (common / denominator(entry)));
  }
  make_primitive(result);
  return result;
}

RationalMatrix solve(RationalMatrix a, const RationalMatrix& b) {
  const std::size_t size = a.size();
  RationalMatrix result(b.size(), RationalVector(size));
  for (std::size_t row = 0; row < size; ++row) {
    for (const RationalVector& side : b) a[row].push_back(side[row]);
  }
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    while (a[pivot][column].is_zero()) ++pivot;
    std::swap(a[column], a[pivot]);
    for (std::size_t row = 0; row < size; ++row) {
      if (row == column || a[row][column].is_zero()) continue;
      const Rational factor = a[row][column] / a[column][column];
      for (std::size_t j = column; j < a[row].size(); ++j) a[row][j] -= factor * a[column][j];
    }
  }
  for (std::size_t side = 0; side < b.size(); ++side) {
    for (std::size_t row = 0; row < size; ++row) {
      result[side][row] = a[row][size + side] / a[row][row];
    }
  }
  return result;
}

RowBasis row_basis(const RationalMatrix& rows) {
  RowBasis basis;
  struct Reduced {
    RationalVector row;
    RationalVector weights;  // of the independent rows
    std::size_t pivot;
  };
  std::vector<Reduced> reduced;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RationalVector rest = rows[i];
    RationalVector weights(reduced.size());
    for (const Reduced& known : reduced) {
      const Rational factor = rest[known.pivot] / known.row[known.pivot];
      if (factor.is_zero()) continue;
      for (std::size_t j = 0; j < rest.size(); ++j) rest[j] -= factor * known.row[j];
      for (std::size_t j = 0; j < known.weights.size(); ++j) {
        weights[j] += factor * known.weights[j];
      }
    }
    std::size_t pivot = 0;
    while (pivot < rest.size() && rest[pivot].is_zero()) ++pivot;
    if (pivot < rest.size()) {
      // rest = row i - weights . independent
      RationalVector own(weights.size());
      for (std::size_t j = 0; j < weights.size(); ++j) own[j] = -weights[j];
      own.emplace_back(1);
      reduced.push_back({rest, own, pivot});
      basis.independent.push_back(static_cast<int>(i));
      weights.assign(reduced.size() - 1, Rational(0));
      weights.emplace_back(1);
    }
    basis.weights.push_back(std::move(weights));
  }
  for (RationalVector& weights : basis.weights) weights.resize(reduced.size());
  return basis;
}

}  // namespace carom
