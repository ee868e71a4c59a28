#pragma once

#include <cmath>
#include <type_traits>

#include "kernels/base/double_double.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/base/team.hpp"
#include "kernels/step/step_lcp_view.hpp"
#include "kernels/step/velocity.hpp"

namespace carom::inline CAROM_ISA {

/// Above this residual a solution is refined: the map of a basis leaves about 1e-15.
inline constexpr double refinement_threshold = 1e-13;
inline constexpr int max_refinements = 3;

/// Contact velocities after a step that differ by less than this fraction of the step's speed scale
/// count as equal. Solutions at the edge of two modes agree to about 1e-12.
inline constexpr double merge_tolerance = 1e-7;
/// The speed scale: the change that the caps can cause, but at least this fraction of the speeds
/// before the step. With smaller caps, residual_tolerance accepts neighbours of one solution.
inline constexpr double least_change = 0.1;

/// One step (Halm & Posa, Eq. 72-75) in contact coordinates: the solution by the map of a basis,
/// and the residual of impulses. Impulses are speeds, see StepLcpView; all arrays are m (1 + d)
/// long, contact by contact, normal before tangential.
///
/// With Lanes as Value, it computes steps of several trajectories side by side, with the bits of
/// single steps.
/// The threads of the size's team call its functions together.
/// @tparam View of the problem
template <class Size, class Value = double, class View = StepLcpView>
class ContactStep {
 public:
  using Team = TeamOf<Size>;
  static constexpr int max_impulses = Size::impulses;
  static constexpr int max_inputs = Size::impulses + Size::contacts;

  /// @param speed before the step, m/s
  /// @param cap m, as speeds, >= 0
  CAROM_HOST_DEVICE ContactStep(const View& view, const Value* speed, const Value* cap)
      : view_(view) {
    const ProblemShape shape = Size::narrow(view).shape;
    const int d = shape.tangent_dimension;
    Value largest_cap = number(0.0);
    Value fastest = number(0.0);
    Team::own(shape.contacts, [&](int i) CAROM_INLINE_LAMBDA {
      input_[i] = cap[i];
      largest_cap = larger(largest_cap, cap[i]);
      const Value* its = speed + i * (1 + d);
      for (int a = 0; a <= d; ++a) input_[shape.contacts + i * (1 + d) + a] = its[a];
      fastest = larger(fastest, magnitude(its[0]));
      for (int j = 0; j < shape.friction_directions; ++j) {
        fastest = larger(fastest, magnitude(along(j, its + 1)));
      }
    });
    largest_cap = Team::largest(largest_cap);
    velocity_scale_ = Team::largest(fastest);
    // As a speed: the largest cap or, if it is larger, the impulse that stops the fastest contact
    // coordinate at the contact that needs most.
    const Value stopping =
        velocity_scale_ / number(view.least_admittance()) * number(view.impulse_unit());
    impulse_scale_ = choose(number(0.0) < largest_cap, smaller(stopping, largest_cap), stopping);
    Team::meet();
  }

  /// m (1 + d)
  CAROM_HOST_DEVICE int impulses() const { return view().shape.impulses(); }
  /// The fastest contact coordinate before the step, m/s.
  CAROM_HOST_DEVICE Value velocity_scale() const { return velocity_scale_; }
  /// The largest cap, or less if less stops all contacts; as a speed, m/s.
  CAROM_HOST_DEVICE Value impulse_scale() const { return impulse_scale_; }
  /// Two contact velocities after the step that differ by less count as equal, m/s.
  CAROM_HOST_DEVICE Value merge_distance() const {
    return number(merge_tolerance) * larger(impulse_scale_, number(least_change) * velocity_scale_);
  }
  /// Caps (m), then speeds before the step.
  CAROM_HOST_DEVICE const Value* input() const { return input_; }

  /// What refine() needs, in memory that the team shares.
  struct Refinement {
    double left[max_inputs];
    double impulse[max_impulses];
    double after[max_impulses];
  };

