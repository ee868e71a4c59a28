#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/signs/sign_equations.hpp"
#include "kernels/signs/sign_tableau.hpp"

namespace carom::inline CAROM_ISA {

/// All solutions of a step with one pattern of signs: a point, or two ends of a continuum.
template <int MaxCoordinates>
struct SolutionPiece {
  int ends = 1;         ///< 1: one velocity; 2: a continuum between these ends
  int dimensions = 0;   ///< of the continuum: 1 a segment; more: the ends are extremes of one speed
  int orientation = 0;  ///< of the equations: sign of their determinant, 0 if they are dependent
  std::uint8_t sign[MaxCoordinates];  ///< `no_sign` for frictions of a contact without impulse
  double x[2][MaxCoordinates];        ///< per end, see BoxForm
  double speed[2][MaxCoordinates];    ///< contact speeds after the step, in box form
};

/// Finds the solutions of a pattern of signs from a tableau whose bounds are those of the pattern
/// and whose values keep them.
template <int MaxCoordinates>
class PieceFinder {
 public:
  using Box = BoxForm<MaxCoordinates>;
  using Tableau = SignTableau<MaxCoordinates>;
  using Piece = SolutionPiece<MaxCoordinates>;

  CAROM_HOST_DEVICE PieceFinder(const Box& box, Tableau& tableau) : box_(box), tableau_(tableau) {}

  /// Completes a piece whose signs are set. The tableau is used up. False: within its tolerance,
  /// the tableau has solutions of these signs, but a speed that is not zero is rounding alone.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE bool find(Piece& piece) {
    const int n = box_.coordinates();
    SignEquations<MaxCoordinates> equations(box_, piece.sign);
    for (int c = 0; c < n; ++c) piece.x[0][c] = 0.0;
    equations.solve(piece.x[0]);
    piece.orientation = equations.orientation();
    piece.ends = 1;
    piece.dimensions = 0;
    if (!equations.is_regular()) {
      drive_out_fixed();
      const int fastest = fastest_speed(piece.dimensions);
      if (piece.dimensions > 0) {
        piece.ends = 2;
        admit_zero(piece.sign);
        drive(fastest, 1.0);
        read(piece.x[1]);
        equations.solve(piece.x[1]);
        drive(fastest, -1.0);
      }
      read(piece.x[0]);
      equations.solve(piece.x[0]);
    }
    for (int end = 0; end < piece.ends; ++end) {
      box_.speeds_of(piece.x[end], piece.speed[end]);
      for (int c = 0; c < n; ++c) {
        if (piece.sign[c] == zero) piece.speed[end][c] = 0.0;
      }
    }
    return has_its_signs(piece);
  }

 private:
  /// A speed may be zero at one end of a segment, and of a larger continuum at both.
  CAROM_HOST_DEVICE bool has_its_signs(const Piece& piece) const {
    const double least = 0.5 * box_.tolerances.feasible;
    for (int c = 0; c < box_.coordinates() && piece.dimensions < 2; ++c) {
      const double side = piece.sign[c] == plus ? 1.0 : (piece.sign[c] == minus ? -1.0 : 0.0);
      if (side == 0.0) continue;
      if (!(larger(side * piece.speed[0][c], side * piece.speed[piece.ends - 1][c]) >= least)) {
        return false;
      }
    }
    return true;
  }

  CAROM_HOST_DEVICE bool is_free(int column) const {
    return tableau_.range(tableau_.nonbasic(column)) > 0.0;
  }

  /// Makes variables with a single value nonbasic, as far as they are independent.
  CAROM_HOST_DEVICE void drive_out_fixed() {
    for (int r = 0; r < tableau_.rows(); ++r) {
      const int variable = tableau_.basic(r);
      if (tableau_.range(variable) > 0.0) continue;
      int column = -1;
      double most = Tableau::least_pivot;
      for (int j = 0; j < tableau_.columns(); ++j) {
        const double size = std::fabs(tableau_.entry(r, j));
        if (!is_free(j) || !(size > most)) continue;
        most = size;
        column = j;
      }
      if (column < 0) continue;
      const double bound = tableau_.lower(variable);
      tableau_.exchange(r, column, bound - tableau_.value(variable), bound);
    }
  }

