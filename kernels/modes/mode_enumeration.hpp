#pragma once

#include <cmath>

#include "kernels/modes/mode_conditions.hpp"
#include "kernels/modes/mode_table_view.hpp"
#include "kernels/modes/possible_modes.hpp"
#include "kernels/step/contact_step.hpp"
#include "kernels/step/step_outcome.hpp"

namespace carom::inline CAROM_ISA {

/// All solutions of one step LCP by enumeration of its contact modes.
template <class Size>
class ModeEnumeration {
 public:
  static constexpr int max_impulses = Size::impulses;
  static constexpr int max_inputs = max_impulses + Size::contacts;

  CAROM_HOST_DEVICE ModeEnumeration(const StepLcpView& problem, const ModeTableView& table,
                                    const ContactStep<Size>& step)
      : problem_(problem), table_(table), step_(step) {
    const int contacts = problem.shape.contacts;
    for (int j = 0; j < table.inputs; ++j) {
      input_[j] = table.capped || j >= contacts ? step.input()[j] : 0.0;
    }
  }

  /// Calls solution(mode, impulse, speed, residual) for every regular mode that holds, in the
  /// order of the table; impulses and contact velocities after the step as speeds.
  template <class Solution>
  CAROM_HOST_DEVICE void for_each_solution(Solution&& solution) const {
    double impulse[max_impulses];
    double speed[max_impulses];
    until_held<false>(impulse, speed, [&](int mode, double residual) {
      solution(mode, impulse, speed, residual);
      return false;
    });
  }

  /// The first regular mode, in the order of the table, that holds: writes impulses and speeds
  /// after the step and returns the residual; infinite if none holds.
  CAROM_HOST_DEVICE double find_first(double* impulse, double* after) const {
    double found = INFINITY;
    until_held<true>(impulse, after, [&](int, double residual) {
      found = residual;
      return true;
    });
    return found;
  }

  /// Calls segment(index, impulse, direction, low, high) for every singular mode that holds along
  /// a segment impulse + t direction, low <= t <= high, on which the velocity varies by more than
  /// ContactStep::merge_distance().
  template <class Segment>
  CAROM_HOST_DEVICE void for_each_segment(Segment&& segment) const {
    for (int s = 0; s < table_.segments; ++s) {
      const double inconsistency =
          dot(table_.consistency + s * table_.inputs, input_, table_.inputs);
      if (!(std::fabs(inconsistency) <= residual_tolerance * step_.velocity_scale())) continue;
      double impulse[max_impulses];
      double speed[max_impulses];
      double turn[max_impulses];
      apply(table_.segment_map + static_cast<std::size_t>(s) * map_size(), input_, impulse);
      speed_after(impulse, speed);
      const double* direction = table_.segment_direction + s * table_.impulses;
      double rate = 0.0;
      for (int i = 0; i < table_.impulses; ++i) {
        turn[i] = dot(problem_.delassus() + i * table_.impulses, direction, table_.impulses);
        rate = larger(rate, std::fabs(turn[i]));
      }
      double low = -INFINITY;
      double high = INFINITY;
      limits(s, impulse, speed, direction, turn, low, high);
      if (high - low < INFINITY && (high - low) * rate > step_.merge_distance()) {
        segment(s, impulse, direction, low, high);
      }
    }
  }

 private:
  /// Writes impulses and speeds of one regular mode after the other, and calls held(mode, residual)
  /// for those that hold, until it returns true.
  template <bool only_first, class Held>
  CAROM_HOST_DEVICE void until_held(double* impulse, double* speed, Held&& held) const {
    const PossibleModes<Size, only_first> possible(table_, input_);
    possible.until([&](int mode) {
      const double residual =
          step_.evaluate(table_.map + static_cast<std::size_t>(mode) * map_size(), impulse, speed);
      return residual <= residual_tolerance && held(mode, residual);
    });
  }

  CAROM_HOST_DEVICE static double dot(const double* row, const double* vector, int size) {
    double sum = 0.0;
    for (int j = 0; j < size; ++j) sum = std::fma(row[j], vector[j], sum);
    return sum;
  }

  CAROM_HOST_DEVICE std::size_t map_size() const {
    return static_cast<std::size_t>(table_.impulses) * static_cast<std::size_t>(table_.inputs);
  }

  CAROM_HOST_DEVICE void apply(const double* map, const double* input, double* impulse) const {
    for (int i = 0; i < table_.impulses; ++i) {
      impulse[i] = dot(map + i * table_.inputs, input, table_.inputs);
    }
  }

  /// Contact velocities after the step.
  CAROM_HOST_DEVICE void speed_after(const double* impulse, double* speed) const {
    for (int i = 0; i < table_.impulses; ++i) {
      speed[i] = input_[problem_.shape.contacts + i] +
                 dot(problem_.delassus() + i * table_.impulses, impulse, table_.impulses);
    }
  }

  /// The part of a singular mode's segment on which its conditions hold.
  CAROM_HOST_DEVICE void limits(int s, const double* impulse, const double* speed,
                                const double* direction, const double* turn, double& low,
                                double& high) const {
    const ProblemShape& shape = problem_.shape;
    const FrictionPolygon polygon{shape.tangent_dimension, shape.friction_directions,
                                  problem_.directions()};
    const double slack = residual_tolerance * step_.impulse_scale();
    constexpr int max_conditions = Size::lcp_size;  // of one contact: k + 2, k <= n / m - 3
    for (int i = 0; i < shape.contacts; ++i) {
      const ContactState& state = table_.segment_state[s * shape.contacts + i];
      const int at = i * (1 + shape.tangent_dimension);
      double value[max_conditions];
      int count = 0;
      contact_conditions(state, polygon, problem_.friction()[i], table_.capped, input_[i],
                         impulse + at, speed + at, [&](double v) { value[count++] = v; });
      int row = 0;
      contact_conditions(state, polygon, problem_.friction()[i], table_.capped, 0.0, direction + at,
                         turn + at, [&](double slope) {
                           const double v = value[row++];
                           if (std::fabs(slope) <= flat) {
                             if (v < -slack) high = -INFINITY;
                           } else if (slope > 0.0) {
                             low = larger(low, -v / slope);
                           } else {
                             high = smaller(high, -v / slope);
                           }
                         });
    }
  }

  static constexpr double flat = 1e-12;  // slope of a condition along a direction of length 1

  StepLcpView problem_;
  ModeTableView table_;
  const ContactStep<Size>& step_;
  double input_[max_inputs];
};

}  // namespace carom::inline CAROM_ISA
