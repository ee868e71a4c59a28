#pragma once

#include <cmath>

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

  struct Mode {
    double count, sum, squares;  ///< of the springs that touch: number, x_i, x_i²
  };

  /// h_i = depth - tangent x_i, h_i' = speed - turning x_i
  struct Guards {
    const double* place;
    double depth, tangent, speed, turning;

    template <class Row>
    CAROM_HOST_DEVICE Row values(int k, const double* /*x*/) const {
      return fused(Row::all(-tangent), Row::load(place + k), Row::all(depth));
    }
    template <class Row>
    CAROM_HOST_DEVICE Row rates(int k, const double* /*rate_of_x*/) const {
      return fused(Row::all(-turning), Row::load(place + k), Row::all(speed));
    }
  };

  CAROM_HOST_DEVICE Guards guards(const double* x) const { return guards(x, Slope(x[2])); }

  CAROM_HOST_DEVICE static constexpr int coordinates() { return 3; }
  CAROM_HOST_DEVICE static constexpr int states() { return max_states; }
  CAROM_HOST_DEVICE int contacts() const { return view.contacts; }

  CAROM_HOST_DEVICE void set_mode(const ContactBits& bits, Mode& mode) const {
    mode = {0.0, 0.0, 0.0};
    bits.for_each([&](int k) {
      const double place = view.place[k];
      mode.count += 1.0;
      mode.sum += place;
      mode.squares = std::fma(place, place, mode.squares);
    });
  }

  CAROM_HOST_DEVICE Guards field(const Mode& mode, const double* x, double* rate) const {
    const Slope slope(x[2]);
    const Guards all = guards(x, slope);
    const Forces forces(view, mode, all, x);
    for (int i = 0; i < 3; ++i) rate[i] = x[3 + i];
    rate[3] = -slope.tangent * forces.sum / view.mass;
    rate[4] = forces.sum / view.mass - view.gravity;
    rate[5] = -slope.square_secant * forces.moment / view.inertia;
    return all;
  }

  CAROM_HOST_DEVICE void variation(const Mode& mode, const double* x, const double* d,
                                   double* rate) const {
    const Slope slope(x[2]);
    const double tangent = slope.square_secant * d[2];
    const double square_secant = 2.0 * slope.tangent * tangent;
    const Forces forces(view, mode, guards(x, slope), x);
    // The derivatives of what Forces computes.
    const double depth = tangent * x[0] + slope.tangent * d[0] - d[1];
    const double turning = square_secant * x[5] + slope.square_secant * d[5];
    const double speed = tangent * x[3] + slope.tangent * d[3] - d[4] +
                         d[0] * slope.square_secant * x[5] + x[0] * turning;
    const double at_origin = view.stiffness * depth + view.damping * speed;
    const double per_place = view.stiffness * tangent + view.damping * turning;
    const double sum = at_origin * mode.count - per_place * mode.sum;
    const double moment =
        d[0] * forces.sum + x[0] * sum - (at_origin * mode.sum - per_place * mode.squares);
    for (int i = 0; i < 3; ++i) rate[i] = d[3 + i];
    rate[3] = -(tangent * forces.sum + slope.tangent * sum) / view.mass;
    rate[4] = sum / view.mass;
    rate[5] = -(square_secant * forces.moment + slope.square_secant * moment) / view.inertia;
  }

  CAROM_HOST_DEVICE void gradient(const double* x, int k, double* row) const {
    const Slope slope(x[2]);
    row[0] = slope.tangent;
    row[1] = -1.0;
    row[2] = (x[0] - view.place[k]) * slope.square_secant;
    row[3] = row[4] = row[5] = 0.0;
  }

  CAROM_HOST_DEVICE bool is_inside(const double* x) const {
    return std::fabs(x[2]) < view.steepest;
  }

  CAROM_HOST_DEVICE double kinetic_energy(const double* x) const {
    return 0.5 * (view.mass * (x[3] * x[3] + x[4] * x[4]) + view.inertia * x[5] * x[5]);
  }

 private:
  struct Slope {
    double tangent;
    double square_secant;  ///< 1 / cos²

    CAROM_HOST_DEVICE explicit Slope(double angle) {
      const SineCosine both = sine_cosine(angle);
      tangent = both.sine / both.cosine;
      square_secant = std::fma(tangent, tangent, 1.0);
    }
  };

  CAROM_HOST_DEVICE Guards guards(const double* x, const Slope& slope) const {
    const double turning = slope.square_secant * x[5];
    return {view.place, std::fma(slope.tangent, x[0], view.height - x[1]), slope.tangent,
            std::fma(x[0], turning, std::fma(slope.tangent, x[3], -x[4])), turning};
  }

  /// Of the springs that touch: the sum of their forces, k h_i + c h_i', and of these times x -
  /// x_i.
  struct Forces {
    double sum;
    double moment;

    CAROM_HOST_DEVICE Forces(const PlateView& its, const Mode& mode, const Guards& all,
                             const double* x) {
      // The force of spring i is at_origin - per_place x_i.
      const double at_origin = std::fma(its.stiffness, all.depth, its.damping * all.speed);
      const double per_place = std::fma(its.stiffness, all.tangent, its.damping * all.turning);
      sum = std::fma(at_origin, mode.count, -per_place * mode.sum);
      moment = std::fma(x[0], sum, std::fma(per_place, mode.squares, -at_origin * mode.sum));
    }
  };
};

}  // namespace carom::inline CAROM_ISA
