#pragma once

#include "kernels/base/double_double.hpp"
#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// cos and sin of a quarter turn times quarter / count, which is at most half a quarter turn.
CAROM_HOST_DEVICE inline void half_quadrant(int quarter, int count, double& cosine, double& sine) {
  cosine = 1.0;
  sine = 0.0;
  if (quarter == 0) return;  // as of four directions: nothing else is needed
  const DoubleDouble right_angle(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
  const DoubleDouble angle = right_angle * DoubleDouble(quarter) / DoubleDouble(count);
  DoubleDouble even(0.0);
  DoubleDouble odd(0.0);
  DoubleDouble power(1.0);   // angle^n / n!
  constexpr int terms = 28;  // (pi / 4)^28 / 28! < 1e-32
  for (int n = 0; n < terms; ++n) {
    DoubleDouble& sum = n % 2 == 0 ? even : odd;
    sum = n % 4 < 2 ? sum + power : sum - power;
    power = power * angle / DoubleDouble(n + 1);
  }
  cosine = even.high;
  sine = odd.high;
}

/// The k x d unit vectors that span a contact's friction cone: +1 and -1 in the plane, else equally
/// spaced, the first along the first tangent. Computed in double-double precision without the C
/// library, so that the rounded vectors have the same bits everywhere.
CAROM_HOST_DEVICE inline void write_friction_directions(int d, int k, double* directions) {
  if (d == 1) {
    directions[0] = 1.0;
    directions[1] = -1.0;
    return;
  }
  // Turning by quarters or halves is exact, so opposite directions cancel to the last bit.
  const int turn = k % 4 == 0 ? k / 4 : k / 2;
  for (int j = 0; j < k; ++j) {
    double& x = directions[2 * j];
    double& y = directions[2 * j + 1];
    if (j >= turn) {
      const double* before = &directions[2 * (j - turn)];
      x = turn == k / 2 ? -before[0] : -before[1];
      y = turn == k / 2 ? -before[1] : before[0];
      continue;
    }
    // 4 j / k quarter turns, less than two
    const bool obtuse = 4 * j > k;
    const int quarter = obtuse ? 2 * k - 4 * j : 4 * j;
    if (2 * quarter <= k) {
      half_quadrant(quarter, k, x, y);
    } else {
      half_quadrant(k - quarter, k, y, x);
    }
    if (obtuse) x = -x;
  }
}

}  // namespace carom::inline CAROM_ISA
