#pragma once

#include <cmath>

#include "kernels/double_double.hpp"
#include "kernels/qualifiers.hpp"
#include "kernels/step_lcp_view.hpp"

namespace carom::inline CAROM_ISA {

/// Above this residual a solution is refined: a basis' map leaves about 1e-15.
inline constexpr double refinement_threshold = 1e-13;
inline constexpr int max_refinements = 3;

/// A contact speed below this part of the fastest before the step is what rounding left of zero.
inline constexpr double speed_noise = 0x1p-46;

/// Contact speeds (m (1 + d), contact by contact) of a velocity (nv), m/s.
CAROM_HOST_DEVICE inline void contact_speeds(const StepLcpView& problem, const double* velocity,
                                             double* speed) {
  const ProblemShape& shape = problem.shape;
  const int d = shape.tangent_dimension;
  double fastest = 0.0;
  for (int i = 0; i < shape.impulses(); ++i) {
    const int contact = i / (1 + d);
    const int a = i % (1 + d);
    const double* row = a == 0
                            ? problem.normal_jacobian() + contact * shape.velocities
                            : problem.tangent_jacobian() + (contact * d + a - 1) * shape.velocities;
    double sum = 0.0;
    for (int j = 0; j < shape.velocities; ++j) sum = std::fma(row[j], velocity[j], sum);
    speed[i] = sum;
    fastest = larger(fastest, std::fabs(sum));
  }
  for (int i = 0; i < shape.impulses(); ++i) {
    if (std::fabs(speed[i]) <= speed_noise * fastest) speed[i] = 0.0;
  }
}

/// Moves a velocity (nv) by impulses (m (1 + d), as speeds).
CAROM_HOST_DEVICE inline void apply_impulse(const StepLcpView& problem, const double* impulse,
                                            double* velocity) {
  const ProblemShape& shape = problem.shape;
  const int nv = shape.velocities;
  const int d = shape.tangent_dimension;
  for (int i = 0; i < shape.impulses(); ++i) {
    const int contact = i / (1 + d);
    const int a = i % (1 + d);
    const double push = impulse[i] / problem.impulse_unit();
    const double* response = a == 0 ? problem.normal_response() + contact * nv
                                    : problem.tangent_response() + (contact * d + a - 1) * nv;
    for (int j = 0; j < nv; ++j) velocity[j] = std::fma(response[j], push, velocity[j]);
  }
}

/// One step (Halm & Posa, Eq. 72-75) in contact coordinates: what a basis' map makes of its inputs,
/// and how well impulses solve it. Impulses are speeds, see StepLcpView; all arrays are m (1 + d)
/// long, contact by contact, normal before tangential.
template <class Capacity>
class ContactStep {
 public:
  static constexpr int max_impulses = Capacity::impulses;
  static constexpr int max_inputs = Capacity::impulses + Capacity::contacts;

  /// @param speed before the step, m/s
  /// @param cap m, as speeds, >= 0
  CAROM_HOST_DEVICE ContactStep(const StepLcpView& view, const double* speed, const double* cap)
      : view_(view) {
    const ProblemShape& shape = view.shape;
    const int d = shape.tangent_dimension;
    double largest_cap = 0.0;
    for (int i = 0; i < shape.contacts; ++i) {
      input_[i] = cap[i];
      largest_cap = larger(largest_cap, cap[i]);
    }
    velocity_scale_ = 0.0;
    for (int i = 0; i < shape.contacts; ++i) {
      const double* its = speed + i * (1 + d);
      for (int a = 0; a <= d; ++a) input_[shape.contacts + i * (1 + d) + a] = its[a];
      velocity_scale_ = larger(velocity_scale_, std::fabs(its[0]));
      for (int j = 0; j < shape.friction_directions; ++j) {
        velocity_scale_ = larger(velocity_scale_, std::fabs(along(j, its + 1)));
      }
    }
    // As a speed: the largest cap or, if that is more, what stops the fastest contact coordinate
    // at the contact that takes most.
    impulse_scale_ = velocity_scale_ / view.least_admittance() * view.impulse_unit();
    if (largest_cap > 0.0) impulse_scale_ = smaller(impulse_scale_, largest_cap);
  }

