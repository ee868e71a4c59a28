#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

namespace carom::test {

using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using RealVector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// The largest impulse of those with which no contact approaches, by trying every set of contacts
/// that push; NaN where contacts depend on one another, so that there may be several.
inline Real largest_by_sets(const RealMatrix& delassus, const RealVector& speed) {
  const auto m = static_cast<int>(speed.size());
  if (!Eigen::FullPivLU<RealMatrix>(delassus).isInvertible()) return NAN;
  for (int set = 1; set < 1 << m; ++set) {
    std::vector<int> pushing;
    for (int i = 0; i < m; ++i) {
      if ((set >> i & 1) != 0) pushing.push_back(i);
    }
    const Eigen::FullPivLU<RealMatrix> own(RealMatrix(delassus(pushing, pushing)));
    if (!own.isInvertible()) continue;
    const RealVector impulse = own.solve(-speed(pushing));
    const RealVector after = speed + delassus(Eigen::all, pushing) * impulse;
    const Real rounding = 1e-15L * speed.cwiseAbs().maxCoeff();
    if (impulse.minCoeff() >= 0 && after.minCoeff() >= -rounding) return impulse.maxCoeff();
  }
  return NAN;
}

}  // namespace carom::test
