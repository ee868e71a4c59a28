#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/laws/plan_list.hpp"

namespace carom {

/// The trees of a plan's problems, learned from the pivot paths of a few trajectories each.
/// Outcomes do not depend on the trees, only the speed does.
class PivotTreeStore {
 public:
  /// Trees for a plan under the set-valued law. Empty if the plan cannot use trees, or has too few
  /// trajectories per problem.
  PivotTreeStore(const SamplingPlan& plan, std::uint64_t problems, std::uint64_t trajectories);

  /// One per problem; null if there are none.
  const PivotTree* trees() const { return trees_.empty() ? nullptr : trees_.data(); }

 private:
  std::vector<PivotTree> trees_;
  std::vector<std::unique_ptr<PivotNode[]>> nodes_;
  std::vector<std::unique_ptr<PivotLeaf[]>> leaves_;
  std::vector<std::unique_ptr<std::int16_t[]>> children_;
};

}  // namespace carom
