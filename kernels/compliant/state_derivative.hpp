#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/base/qualifiers.hpp"
#include "kernels/compliant/contact_bits.hpp"
#include "kernels/compliant/dormand_prince.hpp"

namespace carom::inline CAROM_ISA {

/// The derivative of a state by the one at the start; nothing if it is not asked for.
template <class System, bool wanted>
struct StateDerivative {
  using Mode = typename System::Mode;
  struct Stages {
    CAROM_HOST_DEVICE void keep(int, int, const double*, double) {}
  };
  CAROM_HOST_DEVICE void begin(const System&) {}
  CAROM_HOST_DEVICE void advance(const System&, const Mode&, const Stages&) {}
  CAROM_HOST_DEVICE void project(const System&, const Mode&, const double*, double) {}
  CAROM_HOST_DEVICE void approach(const System&, const ContactBits&, const double*, const double*,
                                  int, double) {}
  CAROM_HOST_DEVICE void pass(const System&, const double*, const double*) {}
};

/// Guards that are met at one instant, in a system in which their order counts.
template <class System>
struct Corner {
  static constexpr int size = System::max_states;
  int guard[max_affine_guards];
  int count = 0;
  double time = -1.0;
  double x[size];
  ContactBits bits;                ///< before the first
  double derivative[size * size];  ///< before the first, by columns

  /// What becomes of a disturbance v at the corner: in the order in which the disturbed motion
  /// meets the guards (B-derivative; Anderson & Revzen, Section 3.1, after Burden et al.).
  CAROM_HOST_DEVICE void carry(const System& system, double* v) const {
    const int n = system.states();
    ContactBits now = bits;
    bool met[max_affine_guards] = {};
    typename System::Mode mode;
    double before[size];
    double after[size];
    double row[size];
    const auto guards = system.guards(x);
    system.set_mode(now, mode);
    system.field(mode, guards, x, before);
    for (int turn = 0; turn < count; ++turn) {
      int first = -1;
      double soonest = 0.0;
      for (int k = 0; k < count; ++k) {
        if (met[k]) continue;
        system.gradient(x, guard[k], row);
        double moved = 0.0;
        double speed = 0.0;
        for (int i = 0; i < n; ++i) {
          moved = std::fma(row[i], v[i], moved);
          speed = std::fma(row[i], before[i], speed);
        }
        const double tau = -moved / speed;
        if (first < 0 || tau < soonest) {
          first = k;
          soonest = tau;
        }
      }
      met[first] = true;
      now.flip(guard[first]);
      system.set_mode(now, mode);
      system.field(mode, guards, x, after);
      for (int i = 0; i < n; ++i) {
        v[i] = std::fma(soonest, before[i] - after[i], v[i]);
        before[i] = after[i];
      }
    }
  }
};

/// NaN with the same bits on all processors, which disagree on the sign of those that they make.
CAROM_HOST_DEVICE inline double same_nan() {
  constexpr std::uint64_t bits = 0x7ff8000000000000;
  double nan;
  std::memcpy(&nan, &bits, sizeof nan);
  return nan;
}

/// No corner: the order of guards at one instant is of no account.
struct NoCorner {};

/// The derivative by columns: dP/dt = Df P between events, and P + (f after - f before) grad h' P /
/// (grad h . f before) at each. Where guards whose order counts are met at one instant, each column
/// is carried in the order of guards that its own direction has.
template <class System>
struct StateDerivative<System, true> {
  using Mode = typename System::Mode;
  static constexpr int size = System::max_states;
  static constexpr double one_instant = 1e-12;  // s

  double column[size * size];
  double before[size];  ///< x' before an event
  double row[size];     ///< gradient of its event function
  [[no_unique_address]] std::conditional_t<System::forces_add, NoCorner, Corner<System>> corner;
  bool one_sided = false;