  /// Applies the map of a basis (m (1 + d) x inputs, row-major): impulses, contact speeds after
  /// them, and the residual.
  CAROM_HOST_DEVICE double evaluate(const double* map, double* impulse, double* after,
                                    Refinement& refined) const {
    apply(map, input_, impulse);
    const double residual = assess(impulse, after);
    return residual <= refinement_threshold ? residual
                                            : refine(map, residual, impulse, after, refined);
  }
  CAROM_HOST_DEVICE double evaluate(const double* map, double* impulse, double* after) const {
    Refinement refined;
    return evaluate(map, impulse, after, refined);
  }

  /// Refines a solution: the map of the basis removes the speeds that rounding left where the basis
  /// has zeros. It starts from the results of evaluate() and ends with refined ones.
  CAROM_HOST_DEVICE double refine(const double* map, double residual, double* impulse,
                                  double* after, Refinement& refined) const {
    for (int r = 0; r < max_refinements && !(residual <= refinement_threshold); ++r) {
      const int contacts = view().shape.contacts;
      Team::each(view().shape.inputs(),
                 [&](int j) { refined.left[j] = j < contacts ? 0.0 : after[j - contacts]; });
      apply(map, refined.left, refined.impulse);
      Team::each(view().shape.impulses(),
                 [&](int i) { refined.impulse[i] = impulse[i] + refined.impulse[i]; });
      const double its = assess(refined.impulse, refined.after);
      if (!(its < 0.5 * residual)) break;  // not a solution, or as good as possible
      residual = its;
      Team::each(view().shape.impulses(), [&](int i) {
        impulse[i] = refined.impulse[i];
        after[i] = refined.after[i];
      });
    }
    return residual;
  }

  /// Contact speeds after impulses, and the residual: the greatest |min(z / s_z, y / s_y)| over the
  /// rows of the step LCP (docs/residual.md), with the best beta and gamma for the impulses.
  /// Contacts only push: a normal impulse that rounding made negative is first set to zero.
  CAROM_HOST_DEVICE Value assess(Value* impulse, Value* after) const {
    if constexpr (Team::threads > 1) return assess_out_of_line(impulse, after);
    return assess_here(impulse, after);
  }

  /// beta of a contact with these speeds (1 + d) after the step, m/s
  CAROM_HOST_DEVICE Value cap_slack(const Value* speed) const {
    return larger(-speed[0], number(0.0));
  }
  /// gamma of a contact with these speeds after the step, m/s
  CAROM_HOST_DEVICE Value slip_speed(const Value* speed) const {
    Value slip = number(0.0);
    for (int j = 0; j < view().shape.friction_directions; ++j) {
      slip = larger(-along(j, speed + 1), slip);
    }
    return slip;
  }

  /// A tangential impulse (d) as a sum of neighbouring friction directions (k) with coefficients >=
  /// 0: the least such sum.
  CAROM_HOST_DEVICE void split_friction(const Value* tangential, Value* direction) const {
    const int k = view().shape.friction_directions;
    const double* unit = view().directions();
    if (view().shape.tangent_dimension == 1) {
      for (int j = 0; j < k; ++j) {
        direction[j] = larger(number(unit[j]) * tangential[0], number(0.0));
      }
      return;
    }
    if constexpr (std::is_same_v<Value, double>) split_in_space(tangential, direction);
  }

  /// Component of a tangential vector (d) along friction direction j.
  CAROM_HOST_DEVICE Value along(int j, const Value* tangential) const {
    const int d = view().shape.tangent_dimension;
    Value sum = number(0.0);
    for (int a = 0; a < d; ++a) {
      sum = fused(number(view().directions()[j * d + a]), tangential[a], sum);
    }
    return sum;
  }

