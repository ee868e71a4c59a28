#pragma once

#include <algorithm>

#include "carom/epsilon_net.hpp"

namespace carom {

/// How much of one net lies in another.
struct Coverage {
  double share = 0.0;     ///< of the members, within the other's epsilon of one of its members
  double farthest = 0.0;  ///< greatest distance of a member to the other; infinity if that is empty
};

/// The coverage of the members of `of` by the net `by`, in the metric of `by`; 0 without members.
inline Coverage coverage_of(const EpsilonNet& of, const EpsilonNet& by) {
  Coverage coverage;
  if (of.size() == 0) return coverage;
  const RowMatrixView members = of.velocity_rows();
  std::size_t near = 0;
  for (Eigen::Index i = 0; i < members.rows(); ++i) {
    const double distance = by.distance(members.row(i).data());
    near += distance <= by.epsilon() ? 1 : 0;
    coverage.farthest = std::max(coverage.farthest, distance);
  }
  coverage.share = static_cast<double>(near) / static_cast<double>(of.size());
  return coverage;
}

}  // namespace carom
