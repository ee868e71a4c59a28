#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/lanes.hpp"
#include "kernels/base/least_norm.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom::inline CAROM_ISA {

/// The impulse of an interval of the PLUS law with known grips and directions of friction: a linear
/// system. Impulses are speeds, see StepLcpView; arrays are m (1 + d) long, contact by contact,
/// normal before tangential.
template <class Size>
class PlusImpulse {
 public:
  enum class Grip : std::uint8_t {
    none,       ///< the contact observes, was dropped or has no friction
    sliding,    ///< friction opposes the slip at the start of the interval
    rolling,    ///< no slip at its end
    impending,  ///< friction opposes the slip at its end
  };

  /// @param speed m (1 + d), at the start of the interval, m/s
  /// @param friction m
  CAROM_HOST_DEVICE PlusImpulse(const StepLcpView& problem, const double* speed,
                                const double* friction)
      : problem_(problem), speed_(speed), friction_(friction) {}

  /// m (1 + d), of the whole interval
  CAROM_HOST_DEVICE const double* impulse() const { return impulse_; }
  /// m (1 + d): the change of speeds by it
  CAROM_HOST_DEVICE const double* response() const { return response_; }

 protected:
  CAROM_HOST_DEVICE int contacts() const { return problem_.shape.contacts; }
  CAROM_HOST_DEVICE int dimension() const { return problem_.shape.tangent_dimension; }
  CAROM_HOST_DEVICE int size() const { return problem_.shape.impulses(); }
  CAROM_HOST_DEVICE int normal(int contact) const { return contact * (1 + dimension()); }
  CAROM_HOST_DEVICE int tangent(int contact) const { return normal(contact) + 1; }
  CAROM_HOST_DEVICE const double* row(int i) const { return problem_.delassus() + i * size(); }
  CAROM_HOST_DEVICE double* direction(int contact) { return direction_ + 2 * contact; }
  CAROM_HOST_DEVICE const double* direction(int contact) const { return direction_ + 2 * contact; }
  /// Whether friction at the contact is known by its direction.
  CAROM_HOST_DEVICE bool has_direction(int contact) const {
    return grip_[contact] == Grip::sliding || grip_[contact] == Grip::impending;
  }
  CAROM_HOST_DEVICE double tangent_length(const double* vector) const {
    return dimension() == 1 ? std::fabs(vector[0])
                            : std::sqrt(std::fma(vector[0], vector[0], vector[1] * vector[1]));
  }
  CAROM_HOST_DEVICE double along(int contact, const double* vector) const {
    const double* unit = direction(contact);
    return dimension() == 1 ? unit[0] * vector[0]
                            : std::fma(unit[0], vector[0], unit[1] * vector[1]);
  }
  /// The slip at the end of the interval.
  CAROM_HOST_DEVICE void slip_at_end(int contact, double* slip) const {
    const int at = tangent(contact);
    slip[1] = 0.0;
    for (int a = 0; a < dimension(); ++a) slip[a] = speed_[at + a] + response_[at + a];
  }

  /// Solves the rows of compressing normals and rolling tangents; the others' impulses follow.
  /// @return whether the rows hold up to allowed_residual_
  CAROM_ONE_COPY CAROM_OUT_OF_LINE CAROM_HOST_DEVICE bool solve_rows() {
    int count = 0;
    for (int i = 0; i < contacts(); ++i) {
      if (active_[i]) unknown_[count++] = normal(i);
      if (grip_[i] != Grip::rolling) continue;
      for (int a = 0; a < dimension(); ++a) unknown_[count++] = tangent(i) + a;
    }
    system_ = LeastNorm<Size::impulses>(count);
    for (int j = 0; j < count; ++j) write_column(unknown_[j], system_.column(j));
    system_.factor();
    for (int i = 0; i < size(); ++i) impulse_[i] = 0.0;
    for (int i = 0; i < contacts(); ++i) push(i, known_[i], impulse_);
    double right[Size::impulses];
    for (int r = 0; r < count; ++r) {
      right[r] = -speed_[unknown_[r]] - change(unknown_[r], impulse_);
    }
    solve_system(right, impulse_);
    for (int i = 0; i < size(); ++i) response_[i] = change(i, impulse_);
    for (int r = 0; r < count; ++r) {
      const double left = std::fabs(speed_[unknown_[r]] + response_[unknown_[r]]);
      if (!(left <= allowed_residual_)) return false;
    }
    return true;
  }

  /// Change of speed i by an impulse.
  CAROM_HOST_DEVICE double change(int i, const double* impulse) const {
    const double* its = row(i);
    double sum = 0.0;
    for (int j = 0; j < size(); ++j) sum = std::fma(its[j], impulse[j], sum);
    return sum;
  }

  /// Adds a normal impulse with the friction that follows from it.
  CAROM_HOST_DEVICE void push(int contact, double normal_impulse, double* impulse) const {
    impulse[normal(contact)] += normal_impulse;
    if (!has_direction(contact)) return;
    const double friction = friction_[contact] * normal_impulse;
    for (int a = 0; a < dimension(); ++a) {
      impulse[tangent(contact) + a] -= friction * direction(contact)[a];
    }
  }

  /// Length of what an unknown stands for: the least norm is that of the impulse.
  CAROM_HOST_DEVICE double unit_of(int unknown) const {
    const int contact = unknown / (1 + dimension());
    if (unknown != normal(contact) || !has_direction(contact)) return 1.0;
    return std::sqrt(std::fma(friction_[contact], friction_[contact], 1.0));
  }

  CAROM_HOST_DEVICE void write_column(int unknown, double* column) const {
    const int contact = unknown / (1 + dimension());
    const bool slips = unknown == normal(contact) && has_direction(contact);
    const double unit = unit_of(unknown);
    for (int r = 0; r < count_of_rows(); ++r) {
      const double* its = row(unknown_[r]);
      column[r] = its[unknown];
      if (!slips) continue;
      column[r] =
          std::fma(-friction_[contact], along(contact, its + tangent(contact)), column[r]) / unit;
    }
  }
  CAROM_HOST_DEVICE int count_of_rows() const { return system_.size(); }

  /// Adds to `impulse` the solution for a right-hand side, which is overwritten.
  CAROM_HOST_DEVICE void solve_system(double* right, double* impulse) {
    double solution[Size::impulses];
    system_.solve(right, solution);
    for (int j = 0; j < system_.size(); ++j) {
      const int contact = unknown_[j] / (1 + dimension());
      if (unknown_[j] == normal(contact)) {
        push(contact, solution[j] / unit_of(unknown_[j]), impulse);
      } else {
        impulse[unknown_[j]] += solution[j];
      }
    }
  }

  StepLcpView problem_;
  const double* speed_;
  const double* friction_;
  double allowed_residual_;  ///< of the rows, m/s

  Grip grip_[Size::contacts];
  bool active_[Size::contacts];           ///< whether its approach is to end
  double known_[Size::contacts];          ///< normal impulse of an expanding contact
  double direction_[2 * Size::contacts];  ///< that friction opposes
  int unknown_[Size::impulses];           ///< impulses that rows determine; also the rows' numbers
  LeastNorm<Size::impulses> system_;
  double impulse_[Size::impulses];
  double response_[Size::impulses];
};

}  // namespace carom::inline CAROM_ISA
