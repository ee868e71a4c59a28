#pragma once

#include <cstdint>

#include "kernels/random/philox.hpp"
#include "kernels/signs/allow_signs.hpp"
#include "kernels/signs/solution_line.hpp"
#include "kernels/signs/solution_piece.hpp"

namespace carom::inline CAROM_ISA {

/// What lines did, and whether they may have found all solutions.
struct LinesReport {
  int lines = 0;
  int turns = 0;       ///< of all lines
  int cut = 0;         ///< lines that met the limit of turns
  bool room = true;    ///< false: there were more patterns than fit
  bool parity = true;  ///< false: there are none, or their orientations prove that some are missing
};

/// Solutions of a step along random lines (SolutionLine), for steps that are too large for
/// SignSearch. Lines may miss solutions. If all solutions are regular, their orientations add up to
/// one, the degree of the piecewise linear map; if those found do not, some are missing. Of
/// continua, and of solutions with a speed of zero and an impulse at its bound, the equations do
/// not tell the degree.
template <int MaxCoordinates>
class SignLines {
 public:
  using Box = BoxForm<MaxCoordinates>;
  using Tableau = SignTableau<MaxCoordinates>;
  using Piece = SolutionPiece<MaxCoordinates>;
  static constexpr int least_lines = 8;
  static constexpr int most_lines = 4 * least_lines;
  static constexpr int most_patterns = 64;

  CAROM_HOST_DEVICE explicit SignLines(const Box& box) : box_(box), line_(box) {}

  /// Tries rest, and follows lines until the orientations add up and half of the lines have found
  /// nothing new.
  /// Calls found(piece) for the solutions of each pattern of signs; it returns whether it accepts
  /// them.
  template <class Found>
  CAROM_HOST_DEVICE LinesReport run(const Philox& random, std::uint32_t step, Found&& found) {
    meet_rest(found);
    int last_new = 0;  // the line that last found a piece
    while (report_.lines < most_lines) {
      const int known = pieces_;
      follow(random, step, found);
      if (pieces_ > known) last_new = report_.lines;
      if (report_.lines >= least_lines && report_.parity && 2 * last_new <= report_.lines) break;
    }
    return report_;
  }

  /// Follows the next line.
  template <class Found>
  CAROM_HOST_DEVICE const LinesReport& follow(const Philox& random, std::uint32_t step,
                                              Found&& found) {
    double direction[MaxCoordinates];
    double nudge[MaxCoordinates];
    draw_line(random, step, direction, nudge);
    ++report_.lines;
    const bool whole =
        line_.follow(direction, nudge, [&](const std::uint8_t* sign) { meet(sign, found); });
    report_.cut += whole ? 0 : 1;
    report_.turns += line_.turns();
    report_.parity = pieces_ > 0 && (orientations_ == 1 || !regular_);
    return report_;
  }

 private:
  CAROM_HOST_DEVICE void draw_line(const Philox& random, std::uint32_t step, double* direction,
                                   double* nudge) const {
    constexpr double least = 0x1p-4;  // of normals, so that no line starts far away
    constexpr double small = 0x1p-5;  // of the tolerance
    constexpr int line_shift = 12;
    for (int c = 0; c < box_.coordinates(); ++c) {
      double pair[2];
      random.uniform_pair(step, Purpose::line,
                          static_cast<std::uint32_t>(report_.lines << line_shift | c), pair);
      direction[c] = box_.is_normal(c) ? pair[0] + least : 2.0 * pair[0] - 1.0;
      nudge[c] = small * (2.0 * pair[1] - 1.0) * box_.tolerances.feasible;
    }
  }

  /// Whether all contacts can stop. Where contacts are redundant, few lines pass this solution.
  template <class Found>
  CAROM_HOST_DEVICE void meet_rest(Found&& found) {
    std::uint8_t sign[MaxCoordinates];
    for (int c = 0; c < box_.coordinates(); ++c) sign[c] = zero;
    meet(sign, found);
  }

  template <class Found>
  CAROM_HOST_DEVICE void meet(const std::uint8_t* sign, Found&& found) {
    if (is_known(sign)) return;
    if (patterns_ == most_patterns) {
      report_.room = false;
      return;
    }
    for (int c = 0; c < box_.coordinates(); ++c) sign_[patterns_][c] = piece_.sign[c] = sign[c];
    ++patterns_;
    tableau_.start(box_);
    for (int c = 0; c < box_.coordinates(); ++c) {
      if (sign[c] != no_sign) allow_signs(box_, tableau_, c, sign[c], -INFINITY, INFINITY);
    }
    int exchanges = 0;
    if (tableau_.repair(box_.tolerances.feasible, exchanges) == Repair::infeasible) return;
    if (!PieceFinder<MaxCoordinates>(box_, tableau_).find(piece_)) return;
    if (!found(static_cast<const Piece&>(piece_))) return;
    ++pieces_;
    orientations_ += piece_.orientation;
    regular_ = regular_ && piece_.orientation != 0 && !is_weakly_active(piece_);
  }

  CAROM_HOST_DEVICE bool is_known(const std::uint8_t* sign) const {
    for (int p = 0; p < patterns_; ++p) {
      int c = 0;
      while (c < box_.coordinates() && sign_[p][c] == sign[c]) ++c;
      if (c == box_.coordinates()) return true;
    }
    return false;
  }

  /// Whether x of a coordinate with speed zero is at a bound.
  CAROM_HOST_DEVICE bool is_weakly_active(const Piece& piece) const {
    const double* const x = piece.x[0];
    for (int c = 0; c < box_.coordinates(); ++c) {
      if (piece.sign[c] != zero) continue;
      const int normal = box_.normal[c];
      const double inside = c == normal ? smaller(x[c], box_.cap[c] - x[c]) * box_.reach[c]
                                        : std::fma(box_.friction[c], x[normal], -std::fabs(x[c]));
      if (!(inside >= box_.tolerances.strict)) return true;
    }
    return false;
  }

  const Box& box_;
  SolutionLine<MaxCoordinates> line_;
  Tableau tableau_;
  Piece piece_;
  LinesReport report_;
  int patterns_ = 0;
  std::uint8_t sign_[most_patterns][MaxCoordinates];
  int pieces_ = 0;
  int orientations_ = 0;
  bool regular_ = true;  // all pieces
};

}  // namespace carom::inline CAROM_ISA
