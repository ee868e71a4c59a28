#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <vector>

namespace carom {

namespace multiprecision = boost::multiprecision;

using Integer = multiprecision::number<multiprecision::cpp_int_backend<>, multiprecision::et_off>;
using Rational =
    multiprecision::number<multiprecision::rational_adaptor<multiprecision::cpp_int_backend<>>,
                           multiprecision::et_off>;

using IntegerVector = std::vector<Integer>;
using RationalVector = std::vector<Rational>;
using RationalMatrix = std::vector<RationalVector>;  // rows

/// The number that a finite double stands for.
inline Rational exact(double value) { return Rational(value); }

/// The nearest doubles that are not above, and not below, `value`.
double rounded_down(const Rational& value);
double rounded_up(const Rational& value);

Integer dot(const IntegerVector& a, const IntegerVector& b);
Rational dot(const RationalVector& a, const RationalVector& b);

/// The greatest common divisor, >= 0.
Integer common_divisor(Integer a, Integer b);

/// The shortest integer vector that is a positive multiple of `vector`.
void make_primitive(IntegerVector& vector);
IntegerVector primitive(const RationalVector& vector);

/// a X = b by elimination; a is square and regular, each row of `b` one right-hand side.
RationalMatrix solve(const RationalMatrix& a, const RationalMatrix& b);

/// The first rows that are linearly independent of those before them, and the others as sums of
/// these: row i = weights[i] . (the rows `independent`).
struct RowBasis {
  std::vector<int> independent;
  RationalMatrix weights;
};
RowBasis row_basis(const RationalMatrix& rows);

}  // namespace carom
