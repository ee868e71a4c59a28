#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/impact_problem.hpp"
#include "kernels/mode_table_view.hpp"

namespace carom {

/// All contact modes of a problem, as ModeTableView reads them.
class ModeTable {
 public:
  /// @param capped the step LCP; false: the simultaneous law, without caps
  /// @throws InputError if there are more than max_modes
  ModeTable(const ImpactProblem& problem, bool capped);

  /// Of the given modes alone, in their order; those without a unique solution are left out.
  /// @param modes for each the contacts' states, as places in states(contact)
  ModeTable(const ImpactProblem& problem, const std::vector<std::vector<int>>& modes);

  ModeTableView view() const;
  /// The states of a contact that a digit of a mode's number stands for.
  const std::vector<ContactState>& states(int contact) const {
    return states_[static_cast<std::size_t>(contact)];
  }
  /// One digit per contact (letters from 10 on).
  std::string digits(std::int32_t number) const;

 private:
  friend class ModeTableBuilder;

  std::vector<std::vector<ContactState>> states_;
  int inputs_ = 0;
  int impulses_ = 0;
  bool capped_ = true;
  std::vector<float> filter_;
  std::vector<std::int32_t> stage_start_, mode_number_;
  std::vector<double> map_, consistency_, segment_map_, segment_direction_;
  std::vector<ContactState> segment_state_;
};

}  // namespace carom
