#pragma once

#include <cmath>

#include "kernels/base/qualifiers.hpp"
#include "kernels/base/sine_cosine.hpp"
#include "kernels/compliant/contact_bits.hpp"

namespace carom::inline CAROM_ISA {

/// The biped with springy legs; see SpringsField for what a system has. State: x of body, left and
/// right foot, their z, the body's angle, and the rates of these.
struct BipedField {
  BipedView view;

  static constexpr int size = 7;
  static constexpr int max_states = 2 * size;
  static constexpr bool forces_add = true;

  struct Mode {
    double touches[2];  ///< 1 or 0, of each foot
  };

  struct Guards {
    template <class Row>
    CAROM_HOST_DEVICE Row values(int k, const double* x) const {
      return -Row::load(x + foot_z + k);
    }
    template <class Row>
    CAROM_HOST_DEVICE Row rates(int k, const double* rate_of_x) const {
      return -Row::load(rate_of_x + foot_z + k);
    }
  };

  CAROM_HOST_DEVICE Guards guards(const double* /*x*/) const { return {}; }

  CAROM_HOST_DEVICE static constexpr int coordinates() { return size; }
  CAROM_HOST_DEVICE static constexpr int states() { return max_states; }
  CAROM_HOST_DEVICE static constexpr int contacts() { return 2; }

  CAROM_HOST_DEVICE void set_mode(const ContactBits& bits, Mode& mode) const {
    for (int k = 0; k < 2; ++k) mode.touches[k] = bits.touches(k) ? 1.0 : 0.0;
  }

  CAROM_HOST_DEVICE void field(const Mode& mode, const Guards& /*guards*/, const double* x,
                               double* rate) const {
    const double* const v = x + size;
    const SineCosine turned = sine_cosine(x[angle]);
    double body_x = 0.0;
    double body_z = 0.0;
    double torque = view.flywheel * (v[foot_z] - v[foot_z + 1]) * (v[foot_z] - v[foot_z + 1]);
    for (int i = 0; i < size; ++i) rate[i] = v[i];
    for (int k = 0; k < 2; ++k) {
      const Leg leg(view, turned, x, k);
      const double ground =
          std::fma(-view.ground_stiffness, x[foot_z + k], -view.ground_damping * v[foot_z + k]);
      body_x += leg.pull_x;
      body_z += leg.pull_z;
      torque += leg.torque();
      rate[size + foot_x + k] = -leg.pull_x / view.foot_mass;
      rate[size + foot_z + k] =
          (mode.touches[k] * ground - leg.pull_z) / view.foot_mass - view.gravity;
    }
    rate[size] = body_x / view.body_mass;
    rate[size + body_height] = body_z / view.body_mass - view.gravity;
    rate[size + angle] = torque / view.inertia;
  }

  CAROM_HOST_DEVICE void variation(const Mode& mode, const double* x, const double* d,
                                   double* rate) const {
    const double* const v = x + size;
    const double* const dv = d + size;
    const SineCosine turned = sine_cosine(x[angle]);
    double body_x = 0.0;
    double body_z = 0.0;
    double torque =
        2.0 * view.flywheel * (v[foot_z] - v[foot_z + 1]) * (dv[foot_z] - dv[foot_z + 1]);
    for (int i = 0; i < size; ++i) rate[i] = dv[i];
    for (int k = 0; k < 2; ++k) {
      const Leg leg(view, turned, x, k);
      const double arm_x = -leg.arm_z * d[angle];
      const double arm_z = leg.arm_x * d[angle];
      const double along_x = d[foot_x + k] - d[0] - arm_x;
      const double along_z = d[foot_z + k] - d[body_height] - arm_z;
      const double longer = (leg.unit_x * along_x + leg.unit_z * along_z) * leg.natural_part;
      const double pull_x = leg.tension_part * along_x + longer * leg.unit_x;
      const double pull_z = leg.tension_part * along_z + longer * leg.unit_z;
      const double ground =
          std::fma(-view.ground_stiffness, d[foot_z + k], -view.ground_damping * dv[foot_z + k]);
      body_x += pull_x;
      body_z += pull_z;
      torque += arm_x * leg.pull_z + leg.arm_x * pull_z - arm_z * leg.pull_x - leg.arm_z * pull_x;
      rate[size + foot_x + k] = -pull_x / view.foot_mass;
      rate[size + foot_z + k] = (mode.touches[k] * ground - pull_z) / view.foot_mass;
    }
    rate[size] = body_x / view.body_mass;
    rate[size + body_height] = body_z / view.body_mass;
    rate[size + angle] = torque / view.inertia;
  }

  CAROM_HOST_DEVICE void gradient(const double* /*x*/, int k, double* row) const {
    for (int i = 0; i < max_states; ++i) row[i] = 0.0;
    row[foot_z + k] = -1.0;
  }

  CAROM_HOST_DEVICE bool is_inside(const double* /*x*/) const { return true; }

  CAROM_HOST_DEVICE double kinetic_energy(const double* x) const {
    const double* const v = x + size;
    double twice = view.inertia * v[angle] * v[angle];
    for (int i = 0; i < 3; ++i) {
      const double mass = i == 0 ? view.body_mass : view.foot_mass;
      twice += mass * (v[i] * v[i] + v[body_height + i] * v[body_height + i]);
    }
    return 0.5 * twice;
  }

 private:
  // Places in the state.
  static constexpr int foot_x = 1;
  static constexpr int body_height = 3;
  static constexpr int foot_z = 4;
  static constexpr int angle = 6;

  /// A leg from hip to foot, and what it pulls the body with.
  struct Leg {
    double arm_x, arm_z;    ///< m, from the body's centre to the hip
    double unit_x, unit_z;  ///< from hip to foot
    double natural_part;    ///< N/m: stiffness times natural length over length
    double tension_part;    ///< N/m: stiffness without it, tension over length
    double pull_x, pull_z;  ///< N

    CAROM_HOST_DEVICE Leg(const BipedView& its, const SineCosine& turned, const double* x, int k) {
      const double hip = k == 0 ? -its.hip : its.hip;
      arm_x = hip * turned.cosine;
      arm_z = hip * turned.sine;
      const double along_x = x[foot_x + k] - x[0] - arm_x;
      const double along_z = x[foot_z + k] - x[body_height] - arm_z;
      const double length = std::sqrt(std::fma(along_x, along_x, along_z * along_z));
      unit_x = along_x / length;
      unit_z = along_z / length;
      natural_part = its.leg_stiffness * its.leg / length;
      tension_part = its.leg_stiffness - natural_part;
      pull_x = tension_part * along_x;
      pull_z = tension_part * along_z;
    }
    CAROM_HOST_DEVICE double torque() const { return arm_x * pull_z - arm_z * pull_x; }
  };
};

}  // namespace carom::inline CAROM_ISA
