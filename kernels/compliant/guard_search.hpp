#pragma once

#include "kernels/base/bits.hpp"
#include "kernels/base/lanes.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/compliant/contact_bits.hpp"
#include "kernels/compliant/first_crossing.hpp"

namespace carom::inline CAROM_ISA {

/// A system's event functions at a state, and their rates.
template <class Guards>
struct GuardsAtState {
  Guards guards;
  const double* x;
  const double* rate_of_x;

  /// Of contact k or, with wider lanes, from it on.
  template <class Row>
  CAROM_HOST_DEVICE Row values(int k) const {
    return guards.template values<Row>(k, x);
  }
  template <class Row>
  CAROM_HOST_DEVICE Row rates(int k) const {
    return guards.template rates<Row>(k, rate_of_x);
  }
  CAROM_HOST_DEVICE double value(int k) const { return values<SingleLane>(k).value; }
  CAROM_HOST_DEVICE double rate(int k) const { return rates<SingleLane>(k).value; }
};

/// A guard and when it is met; none: -1.
struct MetGuard {
  int guard = -1;
  double when = 0.0;
};

/// What a question says of each lane's contact, if it is open and if it touches: a bit each.
struct SignedBits {
  std::uint32_t open;
  std::uint32_t touching;
};

/// Calls look(k) for the contacts that a question, asked many at a time, says yes to.
template <class Question, class Look>
CAROM_HOST_DEVICE CAROM_HOT inline void look_at_guards(int contacts, const ContactBits& bits,
                                                       const Question& question, const Look& look) {
  constexpr int width = row_lanes<double, 8>;
  static_assert(ContactBits::of_word % width == 0);
  const auto look_from = [&]<class Row, int count>(int first) {
    const SignedBits yes = question.template operator()<Row>(first);
    const std::uint64_t touching =
        bits.word[first / ContactBits::of_word] >> (first % ContactBits::of_word);
    std::uint64_t left =
        ((yes.open & ~touching) | (yes.touching & touching)) & ((std::uint64_t{1} << count) - 1);
    for (; left != 0; left &= left - 1) look(first + lowest_bit(left));
  };
  int first = 0;
  for (; first + width <= contacts; first += width) {
    look_from.template operator()<Lanes<double, width>, width>(first);
  }
  for (; first < contacts; ++first) look_from.template operator()<SingleLane, 1>(first);
}

/// The guard that is met first, to first order, if that is before `window` seconds: `when` is in
/// seconds, and not positive if the guard is met already. Guards from which the motion recedes are
/// none.
template <class Guards>
CAROM_HOST_DEVICE MetGuard nearest_guard(const Guards guards, int contacts, const ContactBits& bits,
                                         double window) {
  MetGuard nearest{-1, window};
  look_at_guards(
      contacts, bits,
      [&]<class Row>(int k) {
        const Row zero = Row::all(0.0);
        const Row rate = guards.template rates<Row>(k);
        const Row then = fused(rate, Row::all(window), guards.template values<Row>(k));
        return SignedBits{Row::below(zero, smaller(rate, then)),
                          Row::below(larger(rate, then), zero)};
      },
      [&](int k) {
        const double value = bits.with_sign(k, guards.value(k));
        const double rate = bits.with_sign(k, guards.rate(k));
        if (rate > 0.0 && std::fma(rate, nearest.when, value) > 0.0) nearest = {k, -value / rate};
      });
  return nearest;
}

/// The guard that is crossed first between two states, `when` in parts of the step between them.
/// @param except a guard that is not looked at
template <class Guards>
CAROM_HOST_DEVICE MetGuard first_crossed(const Guards begin, const Guards end, int contacts,
                                         const ContactBits& bits, double step, int except) {
  MetGuard first{-1, 1.0};
  look_at_guards(
      contacts, bits,
      [&]<class Row>(int k) {
        const Row length = Row::all(step);
        const GuardArcs<Row> arcs{begin.template values<Row>(k),
                                  begin.template rates<Row>(k) * length,
                                  end.template values<Row>(k), end.template rates<Row>(k) * length};
        return SignedBits{~arcs.stay_below(), ~arcs.stay_above()};
      },
      [&](int k) {
        if (k == except) return;
        const auto with_sign = [&](double value) { return bits.with_sign(k, value); };
        const GuardArc arc{with_sign(begin.value(k)), with_sign(begin.rate(k)) * step,
                           with_sign(end.value(k)), with_sign(end.rate(k)) * step};
        const double when = FirstCrossing::of(arc, first.when);
        if (when < first.when || (first.guard < 0 && when <= 1.0)) first = {k, when};
      });
  return first;
}

}  // namespace carom::inline CAROM_ISA
