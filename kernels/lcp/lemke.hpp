#pragma once

#include <cmath>

#include "kernels/lcp/lemke_exchange.hpp"
#include "kernels/lcp/row_set.hpp"

namespace carom::inline CAROM_ISA {

/// Lemke's method with lexicographic ties on a LemkeTableau, whose comment explains the parameters.
/// Only actual ties cost time. With Inputs > 0, a decision depends on the earlier pivots and the
/// inputs only: see PivotTree.
template <int MaxSize, class Real = double, int Inputs = 0, bool Whole = false,
          class Team = SoleThread>
class Lemke {
  using Tableau = LemkeTableau<MaxSize, Real, Inputs, Whole, Team>;
  using Bounds = typename Team::template Numbers<Real>;
  static constexpr int width = Tableau::width;
  static constexpr int rows = Tableau::rows;

 public:
  using Group = typename Tableau::Group;
  using Entry = Real;
  static constexpr int inputs = Inputs;
  /// Rows, followed by the unknowns whose bounds are limits.
  static constexpr int limits = rows + Tableau::max_bounded;
  using Limits = RowSet<limits>;

  /// Data of a decision besides the tableau; see limit_map() and limit_slope().
  struct Decision {
    int column;              ///< of the entering variable
    bool first;              ///< the covering variable enters: all rows and negative ratios count
    Real floor;              ///< a slope must exceed it to count
    Limits tied;             ///< the limits with the least ratio
    int limit;               ///< the selected limit
    Group negative_inverse;  ///< minus the inverse of the pivot, in every lane
  };

  CAROM_HOST_DEVICE LemkeOutcome solve(const LcpView& lcp, const LemkeTolerances& tolerances) {
    return solve(lcp, tolerances, [](const Decision&) {});
  }

  /// Calls `listener(decision)` before every decision is carried out.
  template <class Listener>
  CAROM_HOST_DEVICE LemkeOutcome solve(const LcpView& lcp, const LemkeTolerances& tolerances,
                                       Listener&& listener) {
    Team::once([&] { tolerances_ = tolerances; });
    tableau_.fill(lcp, tolerances.cancellation);
    const int pivot_limit = tolerances.pivots_per_row * (tableau_.size() + tableau_.bounded()) + 20;
    Decision decision = first_decision();
    if (decision.limit < 0) return LemkeOutcome::solved;
    while (pivots() < pivot_limit) {
      listener(decision);
      const int limit = decision.limit;
      const int leaving = limit < rows ? tableau_.basic(limit) : tableau_.size() + limit - rows;
      if (limit < rows) {
        tableau_.pivot(limit, decision.column, decision.negative_inverse);
      } else {
        tableau_.pivot_at_bound(limit - rows, decision.column, decision.negative_inverse);
      }
      if (leaving == tableau_.covering()) return LemkeOutcome::solved;
      decision = decide(tableau_.column_of_id(tableau_.complement(leaving)));
      if (decision.limit < 0) return LemkeOutcome::ray;
    }
    return LemkeOutcome::pivot_limit;
  }

  /// Writes the final basis' z at the unknowns' own indices; negative noise becomes zero.
  CAROM_HOST_DEVICE void solution(double* z) const { tableau_.solution(z); }
  /// The row of z_j, the j-th unknown in use; -1 if z_j is not basic.
  CAROM_HOST_DEVICE int row_of(int j) const { return tableau_.row_of(j); }
  CAROM_HOST_DEVICE bool is_reflected(int j) const { return tableau_.is_reflected(j); }
  /// For the final basis: derivatives of the rows of basic z_j with respect to bound j, for j <
  /// bounded, then to constant j - bounded.
  CAROM_HOST_DEVICE typename Tableau::Growth growth_with(int j) { return tableau_.growth_with(j); }
  /// Derivative of the basic variable of `row`, or of a bound's slack, with respect to an input.
  CAROM_HOST_DEVICE Real limit_map(int limit, int input) const {
    const int column = Tableau::constant_column + input;
    return limit < rows ? tableau_.entry(limit, column) : tableau_.slack(limit - rows, column);
  }
  /// Rate at which a limit is approached (at the first decision: left); 0 if it is no limit.
  CAROM_HOST_DEVICE Real limit_slope(int limit, const Decision& decision) const {
    if (limit < rows) {
      if (limit >= tableau_.size()) return Real(0.0);
      const Real entry = tableau_.entry(limit, decision.column);
      return decision.first ? entry : -entry;
    }
    const int j = limit - rows;
    if (decision.first || j >= tableau_.bounded() || !tableau_.has_room(j, decision.column)) {
      return Real(0.0);
    }
    return -tableau_.slack(j, decision.column);
  }

  CAROM_HOST_DEVICE int pivots() const { return tableau_.pivots(); }

