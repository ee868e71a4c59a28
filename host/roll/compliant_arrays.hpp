#pragma once

#include <vector>

#include "carom/compliant.hpp"
#include "carom/roll_options.hpp"
#include "kernels/compliant/compliant_plan.hpp"

namespace carom {

/// A system in compliant contact as flat arrays. It must not be moved, since its view points into
/// it.
class CompliantArrays {
 public:
  /// @param system validated
  explicit CompliantArrays(const CompliantSystem& system);
  CompliantArrays(const CompliantArrays&) = delete;
  CompliantArrays& operator=(const CompliantArrays&) = delete;

  using View = decltype(CompliantPlan::system);
  const View& view() const { return view_; }

 private:
  View flatten(const Springs& springs);
  View flatten(const SpringPlate& plate);
  View flatten(const PiecewiseAffine& table);

  std::vector<std::vector<double>> arrays_;
  View view_;
};

/// Sizes of the rows of a system's rollouts.
RolloutShape shape_of(const CompliantSystem& system, const RollOptions& options, int times);

}  // namespace carom