 private:
  CAROM_HOST_DEVICE Value assess_here(Value* impulse, Value* after) const {
    push_only(impulse);
    speed_after(impulse, after);
    const ProblemShape shape = view().shape;
    const int k = shape.friction_directions;
    const Value zero = number(0.0);
    const Value one = number(1.0);
    const Value of_speed = choose(zero < velocity_scale_, one / velocity_scale_, one);
    const Value of_impulse = choose(zero < impulse_scale_, one / impulse_scale_, one);
    Value worst = zero;
    Value largest = zero;  // the sum detects NaN, which a maximum does not
    const auto row = [&](Value z, Value y) {
      largest = largest + (magnitude(z) + magnitude(y));
      worst = larger(worst, magnitude(smaller(z, y)));
    };
    Team::own(shape.contacts, [&](int i) CAROM_INLINE_LAMBDA {
      const Value* push = impulse + i * (1 + shape.tangent_dimension);
      const Value* speed = after + i * (1 + shape.tangent_dimension);
      const Value beta = cap_slack(speed);
      row(push[0] * of_impulse, (speed[0] + beta) * of_speed);
      row(beta * of_speed, (input_[i] - push[0]) * of_impulse);
      const Value gamma = slip_speed(speed);
      Value direction[max_directions];
      split_friction(push + 1, direction);
      Value friction = zero;
      for (int j = 0; j < k; ++j) {
        row(direction[j] * of_impulse, (along(j, speed + 1) + gamma) * of_speed);
        friction = friction + direction[j];
      }
      const double mu = view().friction()[i];
      row(gamma * of_speed,
          fused(number(mu), push[0], -friction) * (of_impulse / number(1.0 + mu)));
    });
    worst = Team::largest(worst);
    largest = Team::sum(largest);
    return choose(largest < number(INFINITY), worst, number(INFINITY));
  }

  /// Of a team, whose arrays are in memory anyway: a copy at each use would be more than an
  /// instruction cache holds.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE Value assess_out_of_line(Value* impulse, Value* after) const {
    return assess_here(impulse, after);
  }

  static constexpr int max_directions = Size::lcp_size;  // of one contact: n / m - 3

  CAROM_HOST_DEVICE static Value number(double value) { return everywhere<Value>(value); }

  CAROM_HOST_DEVICE void apply(const double* map, const double* input, double* impulse) const {
    const int inputs = view().shape.inputs();
    Team::each(view().shape.impulses(), [&](int i) CAROM_INLINE_LAMBDA {
      double sum = map[i * inputs] * input[0];
      for (int j = 1; j < inputs; ++j) sum = std::fma(map[i * inputs + j], input[j], sum);
      impulse[i] = sum;
    });
  }

  CAROM_HOST_DEVICE void push_only(Value* impulse) const {
    const Value noise = number(-impulse_noise) * impulse_scale_;
    Team::each(view().shape.contacts, [&](int i) CAROM_INLINE_LAMBDA {
      Value& normal = impulse[i * (1 + view().shape.tangent_dimension)];
      normal = choose(noise <= normal, larger(normal, number(0.0)), normal);
    });
  }

  CAROM_HOST_DEVICE void speed_after(const Value* impulse, Value* after) const {
    const int size = view().shape.impulses();
    const Value* before = input_ + view().shape.contacts;
    const Value noise = number(speed_noise) * velocity_scale_;
    Team::each(size, [&](int i) CAROM_INLINE_LAMBDA {
      const double* row = view().delassus() + i * size;
      Value sum = before[i];
      for (int j = 0; j < size; ++j) sum = fused(number(row[j]), impulse[j], sum);
      after[i] = choose(magnitude(sum) <= noise, number(0.0), sum);
    });
  }

  /// As split_friction, for d = 2.
  CAROM_HOST_DEVICE void split_in_space(const double* tangential, double* direction) const {
    const int k = view().shape.friction_directions;
    const double* unit = view().directions();
    for (int j = 0; j < k; ++j) direction[j] = 0.0;
    int nearest = 0;
    double most = -INFINITY;
    for (int j = 0; j < k; ++j) {  // finds the pair of neighbours around the impulse
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

  static constexpr double impulse_noise = 0x1p-40;

  /// Constructed at each use, so that the compiler knows its constants.
  CAROM_VIEW_FUNCTION constexpr View view() const { return Size::narrow(view_); }

  View view_;
  Value velocity_scale_;
  Value impulse_scale_;
  Value input_[max_inputs];
};

}  // namespace carom::inline CAROM_ISA
