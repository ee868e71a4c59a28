#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "carom/selection.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/lcp/lemke.hpp"
#include "kernels/step/contact_step.hpp"
#include "kernels/step/host_step.hpp"
#include "kernels/step/step_lcp_view.hpp"
#include "kernels/step/step_outcome.hpp"

namespace carom::inline CAROM_ISA {

/// A listener for the pivots of one LCP that does nothing.
struct NoLearner {
  template <class Method>
  CAROM_HOST_DEVICE void decided(const Method&, const typename Method::Decision&) const {}
  template <class Method>
  CAROM_HOST_DEVICE void solved(const Method&, const double*) const {}
};

/// Solves a step's LCP by Lemke's method. The unknowns are z = [beta; lambda_n; lambda_D; gamma]
/// (Halm & Posa, Eq. 72-75), all as speeds. Where the method carries inputs, the solution is the
/// map of its final basis applied to caps and speeds, as for every other source of a basis; else
/// the map only refines the method's own solution, if rounding left more than a little.
///
/// The threads of the size's team call its functions together, and share the object, its rooms and
/// all arrays that are handed over.
template <class Size>
class StepLcp {
 public:
  using Team = TeamOf<Size>;
  static constexpr int max_size = Size::bounded_size;
  static constexpr int max_impulses = ContactStep<Size>::max_impulses;
  static constexpr int max_inputs = ContactStep<Size>::max_inputs;
  template <class Real, int inputs = 0, bool whole = false>
  using Method = Lemke<max_size, Real, inputs, whole, Team>;

  /// What solve() needs.
  template <class Method>
  struct Room {
    struct Growth {  ///< with an input
      const typename Method::Entry* of_row;
      double weight;
      int input;
    };
    Method lemke;
    union {
      double z[max_size];
      double map[max_impulses * max_inputs];
    };
    Growth growth[max_size * 2 + Size::contacts];
    typename ContactStep<Size>::Refinement refined;
  };

  /// As ContactStep.
  CAROM_HOST_DEVICE StepLcp(const StepLcpView& view, const double* speed, const double* cap)
      : view_(view), step_(view, speed, cap) {}

  CAROM_HOST_DEVICE const ContactStep<Size>& step() const { return step_; }

  /// Writes impulses and the contact speeds after them (m (1 + d) each) if the outcome is
  /// `separated`; else the outcome is `undecided`. `cover` (n, > 0) is the covering vector; null:
  /// the view's.
  CAROM_HOST_DEVICE StepOutcome solve(const double* cover, double* impulse, double* after) {
    return solve(cover, impulse, after, NoLearner{});
  }

  /// `learner` is called for the attempt on a fixed shape with all unknowns in use: with every
  /// decision before it is carried out, then with the solution's map.
  template <class Learner>
  CAROM_HOST_DEVICE StepOutcome solve(const double* cover, double* impulse, double* after,
                                      Learner&& learner) {
    StepOutcome outcome;
    LcpView lcp;
    if (!pose(cover, impulse, after, lcp, outcome)) return outcome;
    if (Size::is_fixed && lcp.index == nullptr) {
      Room<Method<double, Size::carried_inputs, Size::is_fixed>> room;
      return decide(room, lcp, impulse, after, learner);
    }
    Room<Method<double, Size::carried_inputs>> room;
    return decide(room, lcp, impulse, after, NoLearner{});
  }

  /// The same in a room that the team shares.
  template <class Method>
  CAROM_HOST_DEVICE StepOutcome solve_in(Room<Method>& room, const double* cover, double* impulse,
                                         double* after) {
    StepOutcome outcome;
    LcpView lcp;
    if (!pose(cover, impulse, after, lcp, outcome)) return outcome;
    return decide(room, lcp, impulse, after, NoLearner{});
  }

