#include "host/bounds/exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
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

using Word = multiprecision::limb_type;
constexpr int word_digits = std::numeric_limits<Word>::digits;
static_assert(word_digits == 64);

Word word(const Integer& number, unsigned place) {
  return place < number.backend().size() ? number.backend().limbs()[place] : 0;
}

/// The 62 digits of a number below the first `zeros` digits of its word `top`.
std::int64_t leading(const Integer& number, unsigned top, int zeros) {
  const Word high = word(number, top);
  const Word low = word(number, top - 1);
  const Word found = zeros == 0 ? high : high << zeros | low >> (word_digits - zeros);
  return static_cast<std::int64_t>(found >> 2);
}

/// Steps of Euclid's algorithm that the leading digits of a >= b decide: (a, b) becomes
/// (aa a + ab b, ba a + bb b).
struct EuclideanSteps {
  std::int64_t aa = 1, ab = 0, ba = 0, bb = 1;

  EuclideanSteps(std::int64_t a, std::int64_t b) {
    while (b + ba != 0 && b + bb != 0) {
      const std::int64_t quotient = (a + aa) / (b + ba);
      if (quotient != (a + ab) / (b + bb)) return;
      step(aa, ba, quotient);
      step(ab, bb, quotient);
      step(a, b, quotient);
    }
  }

  void take(Integer& a, Integer& b) const {
    const unsigned size = a.backend().size();
    const unsigned known = b.backend().size();
    b.backend().resize(size, size);
    Word* const a_words = a.backend().limbs();
    Word* const b_words = b.backend().limbs();
    std::fill(b_words + known, b_words + size, 0);
    Wide a_carry = 0;
    Wide b_carry = 0;
    for (unsigned i = 0; i < size; ++i) {
      const Wide from_a = a_words[i];
      const Wide from_b = b_words[i];
      a_carry += aa * from_a + ab * from_b;
      b_carry += ba * from_a + bb * from_b;
      a_words[i] = static_cast<Word>(a_carry);
      b_words[i] = static_cast<Word>(b_carry);
      a_carry >>= word_digits;
      b_carry >>= word_digits;
    }
    a.backend().normalize();
    b.backend().normalize();
  }

 private:
  __extension__ using Wide = __int128;

  static void step(std::int64_t& a, std::int64_t& b, std::int64_t quotient) {
    a = std::exchange(b, a - quotient * b);
  }
};

}  // namespace

// Lehmer's method (Knuth, The Art of Computer Programming 2, 4.5.2, algorithm L): Boost's binary
// method, which takes a pass over both numbers for each digit, took most of a bound's time.
Integer common_divisor(Integer a, Integer b) {
  a = multiprecision::abs(a);
  b = multiprecision::abs(b);
  if (a < b) a.swap(b);
  while (b.backend().size() > 1) {
    const unsigned top = a.backend().size() - 1;
    const int zeros = std::countl_zero(word(a, top));
    const EuclideanSteps steps(leading(a, top, zeros), leading(b, top, zeros));
    if (steps.ab == 0) {
      a %= b;
      a.swap(b);
    } else {
      steps.take(a, b);
    }
  }
  if (b.is_zero()) return a;
  return std::gcd(Integer(a % b).convert_to<std::uint64_t>(), b.convert_to<std::uint64_t>());
}

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
    divisor = common_divisor(divisor, entry);
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

// Without fractions (Bareiss, Sylvester's identity and multistep integer-preserving Gaussian
// elimination, 1968): a rational needs a greatest common divisor in each operation, which takes
// minutes for the mass matrix of a humanoid.
RationalMatrix solve(const RationalMatrix& a, const RationalMatrix& b) {
  const std::size_t size = a.size();
  std::vector<IntegerVector> rows;  // of a and b, each times a number
  for (std::size_t i = 0; i < size; ++i) {
    RationalVector row = a[i];
    for (const RationalVector& side : b) row.push_back(side[i]);
    rows.push_back(primitive(row));
  }
  Integer divisor = 1;  // of all entries below the last pivot
  for (std::size_t column = 0; column < size; ++column) {
    std::size_t pivot = column;
    while (rows[pivot][column].is_zero()) ++pivot;
    std::swap(rows[column], rows[pivot]);
    const IntegerVector& from = rows[column];
    for (std::size_t i = column + 1; i < size; ++i) {
      IntegerVector& to = rows[i];
      for (std::size_t j = column + 1; j < to.size(); ++j) {
        to[j] = (to[j] * from[column] - to[column] * from[j]) / divisor;
      }
    }
    divisor = from[column];
  }
  RationalMatrix result(b.size(), RationalVector(size));
  IntegerVector multiple(size);  // of an unknown: the determinant times it, an integer
  for (std::size_t side = 0; side < b.size(); ++side) {
    for (std::size_t i = size; i-- > 0;) {
      Integer rest = divisor * rows[i][size + side];
      for (std::size_t j = i + 1; j < size; ++j) rest -= rows[i][j] * multiple[j];
      multiple[i] = rest / rows[i][i];
      result[side][i] = Rational(multiple[i]) / Rational(divisor);
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
