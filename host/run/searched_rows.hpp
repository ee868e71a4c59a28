#pragma once

#include "carom/post_impact_set.hpp"

namespace carom {

/// The outcomes of the set's search as rows of nv numbers; none without a search.
inline RowMatrixView searched_rows(const PostImpactSet& set) {
  const Eigen::Index nv = set.net.velocity_rows().cols();
  if (!set.search) return {nullptr, 0, nv};
  const std::vector<double>& velocity = set.search->velocity;
  return {velocity.data(), static_cast<Eigen::Index>(velocity.size()) / nv, nv};
}

}  // namespace carom
