#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/signs/sign_equations.hpp"
#include "kernels/signs/sign_tableau.hpp"

namespace carom::inline CAROM_ISA {

/// A path of solutions: those of steps that start at `start + t direction`, followed by
/// complementary pivoting from t = infinity, where no contact has impulse, to t = -infinity. At
/// t = 0 they are the step's own, and the path may pass t = 0 several times.
///
/// Lemke's method follows such a path, too, but it ends at the first passage, and so it never
/// reaches the solutions at which t grows along the path. Their determinants are negative.
template <int MaxCoordinates>
class SolutionLine {
 public:
  using Box = BoxForm<MaxCoordinates>;
  /// Paths of twelve contacts take 60 turns; in one line of thousands, rounding makes a cycle.
  static constexpr int most_turns = 1000;

  CAROM_HOST_DEVICE explicit SolutionLine(const Box& box) : box_(box) {}

  /// Calls passage(sign) with the signs, as SolutionPiece::sign, where the path passes t = 0. In a
  /// continuum, t is zero from one change of the basis to the next: then with those at both and
  /// between them.
  /// @param direction per coordinate, of normals positive
  /// @param nudge per coordinate, below the step's tolerances: added to the start. If contacts are
  /// redundant, many speeds vanish together, and a path without it may never leave that point
  /// @return whether the path was followed to its end
  template <class Passage>
  CAROM_HOST_DEVICE bool follow(const double* direction, const double* nudge, Passage&& passage) {
    start(direction, nudge);
    for (turns_ = 0; turns_ < most_turns; ++turns_) {
      const Move move = next_move();
      report_passages(move, passage);
      if (!(move.length < INFINITY)) return slope_of(t_) < 0.0;
      make(move);
      if (is_lost_) return false;
    }
    return false;
  }

  /// Changes of the basis along the last path.
  CAROM_HOST_DEVICE int turns() const { return turns_; }

 private:
  using Tableau = SignTableau<MaxCoordinates, 1>;

  /// How far the entering variable moves, and which row then reaches its bound; -1: the entering
  /// variable reaches its own.
  struct Move {
    int row = -1;
    double length = INFINITY;
    double bound = INFINITY;
  };

  /// t so large that all contacts separate. It falls.
  CAROM_HOST_DEVICE void start(const double* direction, const double* nudge) {
    double last = 4.0 * box_.tolerances.strict;  // beyond any t that counts as zero
    is_lost_ = false;
    tableau_.start(box_);
    for (int c = 0; c < box_.coordinates(); ++c) {
      state_[c] = box_.is_normal(c) ? plus : minus;
      tableau_.nudge(tableau_.speed(c), nudge[c]);
      if (box_.is_normal(c)) last = larger(last, -2.0 * box_.start[c] / direction[c]);
    }
    t_ = tableau_.add_column(direction);
    column_ = tableau_.column_of(t_);
    along_ = -1.0;
    tableau_.shift(column_, last, last);
  }

  /// Of a variable along the path, per length.
  CAROM_HOST_DEVICE double slope_of(int variable) const {
    if (tableau_.is_basic(variable)) {
      return along_ * tableau_.entry(tableau_.row_of(variable), column_);
    }
    return tableau_.column_of(variable) == column_ ? along_ : 0.0;
  }

  CAROM_HOST_DEVICE bool is_speed(int variable) const {
    return variable >= tableau_.speed(0) && variable < tableau_.rest(0);
  }
  /// Of any variable but t.
  CAROM_HOST_DEVICE int coordinate_of(int variable) const {
    const int n = box_.coordinates();
    return variable < n ? variable : (variable < 2 * n ? variable - n : variable - 2 * n);
  }

  /// The value at which a basic variable that rises or falls has to leave the basis. Frictions of a
  /// contact without impulse have no sign, and so they have no such value.
  CAROM_HOST_DEVICE double stop_of(int variable, bool rises) const {
    const double none = rises ? INFINITY : -INFINITY;
    if (variable == t_) return none;
    const int c = coordinate_of(variable);
    const bool speed = is_speed(variable);
    if (!speed && box_.is_normal(c)) return rises ? tableau_.upper(variable) : 0.0;
    if (!box_.is_normal(c) && state_[box_.normal[c]] == plus) return none;
    if (speed) return state_[c] == (rises ? minus : plus) ? 0.0 : none;
    return state_[c] == zero && !rises ? 0.0 : none;
  }