  /// Goes on in double-double arithmetic with what solve() left undecided. Measured on redundant
  /// contacts with friction 1e5, where double precision fails most: the first line solves all but 1
  /// in 1,000 of them, the second all but 1 in 10,000.
  void solve_thoroughly(const double* cover, double* impulse, double* after, StepOutcome& outcome) {
    constexpr int patience = 60;  // pivots per row
    constexpr LemkeTolerances ladder[] = {
        {0x1p-70, 1e-20, 1e-8, patience},  {0x1p-70, 1e-20, 1e-6, patience},
        {0x1p-70, 1e-20, 1e-12, patience}, {0x1p-70, 1e-20, 1e-8, patience},
        {0x1p-80, 1e-24, 1e-7, patience},  {0x1p-60, 1e-18, 1e-9, patience},
        {0x1p-86, 1e-26, 1e-10, patience}, {0x1p-50, 1e-15, 1e-5, patience},
        {0x1p-70, 1e-20, 1e-14, patience}, {0x1p-70, 1e-20, 1e-8, patience}};
    constexpr int own_cover_from = 3;  // attempts from this number on use other covering vectors
    set_constant();
    LcpView lcp = lcp_of(active_unknowns(), cover == nullptr ? view().cover() : cover);
    double own_cover[Size::lcp_size];
    Room<Method<DoubleDouble>> room;
    int step = 0;
    for (const LemkeTolerances& tolerances : ladder) {
      if (step >= own_cover_from) {
        for (int i = 0; i < m() + size(); ++i) {
          const double spread = 0.6180339887498949 * (i + 1) * (step - own_cover_from + 1);
          own_cover[i] = view().cover()[i] * (1.0 + spread - std::floor(spread));
        }
        lcp.cover = own_cover + m();
        lcp.bound_cover = own_cover;
      }
      ++step;
      ++outcome.retries;
      attempt(room, lcp, tolerances, impulse, after, outcome, NoLearner{});
      if (outcome.status == Status::separated) return;
    }
  }

 private:
  /// Constructed at each use, so that the compiler knows its constants.
  CAROM_VIEW_FUNCTION constexpr StepLcpView view() const { return Size::narrow(view_); }
  CAROM_VIEW_FUNCTION constexpr int m() const { return view().shape.contacts; }
  CAROM_VIEW_FUNCTION constexpr int k() const { return view().shape.friction_directions; }
  CAROM_HOST_DEVICE int size() const { return (2 + k()) * m(); }

  /// The step's LCP. False, with the outcome, if no impulse is needed or possible.
  CAROM_HOST_DEVICE bool pose(const double* cover, double* impulse, double* after, LcpView& lcp,
                              StepOutcome& outcome) {
    if (Size::carried_inputs == 0) set_constant();
    const int active = active_unknowns();
    lcp = lcp_of(active, cover == nullptr ? view().cover() : cover);
    if (active > 0 && step_.velocity_scale() != 0.0) return true;
    Team::each(view().shape.impulses(), [&](int i) { impulse[i] = 0.0; });
    outcome.residual = step_.assess(impulse, after);
    return false;
  }

  /// w of Eq. 75 without the caps.
  CAROM_HOST_DEVICE void set_constant() {
    const int d = view().shape.tangent_dimension;
    const double* speed = step_.input() + m();
    Team::each(m(), [&](int i) {
      constant_[i] = speed[i * (1 + d)];
      for (int j = 0; j < k(); ++j) {
        constant_[m() + i * k() + j] = step_.along(j, speed + i * (1 + d) + 1);
      }
      constant_[(1 + k()) * m() + i] = 0.0;
    });
  }

  /// The LCP of `active` unknowns: all, or those of index_.
  CAROM_HOST_DEVICE LcpView lcp_of(int active, const double* covering) const {
    return {.size = active,
            .index = active == size() ? nullptr : index_,
            .stride = size(),
            .matrix = view().matrix(),
            .matrix_low = view().matrix_low(),
            .constant = constant_,
            .cover = covering + m(),
            .bounded = active / (2 + k()),
            .bound = step_.input(),
            .bound_cover = covering,
            .inputs = view().shape.inputs(),
            .input = step_.input(),
            .input_map = view().input_map()};
  }

  CAROM_HOST_DEVICE int contact_of(int unknown) const {
    if (unknown < m()) return unknown;
    return unknown < (1 + k()) * m() ? (unknown - m()) / k() : unknown - (1 + k()) * m();
  }

  /// The unknowns of a contact whose cap is zero are not in use, since the contact can have no
  /// impulse.
  CAROM_HOST_DEVICE int active_unknowns() {
    int count = 0;
    for (int i = 0; i < m(); ++i) count += step_.input()[i] > 0.0 ? 1 : 0;
    if (count == m()) return size();
    Team::once([&] {
      int next = 0;
      for (int i = 0; i < size(); ++i) {
        if (step_.input()[contact_of(i)] > 0.0) index_[next++] = static_cast<short>(i);
      }
    });
    return count * (2 + k());
  }