  /// Bounds of the closure: the ends of a continuum are where a strict sign ends.
  CAROM_HOST_DEVICE void admit_zero(const std::uint8_t* sign) {
    for (int c = 0; c < box_.coordinates(); ++c) {
      const int speed = tableau_.speed(c);
      if (sign[c] == plus) tableau_.bound(speed, 0.0, tableau_.upper(speed));
      if (sign[c] == minus) tableau_.bound(speed, tableau_.lower(speed), 0.0);
    }
  }

  /// How far a speed can move with a column.
  CAROM_HOST_DEVICE double movement(int speed, int column) const {
    return std::fabs(slope(speed, column)) * tableau_.range(tableau_.nonbasic(column));
  }

  /// The speed that the free columns move most; `dimensions`: columns that move any speed.
  CAROM_HOST_DEVICE int fastest_speed(int& dimensions) const {
    int fastest = -1;
    double most = 0.0;
    dimensions = 0;
    for (int j = 0; j < tableau_.columns(); ++j) {
      if (!is_free(j)) continue;
      bool moves = false;
      for (int c = 0; c < box_.coordinates(); ++c) {
        const double its = movement(tableau_.speed(c), j);
        if (!(its > box_.tolerances.strict)) continue;
        moves = true;
        if (!(its > most)) continue;
        most = its;
        fastest = tableau_.speed(c);
      }
      dimensions += moves ? 1 : 0;
    }
    return fastest;
  }

  /// Makes a variable as large (direction 1) or as small (-1) as the bounds allow: the simplex
  /// method from values that keep them.
  CAROM_HOST_DEVICE void drive(int variable, double direction) {
    for (int turn = 0; turn < Tableau::most_turns; ++turn) {
      const int column = improving_column(variable, direction, turn < Tableau::eager_turns);
      if (column < 0) return;
      const int entering = tableau_.nonbasic(column);
      const bool rises = slope(variable, column) * direction > 0.0;
      const double along = rises ? 1.0 : -1.0;
      const double limit = rises ? tableau_.upper(entering) : tableau_.lower(entering);
      double step = std::fabs(limit - tableau_.value(entering));
      int row = -1;
      double steepest = 0.0;
      for (int r = 0; r < tableau_.rows(); ++r) {
        const int its = tableau_.basic(r);
        const double rate = tableau_.entry(r, column) * along;
        if (!(std::fabs(rate) >= Tableau::least_pivot)) continue;
        const double bound = rate > 0.0 ? tableau_.upper(its) : tableau_.lower(its);
        const double until = larger((bound - tableau_.value(its)) / rate, 0.0);
        if (until > step || (until == step && std::fabs(rate) <= steepest)) continue;
        step = until;
        steepest = std::fabs(rate);
        row = r;
      }
      if (row < 0) {
        tableau_.shift(column, along * step, limit);
      } else {
        const int leaving = tableau_.basic(row);
        const bool up = tableau_.entry(row, column) * along > 0.0;
        const double bound = up ? tableau_.upper(leaving) : tableau_.lower(leaving);
        tableau_.exchange(row, column, bound - tableau_.value(leaving), bound);
      }
    }
  }

  /// Change of a variable with a column.
  CAROM_HOST_DEVICE double slope(int variable, int column) const {
    if (tableau_.is_basic(variable)) return tableau_.entry(tableau_.row_of(variable), column);
    return tableau_.column_of(variable) == column ? 1.0 : 0.0;
  }

  CAROM_HOST_DEVICE int improving_column(int variable, double direction, bool eager) const {
    int found = -1;
    double most = Tableau::least_pivot;
    for (int j = 0; j < tableau_.columns(); ++j) {
      const int its = tableau_.nonbasic(j);
      const double gain = direction * slope(variable, j);
      const double room = gain > 0.0 ? tableau_.upper(its) - tableau_.value(its)
                                     : tableau_.value(its) - tableau_.lower(its);
      if (room <= 0.0 || !(std::fabs(gain) > most)) continue;
      if (!eager && found >= 0 && its > tableau_.nonbasic(found)) continue;
      if (eager) most = std::fabs(gain);
      found = j;
    }
    return found;
  }

  /// x at the tableau's values.
  CAROM_HOST_DEVICE void read(double* x) const {
    for (int c = 0; c < box_.coordinates(); ++c) {
      const double value = tableau_.value(tableau_.impulse(c));
      const int normal = box_.normal[c];
      x[c] = c == normal ? value / box_.reach[c] : std::fma(box_.friction[c], x[normal], -value);
    }
  }

  const Box& box_;
  Tableau& tableau_;
};

}  // namespace carom::inline CAROM_ISA