 private:
  /// The row that the covering variable enters: the lexicographically least (constant, unit vector)
  /// / cover, hence the last row of a tie. None if z = 0 is a solution.
  CAROM_HOT CAROM_HOST_DEVICE Decision first_decision() {
    tableau_.bring(tableau_.size());
    const Group zero = Group::all(Real(0.0));
    Group ratio[rows / width];
    Group nearest = zero;
    for (int g = 0; g < tableau_.groups(); ++g) {
      const Group cover = tableau_.entries(g, tableau_.size());
      const Group inverse = Group::all(Real(1.0)) / cover;
      ratio[g] = Group::select(zero < cover, tableau_.constants(g) * inverse, zero);
      nearest = smaller(nearest, ratio[g]);
    }
    const Real least = least_of_all(nearest).first();
    Decision decision{tableau_.size(), true, Real(0.0), {}, -1, zero};
    if (!(least < Real(0.0))) return decision;
    decision.tied = rows_near(ratio, least, -least * static_cast<Real>(tolerances_.tie));
    decision.limit = decision.tied.last();
    decision.negative_inverse =
        -Group::all(Real(1.0) / tableau_.entry(decision.limit, decision.column));
    return decision;
  }

  /// The limit of the entering variable's growth; none on a ray.
  CAROM_HOT CAROM_HOST_DEVICE Decision decide(int column) {
    tableau_.bring(column);
    const Group zero = Group::all(Real(0.0));
    const Group one = Group::all(Real(1.0));
    const Group infinite = Group::all(Real(INFINITY));
    Group steepest = zero;
    for (int g = 0; g < tableau_.groups(); ++g) {
      steepest = smaller(steepest, tableau_.entries(g, column));
    }
    const Real floor = least_of_all(steepest).first() * static_cast<Real>(-tolerances_.pivot_floor);
    const Group floors = Group::all(floor);
    Decision decision{column, false, floor, {}, -1, zero};
    Group ratio[rows / width];
    Group nearest = infinite;
    for (int g = 0; g < tableau_.groups(); ++g) {
      const Group slope = -tableau_.entries(g, column);
      const Group inverse = one / slope;
      ratio[g] =
          Group::select(floors < slope, larger(tableau_.constants(g), zero) * inverse, infinite);
      nearest = smaller(nearest, ratio[g]);
    }
    Real least = least_of_all(nearest).first();
    Bounds bound_ratio[(Tableau::max_bounded + Team::threads - 1) / Team::threads];
    for (int j = 0; j < tableau_.bounded(); j += Team::threads) {
      const Bounds its = Bounds::each([&](int i) { return ratio_of_bound(j + i, column, floor); });
      bound_ratio[j / Team::threads] = its;
      const Real its_least = least_of_all(its).first();
      if (its_least < least) least = its_least;
    }
    if (!(least < Real(INFINITY))) return decision;
    const Real tie_width = least * static_cast<Real>(tolerances_.tie);
    decision.tied = rows_near(ratio, least, tie_width);
    for (int j = 0; j < tableau_.bounded(); j += Team::threads) {
      decision.tied.add(Bounds::at_most(bound_ratio[j / Team::threads] - Bounds::all(least),
                                        Bounds::all(tie_width)),
                        rows + j);
    }
    decision.limit = least_perturbed(column, decision.tied);
    decision.negative_inverse = -Group::all(
        Real(1.0) / (decision.limit < rows ? tableau_.entry(decision.limit, column)
                                           : tableau_.slack(decision.limit - rows, column)));
    return decision;
  }

  /// The entering variable at the bound of the j-th unknown; infinite if the bound is no limit.
  CAROM_HOST_DEVICE Real ratio_of_bound(int j, int column, Real floor) const {
    const Real none = Real(INFINITY);
    if (j >= tableau_.bounded() || !tableau_.has_room(j, column)) return none;
    const Real slope = -tableau_.slack(j, column);
    if (!(floor < slope)) return none;
    const Real constant = tableau_.slack_constant(j);
    return (Real(0.0) < constant ? constant : Real(0.0)) * (Real(1.0) / slope);
  }

  /// Of tied limits, the covering variable's row, or else the lexicographically least.
  CAROM_HOST_DEVICE int least_perturbed(int column, const Limits& tied) {
    if (!tied.has_several()) return tied.first();
    const int covering_row = tableau_.covering_row();
    return tied.has(covering_row) ? covering_row : lexicographic(column, tied);
  }

  CAROM_HOST_DEVICE Limits rows_near(const Group* ratio, Real least, Real tie_width) const {
    const Group origin = Group::all(least);
    const Group tie_widths = Group::all(tie_width);
    Limits near;
    for (int g = 0; g < tableau_.groups(); ++g) {
      near.add(Group::at_most(ratio[g] - origin, tie_widths), g * width);
    }
    return near;
  }

  /// Among tied limits, the one whose perturbation, divided by its slope, is lexicographically
  /// least.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE int lexicographic(int column, Limits tied) {
    for (int j = 0; j < tableau_.bounded() + tableau_.size() && tied.has_several(); ++j) {
      const auto ratio = [&](int limit) {
        if (limit < rows) return tableau_.perturbation(limit, j) / -tableau_.entry(limit, column);
        return tableau_.slack_perturbation(limit - rows, j) / -tableau_.slack(limit - rows, column);
      };
      Real least = Real(INFINITY);
      tied.for_each([&](int limit) {
        const Real its = ratio(limit);
        if (its < least) least = its;
      });
      const double tie_width = std::fabs(rounded(least)) * tolerances_.tie;
      tied.for_each([&](int limit) {
        if (!(rounded(ratio(limit) - least) <= tie_width)) tied.remove(limit);
      });
    }
    return tied.first();
  }

  Tableau tableau_;
  LemkeTolerances tolerances_;
};

}  // namespace carom::inline CAROM_ISA