  /// The fastest contact coordinate before the step, m/s.
  CAROM_HOST_DEVICE double velocity_scale() const { return velocity_scale_; }
  /// The largest cap, or less where less stops everything; as a speed, m/s.
  CAROM_HOST_DEVICE double impulse_scale() const { return impulse_scale_; }
  /// Caps (m), then speeds before the step.
  CAROM_HOST_DEVICE const double* input() const { return input_; }

  /// What a basis' map (m (1 + d) x inputs, row-major) gives: impulses, contact speeds after them,
  /// and the residual. What speed rounding left where the basis wants none, its own map takes away.
  CAROM_HOST_DEVICE double evaluate(const double* map, double* impulse, double* after) const {
    apply(map, input_, impulse);
    double residual = assess(impulse, after);
    for (int r = 0; r < max_refinements && !(residual <= refinement_threshold); ++r) {
      double left[max_inputs];
      double refined[max_impulses];
      double refined_after[max_impulses];
      const int contacts = view_.shape.contacts;
      for (int j = 0; j < view_.shape.inputs(); ++j) {
        left[j] = j < contacts ? 0.0 : after[j - contacts];
      }
      apply_more(map, left, impulse, refined);
      const double its = assess(refined, refined_after);
      if (!(its < 0.5 * residual)) break;  // it is no solution, or cannot be better
      residual = its;
      for (int i = 0; i < view_.shape.impulses(); ++i) {
        impulse[i] = refined[i];
        after[i] = refined_after[i];
      }
    }
    return residual;
  }

  /// Contact speeds after impulses, and the residual: the greatest |min(z / s_z, y / s_y)| over the
  /// rows of the step LCP (docs/residual.md), with the beta and gamma that suit the impulses best.
  CAROM_HOST_DEVICE double assess(const double* impulse, double* after) const {
    speed_after(impulse, after);
    const ProblemShape& shape = view_.shape;
    const int k = shape.friction_directions;
    const double of_speed = velocity_scale_ > 0.0 ? 1.0 / velocity_scale_ : 1.0;
    const double of_impulse = impulse_scale_ > 0.0 ? 1.0 / impulse_scale_ : 1.0;
    double worst = 0.0;
    bool finite = true;
    const auto row = [&](double z, double y) {
      finite = finite && std::fabs(z) < INFINITY && std::fabs(y) < INFINITY;
      worst = larger(worst, std::fabs(smaller(z, y)));
    };
    for (int i = 0; i < shape.contacts; ++i) {
      const double* push = impulse + i * (1 + shape.tangent_dimension);
      const double* speed = after + i * (1 + shape.tangent_dimension);
      const double beta = cap_slack(speed);
      row(push[0] * of_impulse, (speed[0] + beta) * of_speed);
      row(beta * of_speed, (input_[i] - push[0]) * of_impulse);
      const double gamma = slip_speed(speed);
      double direction[max_directions];
      split_friction(push + 1, direction);
      double friction = 0.0;
      for (int j = 0; j < k; ++j) {
        row(direction[j] * of_impulse, (along(j, speed + 1) + gamma) * of_speed);
        friction += direction[j];
      }
      const double mu = view_.friction()[i];
      row(gamma * of_speed, std::fma(mu, push[0], -friction) * (of_impulse / (1.0 + mu)));
    }
    return finite ? worst : INFINITY;
  }

  /// beta of a contact with these speeds (1 + d) after the step, m/s
  CAROM_HOST_DEVICE double cap_slack(const double* speed) const { return larger(-speed[0], 0.0); }
  /// gamma of a contact with these speeds after the step, m/s
  CAROM_HOST_DEVICE double slip_speed(const double* speed) const {
    double slip = 0.0;
    for (int j = 0; j < view_.shape.friction_directions; ++j) {
      slip = larger(-along(j, speed + 1), slip);
    }
    return slip;
  }

