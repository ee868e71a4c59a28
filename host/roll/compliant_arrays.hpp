#pragma once

#include <vector>

#include "carom/compliant.hpp"
#include "carom/roll_options.hpp"
#include "kernels/compliant/compliant_plan.hpp"

namespace carom {

/// A system in compliant contact as flat arrays. It must not be moved, since plans point into it.
class CompliantArrays {
 public:
  /// @param system validated
  explicit CompliantArrays(const CompliantSystem& system);
  CompliantArrays(const CompliantArrays&) = delete;
  CompliantArrays& operator=(const CompliantArrays&) = delete;

  using View = decltype(CompliantPlan::system);
  const View& view() const { return view_; }
  /// nq each, or null if there are no bounds.
  const double* lowest() const { return lowest_.empty() ? nullptr : lowest_.data(); }
  const double* highest() const { return highest_.empty() ? nullptr : highest_.data(); }

 private:
  View flatten(const Springs& springs);
  View flatten(const SpringPlate& plate);
  View flatten(const PiecewiseAffine& table);
  View flatten(const SpringBiped& biped);

  std::vector<std::vector<double>> arrays_;
  View view_;
  std::vector<double> lowest_;
  std::vector<double> highest_;
};

/// The greatest rate of a system's motions while nothing opens or closes, 1/s: the largest absolute
/// eigenvalue of x' = A x with no contact or all of them, plates and bipeds level, and of each
/// field of a table.
double fastest_rate(const CompliantSystem& system);

/// Sizes of the rows of a system's rollouts.
RolloutShape shape_of(const CompliantSystem& system, const RollOptions& options, int times);

}  // namespace carom