  /// The first attempt; what it does not solve is `undecided`.
  template <class Method, class Learner>
  CAROM_HOST_DEVICE StepOutcome decide(Room<Method>& room, const LcpView& lcp, double* impulse,
                                       double* after, Learner&& learner) const {
    StepOutcome outcome;
    attempt(room, lcp, LemkeTolerances{}, impulse, after, outcome, learner);
    if (outcome.status != Status::separated) outcome.status = undecided;
    return outcome;
  }

  template <class Method, class Learner>
  CAROM_HOST_DEVICE void attempt(Room<Method>& room, const LcpView& lcp,
                                 const LemkeTolerances& tolerances, double* impulse, double* after,
                                 StepOutcome& outcome, Learner&& learner) const {
    Method& lemke = room.lemke;
    const LemkeOutcome ending = lemke.solve(
        lcp, tolerances, [&](const auto& decision) { learner.decided(lemke, decision); });
    outcome.pivots += lemke.pivots();
    if (ending == LemkeOutcome::pivot_limit) {
      outcome.status = Status::pivot_limit;
      return;
    }
    // On a ray of redundant contacts, the covering variable is often zero but for rounding.
    if constexpr (Method::inputs == 0) {
      static_assert(std::is_same_v<std::remove_cvref_t<Learner>, NoLearner>);
      add_up(room, impulse);
      outcome.residual = step_.assess(impulse, after);
    }
    if (Method::inputs > 0 || !(outcome.residual <= refinement_threshold)) {
      write_map(room, lcp);
      outcome.residual = step_.evaluate(room.map, impulse, after, room.refined);
    }
    outcome.status = outcome.residual <= residual_tolerance ? Status::separated
                     : ending == LemkeOutcome::ray          ? Status::ray
                                                            : Status::residual;
    if (outcome.status == Status::separated) learner.solved(lemke, room.map);
  }

  /// The impulses of the method's solution.
  template <class Method>
  CAROM_HOST_DEVICE void add_up(Room<Method>& room, double* impulse) const {
    const int d = view().shape.tangent_dimension;
    double* const z = room.z;
    Team::each(size(), [&](int i) { z[i] = 0.0; });
    room.lemke.solution(z);
    Team::each(m(), [&](int i) {
      double* const its = impulse + i * (1 + d);
      its[0] = z[i];
      const double* const along = z + m() + i * k();
      for (int a = 0; a < d; ++a) {
        double sum = 0.0;
        for (int j = 0; j < k(); ++j) {
          sum = std::fma(view().directions()[j * d + a], along[j], sum);
        }
        its[1 + a] = sum;
      }
    });
  }

  /// The map of the method's final basis (impulses x inputs): of lambda_n and of the friction
  /// directions' sum.
  template <class Method>
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void write_map(Room<Method>& room, const LcpView& lcp) const {
    double* const map = room.map;
    Team::each(view().shape.impulses() * view().shape.inputs(), [&](int i) { map[i] = 0.0; });
    if constexpr (Method::inputs == 0) {
      add_grown_rows(room, lcp);
    } else if constexpr (Team::threads == 1) {
      add_carried_rows(room.lemke, lcp, 0, view().shape.inputs(), map);
    } else {
      Team::each(view().shape.inputs(),
                 [&](int j) { add_carried_rows(room.lemke, lcp, j, j + 1, map); });
    }
  }

  /// The map's columns of some inputs, computed from the map that the method updates.
  template <class Method>
  CAROM_HOST_DEVICE void add_carried_rows(const Method& lemke, const LcpView& lcp, int first_input,
                                          int last_input, double* map) const {
    const int inputs = view().shape.inputs();
    for (int i = 0; i < lcp.size; ++i) {
      const Share to = share_of(unknown_of(lcp, i));
      const int row = lemke.row_of(i);
      if (to.count == 0 || (row < 0 && !lemke.is_reflected(i))) continue;
      for (int j = first_input; j < last_input; ++j) {
        double value = row < 0 ? 0.0 : lemke.limit_map(row, j);
        if (lemke.is_reflected(i)) value = (j == unknown_of(lcp, i) ? 1.0 : 0.0) - value;
        for (int a = 0; a < to.count; ++a) {
          double& place = map[(to.first + a) * inputs + j];
          place = std::fma(to.weight[a], value, place);
        }
      }
    }
  }

