#pragma once

#include "kernels/base/qualifiers.hpp"
#include "kernels/compliant/contact_bits.hpp"
#include "kernels/compliant/first_crossing.hpp"

namespace carom::inline CAROM_ISA {

/// A system's event functions at a state, and their rates.
template <class Guards>
struct GuardsAtState {
  const Guards& guards;
  const double* x;
  const double* rate_of_x;

  CAROM_HOST_DEVICE double value(int k) const { return guards.value(k, x); }
  CAROM_HOST_DEVICE double rate(int k) const { return guards.rate(k, rate_of_x); }
};

/// A guard and when it is met; none: -1.
struct MetGuard {
  int guard = -1;
  double when = 0.0;
};

/// Calls look(k) for contacts, by groups: those of which is_far(k, bit) is 1 for each contact are
/// left out. bit is the contact's, in the lowest place. A compiler vectorises that question.
template <class IsFar, class Look>
CAROM_HOST_DEVICE void look_at_guards(int contacts, const ContactBits& bits, const IsFar& is_far,
                                      const Look& look) {
  constexpr int group = 32;
  static_assert(ContactBits::of_word % group == 0);
  for (int first = 0; first < contacts; first += group) {
    const std::uint64_t word =
        bits.word[first / ContactBits::of_word] >> (first % ContactBits::of_word);
    const int count = contacts - first < group ? contacts - first : group;
    std::uint64_t all = 1;
    for (int i = 0; i < count; ++i) all &= is_far(first + i, word >> i);
    if (all == 1) continue;
    for (int i = 0; i < count; ++i) look(first + i);
  }
}

/// The guard that is met first, to first order, if that is before `window` seconds: `when` is in
/// seconds, and not positive if the guard is met already. Guards from which the motion recedes are
/// none.
template <class Guards>
CAROM_HOST_DEVICE MetGuard nearest_guard(const Guards& guards, int contacts,
                                         const ContactBits& bits, double window) {
  MetGuard nearest{-1, window};
  look_at_guards(
      contacts, bits,
      [&](int k, std::uint64_t bit) {
        const double rate = guards.rate(k);
        const double then = std::fma(rate, window, guards.value(k));
        const bool recedes = !(ContactBits::negated(bit, rate) > 0.0);
        const bool is_late = !(ContactBits::negated(bit, then) > 0.0);
        return static_cast<std::uint64_t>(recedes) | static_cast<std::uint64_t>(is_late);
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
CAROM_HOST_DEVICE MetGuard first_crossed(const Guards& begin, const Guards& end, int contacts,
                                         const ContactBits& bits, double step, int except) {
  MetGuard first{-1, 1.0};
  const auto arc_of = [&](int k, std::uint64_t bit) {
    return GuardArc{
        ContactBits::negated(bit, begin.value(k)), ContactBits::negated(bit, begin.rate(k)) * step,
        ContactBits::negated(bit, end.value(k)), ContactBits::negated(bit, end.rate(k)) * step};
  };
  look_at_guards(
      contacts, bits,
      [&](int k, std::uint64_t bit) {
        return static_cast<std::uint64_t>(arc_of(k, bit).stays_below());
      },
      [&](int k) {
        const GuardArc arc = arc_of(k, bits.touches(k) ? 1 : 0);
        if (arc.stays_below() || k == except) return;
        const double when = FirstCrossing::of(arc);
        if (when < first.when || (first.guard < 0 && when <= 1.0)) first = {k, when};
      });
  return first;
}

}  // namespace carom::inline CAROM_ISA
