#pragma once

#include <cstdint>

#include "kernels/modes/mode_conditions.hpp"

namespace carom::inline CAROM_ISA {

/// Number of states of a contact that stays in touch, below its cap.
CAROM_HOST_DEVICE inline int touching_states(const FrictionPolygon& polygon, double mu) {
  return mu == 0.0 ? 1 : frictional_states(polygon.d, polygon.k);
}

/// The state at a place among them. With friction: stick; in the plane slip towards + and towards
/// -; in space an impulse along each direction, and between each and the next.
CAROM_HOST_DEVICE inline ContactState touching_state(const FrictionPolygon& polygon, double mu,
                                                     int place) {
  ContactState state;
  state.normal = ContactState::below_cap;
  if (mu == 0.0) return state;
  int direction = place - 1;
  if (place == 0) {
    state.friction = ContactState::stick;
    direction = 0;
  } else if (polygon.d == 1) {
    state.friction = ContactState::vertex;
    direction = 1 - direction;  // the impulse is opposite to the slip
  } else {
    state.friction = direction < polygon.k ? ContactState::vertex : ContactState::edge;
    direction %= polygon.k;
  }
  state.direction = static_cast<std::int16_t>(direction);
  return state;
}

/// A contact that touches, in one of its states: which impulses it can have, and which speeds after
/// the step are zero. Of 1 + d components, normal before tangential.
struct ContactUnknowns {
  static constexpr int most = 3;

  int count = 0;  ///< of unknowns, and of equations
  /// Impulse per unknown. The first has a normal component of 1 and what friction follows from it;
  /// the others are tangential.
  double impulse[most][most] = {};
  double equation[most][most] = {};  ///< equation . speeds = 0
};

CAROM_HOST_DEVICE inline ContactUnknowns unknowns_of(const ContactState& state,
                                                     const FrictionPolygon& polygon, double mu) {
  ContactUnknowns unknowns;
  unknowns.count = 1;
  unknowns.impulse[0][0] = 1.0;
  unknowns.equation[0][0] = 1.0;
  const int j = state.direction;
  const double* const one = polygon.directions + (j % polygon.k) * polygon.d;
  const double* const next = polygon.directions + ((j + 1) % polygon.k) * polygon.d;
  for (int a = 0; a < polygon.d; ++a) {
    if (state.friction == ContactState::vertex) {
      unknowns.impulse[0][1 + a] = mu * one[a];
    } else if (state.friction == ContactState::edge) {
      unknowns.count = 2;
      unknowns.impulse[0][1 + a] = 0.5 * mu * (one[a] + next[a]);
      unknowns.impulse[1][1 + a] = unknowns.equation[1][1 + a] = next[a] - one[a];
    } else if (state.friction == ContactState::stick) {
      unknowns.count = 2 + a;
      unknowns.impulse[1 + a][1 + a] = unknowns.equation[1 + a][1 + a] = 1.0;
    }
  }
  return unknowns;
}

}  // namespace carom::inline CAROM_ISA