  /// Computed from the derivatives of the basis with respect to caps and constants, which are sums
  /// of inputs.
  template <class Method>
  CAROM_HOST_DEVICE void add_grown_rows(Room<Method>& room, const LcpView& lcp) const {
    auto* const growth = room.growth;
    int growths = 0;
    int caps = 0;  // number of growths with caps, which come first
    for (int j = 0; j < lcp.bounded + lcp.size; ++j) {
      const auto its = room.lemke.growth_with(j);
      if (its.of_row == nullptr) continue;
      const double sign = its.negative ? -1.0 : 1.0;
      if (j < lcp.bounded) {
        growth[growths++] = {its.of_row, sign, unknown_of(lcp, j)};
        caps = growths;
        continue;
      }
      const Share from = share_of(unknown_of(lcp, j - lcp.bounded));
      for (int b = 0; b < from.count; ++b) {
        growth[growths++] = {its.of_row, sign * from.weight[b], m() + from.first + b};
      }
    }
    const int width = 1 + view().shape.tangent_dimension;
    Team::each(lcp.bounded * width,
               [&](int place) { add_row(room, lcp, place / width, place % width, caps, growths); });
  }

  /// The map's row of one coordinate of the contact of the `its`-th bounded unknown: 0, normal.
  template <class Method>
  CAROM_HOST_DEVICE void add_row(Room<Method>& room, const LcpView& lcp, int its, int coordinate,
                                 int caps, int growths) const {
    const auto* const growth = room.growth;
    const int d = view().shape.tangent_dimension;
    const int contact = unknown_of(lcp, its);
    double* const of_input = room.map + (contact * (1 + d) + coordinate) * view().shape.inputs();
    const bool normal = coordinate == 0;
    const int first = normal ? its : lcp.bounded + its * k();
    const int count = normal ? 1 : k();
    for (int j = 0; j < count; ++j) {
      const int row = room.lemke.row_of(first + j);
      const bool reflected = room.lemke.is_reflected(first + j);
      if (row < 0) {
        if (reflected) of_input[contact] = 1.0;
        continue;
      }
      const double share = normal ? 1.0 : view().directions()[j * d + coordinate - 1];
      const double weight = reflected ? -share : share;
      for (int g = 0; g < caps; ++g) {
        double& place = of_input[growth[g].input];
        place = std::fma(growth[g].weight * weight, rounded(growth[g].of_row[row]), place);
      }
      for (int g = caps; g < growths; ++g) {
        double& place = of_input[growth[g].input];
        place = std::fma(weight * rounded(growth[g].of_row[row]), growth[g].weight, place);
      }
    }
  }

  CAROM_HOST_DEVICE static int unknown_of(const LcpView& lcp, int i) {
    return lcp.index == nullptr ? i : lcp.index[i];
  }

  /// The contact coordinates of an unknown or a constant: `count` from `first` on, with weights.
  /// None for gamma.
  struct Share {
    int first;
    int count;
    const double* weight;
  };
  CAROM_HOST_DEVICE Share share_of(int unknown) const {
    const int d = view().shape.tangent_dimension;
    if (unknown < m()) return {unknown * (1 + d), 1, &one_};
    if (unknown >= (1 + k()) * m()) return {0, 0, nullptr};
    const int direction = unknown - m();
    const int contact = k() == 2 ? direction / 2 : direction / k();  // a general division is slow
    return {contact * (1 + d) + 1, d, view().directions() + (direction - contact * k()) * d};
  }

  StepLcpView view_;
  ContactStep<Size> step_;
  double one_ = 1.0;
  double constant_[max_size];
  short index_[max_size];  ///< the unknowns in use, if they are not all
};

/// A step by Lemke's method with some effort: one function of a size, which all programs share. See
/// StepLcp::solve().
template <class Size, Effort effort>
CAROM_ONE_COPY CAROM_OUT_OF_LINE CAROM_HOST_DEVICE StepOutcome
solve_step(const StepLcpView& view, const double* speed, const double* cap, const double* cover,
           double* impulse, double* after) {
  StepOutcome outcome = StepLcp<Size>(view, speed, cap).solve(cover, impulse, after);
  if constexpr (effort == Effort::thorough) {
    if (outcome.status == undecided) {
      solve_thoroughly(view, speed, cap, cover, impulse, after, outcome);
    }
  }
  return outcome;
}

}  // namespace carom::inline CAROM_ISA