  CAROM_HOST_DEVICE Move next_move() const {
    Move move;
    const int entering = tableau_.nonbasic(column_);
    if (entering < box_.coordinates() && box_.is_normal(entering)) {
      move.length = tableau_.range(entering);
    }
    double steepest = 0.0;
    for (int r = 0; r < tableau_.rows(); ++r) {
      const double slope = along_ * tableau_.entry(r, column_);
      const double size = std::fabs(slope);
      if (!(size >= Tableau::least_pivot)) continue;
      const int variable = tableau_.basic(r);
      const double bound = stop_of(variable, slope > 0.0);
      const double until = larger((bound - tableau_.value(variable)) / slope, 0.0);
      if (!(until < move.length || (until == move.length && size > steepest))) continue;
      move = {r, until, bound};
      steepest = size;
    }
    return move;
  }

  template <class Passage>
  CAROM_HOST_DEVICE void report_passages(const Move& move, Passage&& passage) {
    const double zero_t = box_.tolerances.feasible;
    const double slope = slope_of(t_);
    const double before = tableau_.value(t_);
    const double after = slope == 0.0 ? before : std::fma(slope, move.length, before);
    if (std::fabs(after) <= zero_t) {
      if (std::fabs(before) <= zero_t) report(0.5 * move.length, passage);
      report(move.length, passage);
    } else if (std::fabs(before) > zero_t && (before < 0.0) != (after < 0.0)) {
      report(-before / slope, passage);
    }
  }

  template <class Passage>
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void report(double length, Passage&& passage) {
    const double nothing = box_.tolerances.strict - box_.tolerances.feasible;
    std::uint8_t sign[MaxCoordinates];
    for (int c = 0; c < box_.coordinates(); ++c) {
      const int variable = tableau_.speed(c);
      const double speed = std::fma(slope_of(variable), length, tableau_.value(variable));
      sign[c] = speed > nothing ? plus : (speed < -nothing ? minus : zero);
      if (!box_.is_normal(c) && sign[box_.normal[c]] == plus) sign[c] = no_sign;
    }
    passage(static_cast<const std::uint8_t*>(sign));
  }

  CAROM_HOST_DEVICE void make(const Move& move) {
    if (move.row < 0) {
      const int variable = tableau_.nonbasic(column_);
      const double bound = along_ > 0.0 ? tableau_.upper(variable) : tableau_.lower(variable);
      tableau_.shift(column_, along_ * move.length, bound);
      continue_from(variable, bound > 0.0);
    } else {
      const int variable = tableau_.basic(move.row);
      tableau_.exchange(move.row, column_, move.bound - tableau_.value(variable), move.bound);
      continue_from(variable, move.bound > 0.0);
    }
  }

  /// What left the basis decides what enters it: the impulse of a speed, the speed of an impulse.
  CAROM_HOST_DEVICE void continue_from(int left, bool at_cap) {
    const int c = coordinate_of(left);
    const bool normal = box_.is_normal(c);
    if (is_speed(left)) {
      const bool from_plus = state_[c] == plus;
      if (normal && from_plus) place_frictions(c);
      state_[c] = zero;
      enter(!normal && from_plus ? tableau_.rest(c) : tableau_.impulse(c),
            normal && !from_plus ? -1.0 : 1.0);
    } else {
      const bool falls = normal ? at_cap : left == tableau_.impulse(c);
      state_[c] = falls ? minus : plus;
      enter(tableau_.speed(c), falls ? -1.0 : 1.0);
    }
  }

  /// Where many variables vanish together, rounding can make the one that has to enter basic
  /// already: there is no such path, and its tableau is not touched again.
  CAROM_HOST_DEVICE void enter(int variable, double along) {
    is_lost_ = is_lost_ || tableau_.is_basic(variable);
    if (is_lost_) return;
    column_ = tableau_.column_of(variable);
    along_ = along;
  }

  /// A contact gets impulse: its frictions slide to the side of their speeds.
  CAROM_HOST_DEVICE void place_frictions(int normal) {
    for (int c = normal + 1; c < box_.coordinates() && box_.normal[c] == normal; ++c) {
      const std::uint8_t side = tableau_.value(tableau_.speed(c)) > 0.0 ? plus : minus;
      if (side == state_[c]) continue;
      const int leaving = side == plus ? tableau_.rest(c) : tableau_.impulse(c);
      const int entering = side == plus ? tableau_.impulse(c) : tableau_.rest(c);
      is_lost_ = is_lost_ || !tableau_.is_basic(leaving) || tableau_.is_basic(entering);
      if (is_lost_) return;
      tableau_.exchange(tableau_.row_of(leaving), tableau_.column_of(entering),
                        -tableau_.value(leaving), 0.0);
      state_[c] = side;
    }
  }

  const Box& box_;
  Tableau tableau_;
  std::uint8_t state_[MaxCoordinates];  // signs; of a friction without impulse, its last
  int t_ = 0;                           // variable
  int column_ = 0;                      // of the variable that moves
  double along_ = 1.0;
  bool is_lost_ = false;
  int turns_ = 0;
};

}  // namespace carom::inline CAROM_ISA
