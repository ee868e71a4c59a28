#pragma once

#include <cstdint>

#include "kernels/signs/sign_equations.hpp"
#include "kernels/signs/sign_tableau.hpp"

namespace carom::inline CAROM_ISA {

/// Bounds the variables of a coordinate to those of the given signs. Its speed is otherwise between
/// `least` and `most`.
template <int MaxCoordinates>
CAROM_HOST_DEVICE void allow_signs(const BoxForm<MaxCoordinates>& box,
                                   SignTableau<MaxCoordinates>& tableau, int c, std::uint8_t signs,
                                   double least, double most) {
  const double strict = box.tolerances.strict;
  tableau.bound(tableau.speed(c),
                (signs & minus) != 0  ? least
                : (signs & zero) != 0 ? 0.0
                                      : strict,
                (signs & plus) != 0   ? most
                : (signs & zero) != 0 ? 0.0
                                      : -strict);
  const auto fix = [&](int variable, double value) { tableau.bound(variable, value, value); };
  if (!box.is_normal(c)) {
    if (signs == plus) fix(tableau.rest(c), 0.0);
    if (signs == minus) fix(tableau.impulse(c), 0.0);
  } else if (signs == minus) {
    fix(tableau.impulse(c), tableau.upper(tableau.impulse(c)));
  } else if (signs == plus) {
    fix(tableau.impulse(c), 0.0);
    for (int f = c + 1; f < box.coordinates() && box.normal[f] == c; ++f) {
      fix(tableau.impulse(f), 0.0);
      fix(tableau.rest(f), 0.0);
    }
  }
}

}  // namespace carom::inline CAROM_ISA
