#pragma once

#include <cmath>

#include "kernels/base/qualifiers.hpp"
#include "kernels/compliant/contact_bits.hpp"

namespace carom::inline CAROM_ISA {

/// A table of affine fields, one for each mode; see SpringsField for what a system has.
struct AffineField {
  PiecewiseAffineView view;

  static constexpr int max_states = max_affine_states;
  static constexpr bool forces_add = false;

  struct Mode {
    const double* matrix;
    const double* vector;
  };

  struct Guards {
    const PiecewiseAffineView* view;

    template <class Row>
    CAROM_HOST_DEVICE Row values(int k, const double* x) const {
      return sum(k, x, Row::load(view->offset + k));
    }
    template <class Row>
    CAROM_HOST_DEVICE Row rates(int k, const double* rate_of_x) const {
      return sum(k, rate_of_x, Row::all(0.0));
    }

   private:
    template <class Row>
    CAROM_HOST_DEVICE Row sum(int k, const double* of, Row start) const {
      for (int i = 0; i < view->states; ++i) {
        start = fused(Row::load(view->guard + i * view->contacts + k), Row::all(of[i]), start);
      }
      return start;
    }
  };

  CAROM_HOST_DEVICE Guards guards(const double* /*x*/) const { return {&view}; }

  CAROM_HOST_DEVICE int coordinates() const { return view.states; }
  CAROM_HOST_DEVICE int states() const { return view.states; }
  CAROM_HOST_DEVICE int contacts() const { return view.contacts; }

  CAROM_HOST_DEVICE void set_mode(const ContactBits& bits, Mode& mode) const {
    const auto number = static_cast<int>(bits.word[0]);
    mode = {view.matrix + number * view.states * view.states, view.vector + number * view.states};
  }

  CAROM_HOST_DEVICE void field(const Mode& mode, const Guards& /*guards*/, const double* x,
                               double* rate) const {
    for (int i = 0; i < view.states; ++i) {
      rate[i] = product(view.states, mode.matrix + i * view.states, x, mode.vector[i]);
    }
  }
  CAROM_HOST_DEVICE void variation(const Mode& mode, const double* /*x*/, const double* direction,
                                   double* rate) const {
    for (int i = 0; i < view.states; ++i) {
      rate[i] = product(view.states, mode.matrix + i * view.states, direction, 0.0);
    }
  }

  CAROM_HOST_DEVICE void gradient(const double* /*x*/, int k, double* row) const {
    for (int i = 0; i < view.states; ++i) row[i] = view.guard[i * view.contacts + k];
  }
  CAROM_HOST_DEVICE bool is_inside(const double* /*x*/) const { return true; }
  CAROM_HOST_DEVICE double kinetic_energy(const double* /*x*/) const { return 0.0; }

 private:
  CAROM_HOST_DEVICE static double product(int n, const double* row, const double* x, double start) {
    for (int i = 0; i < n; ++i) start = std::fma(row[i], x[i], start);
    return start;
  }
};

}  // namespace carom::inline CAROM_ISA
