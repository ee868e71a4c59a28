#pragma once

#include <cmath>

#include "kernels/base/qualifiers.hpp"
#include "kernels/compliant/contact_bits.hpp"

namespace carom::inline CAROM_ISA {

/// A system in compliant contact has, as these springs have:
///  - max_states, and states(), coordinates(), contacts()
///  - Guards: the event functions at a state, their rates, gradient()
///  - Mode: what its field needs to know of the contacts that touch; set_mode() makes it anew, and
///    flip_mode(), which a system with many contacts has, too, after one event
///  - field(), x' in a mode from a state and its guards, and variation(), the derivative of x' in a
///    direction
///  - forces_add: guards are of positions and each contact has a force of its own, so that no
///    event changes the rate of any guard and the order of events at one instant is of no account
///  - is_inside(), kinetic_energy()
struct SpringsField {
  SpringsView view;

  static constexpr int most = max_compliant_coordinates;
  static constexpr int max_states = 2 * most;
  static constexpr bool forces_add = true;

  /// q'' = constant - stiffness q - damping q'
  struct Mode {
    double constant[most];
    double stiffness[most * most];
    double damping[most * most];
  };

  struct Guards {
    const SpringsView* view;

    template <class Row>
    CAROM_HOST_DEVICE Row values(int k, const double* x) const {
      return sum(k, x, -Row::load(view->offset + k));
    }
    template <class Row>
    CAROM_HOST_DEVICE Row rates(int k, const double* rate_of_x) const {
      return sum(k, rate_of_x, Row::all(0.0));
    }

   private:
    template <class Row>
    CAROM_HOST_DEVICE Row sum(int k, const double* of, Row start) const {
      for (int i = 0; i < view->coordinates; ++i) {
        start = fused(-Row::load(view->normal + i * view->contacts + k), Row::all(of[i]), start);
      }
      return start;
    }
  };

  CAROM_HOST_DEVICE Guards guards(const double* /*x*/) const { return {&view}; }

  CAROM_HOST_DEVICE int coordinates() const { return view.coordinates; }
  CAROM_HOST_DEVICE int states() const { return 2 * view.coordinates; }
  CAROM_HOST_DEVICE int contacts() const { return view.contacts; }

  CAROM_HOST_DEVICE void set_mode(const ContactBits& bits, Mode& mode) const {
    const int n = view.coordinates;
    for (int i = 0; i < n; ++i) mode.constant[i] = view.drift[i];
    for (int i = 0; i < n * n; ++i) mode.stiffness[i] = view.stiffness[i];
    for (int i = 0; i < n * n; ++i) mode.damping[i] = view.damping[i];
    bits.for_each([&](int k) {
      const double* const push = view.push + k * n;
      const double* const law = view.contact_law + 3 * k;
      const double at_zero = std::fma(-law[0], view.offset[k], law[2]);
      for (int i = 0; i < n; ++i) {
        mode.constant[i] = std::fma(at_zero, push[i], mode.constant[i]);
        for (int j = 0; j < n; ++j) {
          const double product = push[i] * view.normal[j * view.contacts + k];
          mode.stiffness[i * n + j] = std::fma(law[0], product, mode.stiffness[i * n + j]);
          mode.damping[i * n + j] = std::fma(law[1], product, mode.damping[i * n + j]);
        }
      }
    });
  }

  CAROM_HOST_DEVICE void field(const Mode& mode, const Guards& /*guards*/, const double* x,
                               double* rate) const {
    for (int i = 0; i < view.coordinates; ++i) {
      rate[i] = x[view.coordinates + i];
      rate[view.coordinates + i] = acceleration(mode, x, i, mode.constant[i]);
    }
  }

  /// @param x not needed: the field is affine
  CAROM_HOST_DEVICE void variation(const Mode& mode, const double* /*x*/, const double* direction,
                                   double* rate) const {
    for (int i = 0; i < view.coordinates; ++i) {
      rate[i] = direction[view.coordinates + i];
      rate[view.coordinates + i] = acceleration(mode, direction, i, 0.0);
    }
  }

  CAROM_HOST_DEVICE void gradient(const double* /*x*/, int k, double* row) const {
    for (int i = 0; i < view.coordinates; ++i) {
      row[i] = -view.normal[i * view.contacts + k];
      row[view.coordinates + i] = 0.0;
    }
  }

  CAROM_HOST_DEVICE bool is_inside(const double* /*x*/) const { return true; }

  CAROM_HOST_DEVICE double kinetic_energy(const double* x) const {
    const int n = view.coordinates;
    double twice = 0.0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        twice = std::fma(view.mass[i * n + j] * x[n + i], x[n + j], twice);
    }
    return 0.5 * twice;
  }

 private:
  CAROM_HOST_DEVICE double acceleration(const Mode& mode, const double* x, int i,
                                        double start) const {
    const int n = view.coordinates;
    for (int j = 0; j < n; ++j) {
      start = std::fma(-mode.stiffness[i * n + j], x[j], start);
      start = std::fma(-mode.damping[i * n + j], x[n + j], start);
    }
    return start;
  }
};

}  // namespace carom::inline CAROM_ISA