  /// A tangential impulse (d) as a sum of friction directions (k) with coefficients >= 0, of
  /// neighbours only: the least sum there is.
  CAROM_HOST_DEVICE void split_friction(const double* tangential, double* direction) const {
    const int k = view_.shape.friction_directions;
    const double* unit = view_.directions();
    if (view_.shape.tangent_dimension == 1) {
      for (int j = 0; j < k; ++j) direction[j] = larger(unit[j] * tangential[0], 0.0);
      return;
    }
    for (int j = 0; j < k; ++j) direction[j] = 0.0;
    int nearest = 0;
    double most = -INFINITY;
    for (int j = 0; j < k; ++j) {  // the pair of neighbours that it lies between
      const int next = (j + 1) % k;
      const double size = (unit[2 * j] + unit[2 * next]) * tangential[0] +
                          (unit[2 * j + 1] + unit[2 * next + 1]) * tangential[1];
      if (size > most) {
        most = size;
        nearest = j;
      }
    }
    const double* a = unit + 2 * nearest;
    const int next = (nearest + 1) % k;
    const double* b = unit + 2 * next;
    const double area = a[0] * b[1] - a[1] * b[0];
    direction[nearest] = larger((tangential[0] * b[1] - tangential[1] * b[0]) / area, 0.0);
    direction[next] = larger((a[0] * tangential[1] - a[1] * tangential[0]) / area, 0.0);
  }

  /// Of a tangential vector (d), along friction direction j.
  CAROM_HOST_DEVICE double along(int j, const double* tangential) const {
    const int d = view_.shape.tangent_dimension;
    double sum = 0.0;
    for (int a = 0; a < d; ++a) {
      sum = std::fma(view_.directions()[j * d + a], tangential[a], sum);
    }
    return sum;
  }

 private:
  static constexpr int max_directions = Capacity::lcp_size;  // of one contact: n / m - 3

  CAROM_HOST_DEVICE void apply(const double* map, const double* input, double* impulse) const {
    const int inputs = view_.shape.inputs();
    for (int i = 0; i < view_.shape.impulses(); ++i) {
      double sum = 0.0;
      for (int j = 0; j < inputs; ++j) sum = std::fma(map[i * inputs + j], input[j], sum);
      impulse[i] = sum;
    }
    push_only(impulse);
  }

  /// result = impulse + map input
  CAROM_HOST_DEVICE void apply_more(const double* map, const double* input, const double* impulse,
                                    double* result) const {
    const int inputs = view_.shape.inputs();
    for (int i = 0; i < view_.shape.impulses(); ++i) {
      double sum = 0.0;
      for (int j = 0; j < inputs; ++j) sum = std::fma(map[i * inputs + j], input[j], sum);
      result[i] = impulse[i] + sum;
    }
    push_only(result);
  }

  /// Contacts push: what rounding left below zero is zero.
  CAROM_HOST_DEVICE void push_only(double* impulse) const {
    for (int i = 0; i < view_.shape.contacts; ++i) {
      double& normal = impulse[i * (1 + view_.shape.tangent_dimension)];
      if (normal < 0.0 && -normal <= impulse_noise * impulse_scale_) normal = 0.0;
    }
  }

  CAROM_HOST_DEVICE void speed_after(const double* impulse, double* after) const {
    const int size = view_.shape.impulses();
    const double* before = input_ + view_.shape.contacts;
    const double noise = speed_noise * velocity_scale_;
    for (int i = 0; i < size; ++i) {
      const double* row = view_.delassus() + i * size;
      double sum = before[i];
      for (int j = 0; j < size; ++j) sum = std::fma(row[j], impulse[j], sum);
      after[i] = std::fabs(sum) <= noise ? 0.0 : sum;
    }
  }

  static constexpr double impulse_noise = 0x1p-40;

  StepLcpView view_;
  double velocity_scale_;
  double impulse_scale_;
  double input_[max_inputs];
};

}  // namespace carom::inline CAROM_ISA