  /// The states at which a step evaluated the field, and the weights of its slopes there.
  struct Stages {
    double x[DormandPrince::stages][size];
    double by[DormandPrince::stages];
    CAROM_HOST_DEVICE void keep(int s, int n, const double* at, double weight) {
      for (int i = 0; i < n; ++i) x[s][i] = at[i];
      by[s] = weight;
    }
  };

  CAROM_HOST_DEVICE bool is_one_sided() const { return one_sided; }

  CAROM_HOST_DEVICE void begin(const System& system) {
    const int n = system.states();
    for (int c = 0; c < n; ++c) {
      for (int i = 0; i < n; ++i) column[c * size + i] = i == c ? 1.0 : 0.0;
    }
  }

  CAROM_HOST_DEVICE void advance(const System& system, const Mode& mode, const Stages& stages) {
    constexpr int count = DormandPrince::stages;
    const int n = system.states();
    double slopes[count * size];
    double at[size];
    double its_rate[size];
    for (int c = 0; c < n; ++c) {
      double* const own = column + c * size;
      DormandPrince::for_each_stage([&]<int s>() {
        DormandPrince::combine<s, size>(n, own, slopes, at);
        system.variation(mode, stages.x[s], at, its_rate);
        for (int i = 0; i < n; ++i) slopes[s * size + i] = stages.by[s] * its_rate[i];
        return true;
      });
      DormandPrince::combine<count, size>(n, own, slopes, own);
    }
  }

  CAROM_HOST_DEVICE void project(const System& system, const Mode& mode, const double* x,
                                 double taken) {
    const int n = system.states();
    double its_rate[size];
    for (int c = 0; c < n; ++c) {
      double* const own = column + c * size;
      system.variation(mode, x, own, its_rate);
      for (int i = 0; i < n; ++i) own[i] = std::fma(taken, its_rate[i], own[i]);
    }
  }

  /// Before the event of a guard.
  CAROM_HOST_DEVICE void approach(const System& system, const ContactBits& bits, const double* x,
                                  const double* rate, int guard, double time) {
    const int n = system.states();
    for (int i = 0; i < n; ++i) before[i] = rate[i];
    system.gradient(x, guard, row);
    if constexpr (!System::forces_add) {
      if (corner.count == 0 || corner.count == max_affine_guards ||
          time - corner.time > one_instant) {
        corner.count = 0;
        corner.bits = bits;
        for (int i = 0; i < n; ++i) corner.x[i] = x[i];
        for (int i = 0; i < n * size; ++i) corner.derivative[i] = column[i];
      }
      corner.guard[corner.count++] = guard;
      corner.time = time;
    }
  }

  /// After it. @param rate x' in the new mode
  CAROM_HOST_DEVICE void pass(const System& system, const double* /*x*/, const double* rate) {
    const int n = system.states();
    if constexpr (!System::forces_add) {
      if (corner.count > 1) {
        one_sided = true;
        for (int i = 0; i < n * size; ++i) column[i] = corner.derivative[i];
        for (int c = 0; c < n; ++c) corner.carry(system, column + c * size);
        return;
      }
    }
    double speed = 0.0;
    for (int i = 0; i < n; ++i) speed = std::fma(row[i], before[i], speed);
    for (int c = 0; c < n; ++c) {
      double* const own = column + c * size;
      double moved = 0.0;
      for (int i = 0; i < n; ++i) moved = std::fma(row[i], own[i], moved);
      const double by = moved / speed;
      for (int i = 0; i < n; ++i) own[i] = std::fma(by, rate[i] - before[i], own[i]);
    }
  }

  /// Row i: the derivative of component i. @param is_known otherwise there is none, and all are NaN
  CAROM_HOST_DEVICE void write(const System& system, bool is_known, double* out) const {
    const int n = system.states();
    for (int i = 0; i < n; ++i) {
      for (int c = 0; c < n; ++c) {
        const double number = column[c * size + i];
        out[i * n + c] = is_known && number == number ? number : same_nan();
      }
    }
  }
};

}  // namespace carom::inline CAROM_ISA
