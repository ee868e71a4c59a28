#pragma once

#include <cmath>

#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// Natural logarithm of a positive finite number, within 2 ulp away from 1: the same bits on any
/// processor, which those of the C library and of a device are not.
CAROM_HOST_DEVICE inline double logarithm(double x) {
  constexpr double half_root = 0x1.6a09e667f3bcdp-1;
  constexpr double ln2_high = 0x1.62e42fefa39efp-1;
  constexpr double ln2_low = 0x1.abc9e3b39803fp-56;
  int exponent = 0;
  double fraction = std::frexp(x, &exponent);  // exact
  if (fraction < half_root) {
    fraction *= 2.0;
    --exponent;
  }
  // 2 artanh(s), |s| <= 0.1716
  const double s = (fraction - 1.0) / (fraction + 1.0);
  const double square = s * s;
  double sum = 0.0;
  for (int odd = 21; odd >= 3; odd -= 2) sum = std::fma(sum, square, 1.0 / odd);
  const double near = 2.0 * std::fma(s * square, sum, s);
  return std::fma(static_cast<double>(exponent), ln2_high,
                  std::fma(static_cast<double>(exponent), ln2_low, near));
}

CAROM_HOST_DEVICE constexpr double polynomial(double, double last) { return last; }
/// first + x (next + x ...)
template <class... More>
CAROM_HOST_DEVICE double polynomial(double x, double first, More... more) {
  return std::fma(polynomial(x, more...), x, first);
}

/// The number below which a standard normal variable is with probability p, 0 < p < 1, to 1e-15
/// relative (Wichura's algorithm AS 241, 1988). Near p = 1 it is as coarse as p.
CAROM_HOST_DEVICE inline double normal_quantile(double p) {
  const double central = p - 0.5;
  if (std::fabs(central) <= 0.425) {
    const double r = std::fma(-central, central, 0.180625);
    return central *
           polynomial(r, 3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                      1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                      3.3430575583588128105e4, 2.5090809287301226727e3) /
           polynomial(r, 1.0, 4.2313330701600911252e1, 6.8718700749205790830e2,
                      5.3941960214247511077e3, 2.1213794301586595867e4, 3.9307895800092710610e4,
                      2.8729085735721942674e4, 5.2264952788528545610e3);
  }
  const double tail = std::sqrt(-logarithm(central < 0.0 ? p : 1.0 - p));
  double size = 0.0;
  if (tail <= 5.0) {
    const double r = tail - 1.6;
    size =
        polynomial(r, 1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
                   3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
                   2.27238449892691845833e-2, 7.74545014278341407640e-4) /
        polynomial(r, 1.0, 2.05319162663775882187e0, 1.67638483018380384940e0,
                   6.89767334985100004550e-1, 1.48103976427480074590e-1, 1.51986665636164571966e-2,
                   5.47593808499534494600e-4, 1.05075007164441684324e-9);
  } else {
    const double r = tail - 5.0;
    size =
        polynomial(r, 6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
                   2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                   2.71155556874348757815e-5, 2.01033439929228813265e-7) /
        polynomial(r, 1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1,
                   1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5,
                   1.42151175831644588870e-7, 2.04426310338993978564e-15);
  }
  return central < 0.0 ? -size : size;
}

}  // namespace carom::inline CAROM_ISA
