#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "carom/impact_problem.hpp"
#include "kernels/modes/mode_table_view.hpp"

namespace carom {

/// Positions of a contact's states, given its number of kinds of friction: one without friction; in
/// the plane stick and 2 vertices; in space stick, k vertices and k edges.
struct StatePlaces {
  int frictions = 1;

  static constexpr int none = 0;
  int below_cap(int friction = 0) const { return 1 + friction; }
  int at_cap(int friction = 0) const { return 1 + frictions + friction; }
  /// In tables of given modes only: touches without friction, since its neighbours prevent slip.
  int idle_below_cap() const { return 1 + 2 * frictions; }
  int idle_at_cap() const { return 2 + 2 * frictions; }

  /// The same with friction that prevents slip.
  int sticking(int place) const {
    if (place == idle_below_cap()) return below_cap();
    return place == idle_at_cap() ? at_cap() : place;
  }
};

/// mode_count() of a validated problem.
double count_modes(const ImpactProblem& problem);

StatePlaces state_places(const ImpactProblem& problem, int contact);
/// The place of a state among a contact's states in the step LCP.
int place_of(const ImpactProblem& problem, int contact, const ContactState& state);
/// How a place is written in a mode: a digit, a letter from 10 on, and from 36 on a number in
/// parentheses.
std::string place_digit(int place);

/// All contact modes of a problem, in the form of ModeTableView.
class ModeTable {
 public:
  /// @param capped the step LCP; false: the simultaneous law, without caps
  /// @param trajectories that take steps by the table: for one, sorting the filter takes longer
  /// than it saves
  /// @throws InputError if there are more than max_modes
  ModeTable(const ImpactProblem& problem, bool capped, std::uint64_t trajectories);

  /// A table of the given modes, in their order, each once, without modes that have no unique
  /// solution. Contacts without friction that might also stick do stick, if that is unique.
  /// @param modes the contacts' states of each mode, see StatePlaces
  ModeTable(const ImpactProblem& problem, const std::vector<std::vector<int>>& modes);

  ModeTableView view() const;
  /// The states of a contact, indexed by the digit of a mode's number.
  const std::vector<ContactState>& states(int contact) const {
    return states_[static_cast<std::size_t>(contact)];
  }
  /// The places of all contacts, see place_digit().
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

/// The mode tables of a plan's problems; the plan points into them.
class ModeTables {
 public:
  void add(std::unique_ptr<ModeTable> table) {
    views_.push_back(table->view());
    tables_.push_back(std::move(table));
  }
  /// Null while empty.
  const ModeTableView* views() const { return views_.empty() ? nullptr : views_.data(); }

 private:
  std::vector<std::unique_ptr<ModeTable>> tables_;
  std::vector<ModeTableView> views_;
};

}  // namespace carom
