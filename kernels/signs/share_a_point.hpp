#pragma once

#include "kernels/signs/sign_equations.hpp"
#include "kernels/signs/sign_tableau.hpp"

namespace carom::inline CAROM_ISA {

/// Whether two patterns of signs have a solution on the edge of both: where their signs differ, the
/// strict inequality of one is an equality there. Points and segments touch at their ends anyway,
/// as what they share is a face of both; of a larger continuum, the ends are only two points.
template <int MaxCoordinates>
CAROM_HOST_DEVICE bool share_a_point(const BoxForm<MaxCoordinates>& box, const std::uint8_t* one,
                                     const std::uint8_t* other) {
  SignTableau<MaxCoordinates> tableau;
  tableau.start(box);
  const auto fix = [&](int variable, double value) { tableau.bound(variable, value, value); };
  for (int c = 0; c < box.coordinates(); ++c) {
    const unsigned signs = one[c] | other[c];
    const bool normal = box.is_normal(c);
    if (normal && (signs & minus) != 0 && (signs & plus) != 0) return false;  // x = 0 and x = cap
    if ((signs & plus) != 0) fix(normal ? tableau.impulse(c) : tableau.rest(c), 0.0);
    if ((signs & minus) != 0) {
      fix(tableau.impulse(c), normal ? tableau.upper(tableau.impulse(c)) : 0.0);
    }
    if (signs != no_sign) {  // a friction of a contact without impulse in both
      tableau.bound(tableau.speed(c), signs == minus ? -INFINITY : 0.0,
                    signs == plus ? INFINITY : 0.0);
    }
  }
  int exchanges = 0;
  return tableau.repair(box.tolerances.feasible, exchanges) != Repair::infeasible;
}

}  // namespace carom::inline CAROM_ISA
