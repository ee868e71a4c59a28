#pragma once

#include <cmath>

#include "kernels/base/double_double.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/base/sine_cosine.hpp"
#include "kernels/compliant/contact_bits.hpp"

namespace carom::inline CAROM_ISA {

/// The plate on springs; see SpringsField for what a system has. The depth of spring i is
/// h_i = L0 + tan(theta) (x - x_i) - z, linear in x_i: so the springs' forces are sums that need
/// the number, the sum and the sum of squares of the x_i of those that touch, whatever their
/// number.
struct PlateField {
  PlateView view;

  static constexpr int max_states = 6;
  static constexpr bool forces_add = true;

  /// Of the springs that touch: their number, and the sums of x_i and x_i², twice as precise as
  /// need be, so that those to which springs were added and of which they were taken have no error
  /// to speak of.
  struct Mode {
    double count;
    DoubleDouble sum, squares;
  };

  /// h_i = depth - tangent x_i, h_i' = speed - turning x_i
  struct Guards {
    const double* place;
    double depth, tangent, speed, turning;
    double square_secant;  ///< 1 / cos² of the plate's angle

    template <class Row>
    CAROM_HOST_DEVICE Row values(int k, const double* /*x*/) const {
      return fused(Row::all(-tangent), Row::load(place + k), Row::all(depth));
    }
    template <class Row>
    CAROM_HOST_DEVICE Row rates(int k, const double* /*rate_of_x*/) const {
      return fused(Row::all(-turning), Row::load(place + k), Row::all(speed));
    }
  };

  CAROM_HOST_DEVICE CAROM_HOT inline Guards guards(const double* x) const {
    const SineCosine both = sine_cosine(x[2]);
    const double tangent = both.sine / both.cosine;
    const double square_secant = std::fma(tangent, tangent, 1.0);
    const double turning = square_secant * x[5];
    return {view.place, std::fma(tangent, x[0], view.height - x[1]),
            tangent,    std::fma(x[0], turning, std::fma(tangent, x[3], -x[4])),
            turning,    square_secant};
  }

  CAROM_HOST_DEVICE static constexpr int coordinates() { return 3; }
  CAROM_HOST_DEVICE static constexpr int states() { return max_states; }
  CAROM_HOST_DEVICE int contacts() const { return view.contacts; }

  CAROM_HOST_DEVICE void set_mode(const ContactBits& bits, Mode& mode) const {
    mode = {};
    bits.for_each([&](int k) { flip_mode(bits, k, mode); });
  }

  CAROM_HOST_DEVICE void flip_mode(const ContactBits& bits, int k, Mode& mode) const {
    const double sign = bits.touches(k) ? 1.0 : -1.0;
    const double place = view.place[k];
    mode.count += sign;
    mode.sum = mode.sum + DoubleDouble(sign * place);
    mode.squares = mode.squares + DoubleDouble::exact_product(sign * place, place);
  }

  CAROM_HOST_DEVICE CAROM_HOT inline void field(const Mode& mode, const Guards& guards,
                                                const double* x, double* rate) const {
    const Forces forces(view, mode, guards, x);
    for (int i = 0; i < 3; ++i) rate[i] = x[3 + i];
    rate[3] = -guards.tangent * forces.sum;
    rate[4] = forces.sum - view.gravity;
    rate[5] = -view.mass_by_inertia * guards.square_secant * forces.moment;
  }

  CAROM_HOST_DEVICE void variation(const Mode& mode, const double* x, const double* d,
                                   double* rate) const {
    const Guards here = guards(x);
    const double tangent = here.square_secant * d[2];
    const double square_secant = 2.0 * here.tangent * tangent;
    const Forces forces(view, mode, here, x);
    // The derivatives of what Forces computes.
    const double depth = tangent * x[0] + here.tangent * d[0] - d[1];
    const double turning = square_secant * x[5] + here.square_secant * d[5];
    const double speed = tangent * x[3] + here.tangent * d[3] - d[4] +
                         d[0] * here.square_secant * x[5] + x[0] * turning;
    const double at_origin = view.stiffness * depth + view.damping * speed;
    const double per_place = view.stiffness * tangent + view.damping * turning;
    const double sum = at_origin * mode.count - per_place * mode.sum.high;
    const double moment = d[0] * forces.sum + x[0] * sum -
                          (at_origin * mode.sum.high - per_place * mode.squares.high);
    for (int i = 0; i < 3; ++i) rate[i] = d[3 + i];
    rate[3] = -(tangent * forces.sum + here.tangent * sum);
    rate[4] = sum;
    rate[5] = -view.mass_by_inertia * (square_secant * forces.moment + here.square_secant * moment);
  }

  CAROM_HOST_DEVICE void gradient(const double* x, int k, double* row) const {
    const Guards here = guards(x);
    row[0] = here.tangent;
    row[1] = -1.0;
    row[2] = (x[0] - view.place[k]) * here.square_secant;
    row[3] = row[4] = row[5] = 0.0;
  }

  CAROM_HOST_DEVICE bool is_inside(const double* x) const {
    return std::fabs(x[2]) < view.steepest;
  }

  CAROM_HOST_DEVICE double kinetic_energy(const double* x) const {
    const double turning = x[5] * x[5] / view.mass_by_inertia;
    return 0.5 * view.mass * (x[3] * x[3] + x[4] * x[4] + turning);
  }

 private:
  /// Of the springs that touch, over the plate's mass: the sum of their forces, k h_i + c h_i', and
  /// of these times x - x_i.
  struct Forces {
    double sum;
    double moment;

    CAROM_HOST_DEVICE Forces(const PlateView& its, const Mode& mode, const Guards& all,
                             const double* x) {
      // The force of spring i is at_origin - per_place x_i.
      const double at_origin = std::fma(its.stiffness, all.depth, its.damping * all.speed);
      const double per_place = std::fma(its.stiffness, all.tangent, its.damping * all.turning);
      sum = std::fma(at_origin, mode.count, -per_place * mode.sum.high);
      moment =
          std::fma(x[0], sum, std::fma(per_place, mode.squares.high, -at_origin * mode.sum.high));
    }
  };
};

}  // namespace carom::inline CAROM_ISA
