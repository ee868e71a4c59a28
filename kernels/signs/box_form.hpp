#pragma once

#include <cmath>

#include "kernels/base/double_double.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom::inline CAROM_ISA {

/// The most that |J| |v| adds up to in a contact coordinate, m/s: the rounding errors of the
/// contact speeds of `velocity` (nv), and of all later steps of its trajectory, are in proportion
/// to it.
CAROM_HOST_DEVICE inline double summed_speed(const StepLcpView& problem, const double* velocity) {
  const ProblemShape& shape = problem.shape;
  double most = 0.0;
  const auto add_rows = [&](const double* row, int rows) {
    for (int i = 0; i < rows; ++i, row += shape.velocities) {
      double sum = 0.0;
      for (int j = 0; j < shape.velocities; ++j) {
        sum = std::fma(std::fabs(row[j]), std::fabs(velocity[j]), sum);
      }
      most = larger(most, sum);
    }
  };
  add_rows(problem.normal_jacobian(), shape.contacts);
  add_rows(problem.tangent_jacobian(), shape.tangents());
  return most;
}

/// Thresholds of one step in box form, m/s.
struct StepTolerances {
  double feasible = 0.0;  ///< a bound that is passed by less holds
  double strict = 0.0;    ///< least size of a speed that counts as positive or negative
};

/// One step as a linear map in a box: coordinates x, speeds s = start + matrix x, all as speeds
/// (see StepLcpView). The friction polygon of a contact, a regular k-gon, is the sum of k / 2
/// segments along its edges, and friction that dissipates most over a sum does so over each part.
/// So each contact has a normal coordinate, 0 <= x <= cap, and k / 2 frictions (in the plane: one)
/// with |x| <= friction * normal x. A step's solution has for each coordinate one of three signs:
///
///     sign of s   normal          friction
///     +           x = 0           x at its least
///     0           within bounds   within bounds
///     -           x = cap         x at its most
///
/// With k > 4, the parts are redundant: several x are the same impulse. A contact without cap and a
/// contact's frictions with mu = 0 have no coordinates.
template <int MaxCoordinates>
struct BoxForm {
  static constexpr int max_coordinates = MaxCoordinates;

  int contacts = 0;                 ///< those with coordinates
  int first[MaxCoordinates + 1];    ///< of a contact: its normal coordinate; frictions follow
  int owner[MaxCoordinates];        ///< the contact's number in the problem
  int normal[MaxCoordinates];       ///< of a coordinate: its contact's normal; of a normal, itself
  double cap[MaxCoordinates];       ///< of a normal coordinate
  double friction[MaxCoordinates];  ///< of a friction: its limit per normal x
  /// 1 + the sum of a contact's frictions, at its normal: x times this is of the size of the
  /// speeds that the normal x and the friction that it allows can cause.
  double reach[MaxCoordinates];
  double start[MaxCoordinates];
  double matrix[MaxCoordinates * MaxCoordinates];  ///< coordinates() square, row-major
  StepTolerances tolerances;

  /// @param before contact speeds, m (1 + d)
  /// @param cap m
  /// @param summed see summed_speed()
  CAROM_HOST_DEVICE BoxForm(const StepLcpView& problem, const double* before,
                            const double* step_cap, double summed)
      : problem_(problem) {
    place_coordinates(step_cap, summed);
    make_map(before);
    set_tolerances(summed);
  }

  CAROM_HOST_DEVICE int coordinates() const { return first[contacts]; }
  CAROM_HOST_DEVICE bool is_normal(int coordinate) const {
    return normal[coordinate] == coordinate;
  }

  /// Impulses (m (1 + d), contact by contact) of x.
  CAROM_HOST_DEVICE void impulses_of(const double* x, double* impulse) const {
    const int d = problem_.shape.tangent_dimension;
    for (int i = 0; i < problem_.shape.impulses(); ++i) impulse[i] = 0.0;
    for (int i = 0; i < contacts; ++i) {
      double* its = impulse + owner[i] * (1 + d);
      its[0] = x[first[i]];
      for (int c = first[i] + 1; c < first[i + 1]; ++c) {
        for (int a = 0; a < d; ++a) its[1 + a] = std::fma(axis(c)[a], x[c], its[1 + a]);
      }
    }
  }

  /// start + matrix x
  CAROM_HOST_DEVICE void speeds_of(const double* x, double* speed) const {
    const int n = coordinates();
    for (int c = 0; c < n; ++c) {
      double sum = start[c];
      for (int j = 0; j < n; ++j) sum = std::fma(matrix[c * n + j], x[j], sum);
      speed[c] = sum;
    }
  }

  /// Twice the part of the kinetic energy that impulses in these coordinates can take, per unit of
  /// admittance: |s_c| <= sqrt(this * matrix_cc) after any step (Halm & Posa, Theorem 7). Infinite
  /// if rounding leaves it open.
  CAROM_HOST_DEVICE double twice_energy() const {
    constexpr double dependent = 1e-11;   // part of a diagonal entry that rounding can leave
    constexpr double consistent = 1e-12;  // part of the speeds
    const int n = coordinates();
    double factor[MaxCoordinates * MaxCoordinates];  // L D of Cholesky's method, lower part
    double inverse[MaxCoordinates];                  // of D
    double rest[MaxCoordinates];
    double fastest = 0.0;
    for (int i = 0; i < n; ++i) fastest = larger(fastest, std::fabs(start[i]));
    double twice = 0.0;
    for (int i = 0; i < n; ++i) {
      rest[i] = start[i];
      double diagonal = matrix[i * n + i];
      for (int j = 0; j < i; ++j) {
        double entry = matrix[i * n + j];
        for (int k = 0; k < j; ++k) {
          entry = std::fma(-factor[i * n + k], factor[j * n + k] * inverse[k], entry);
        }
        factor[i * n + j] = entry;
        const double part = entry * inverse[j];
        diagonal = std::fma(-part, entry, diagonal);
        rest[i] = std::fma(-part, rest[j], rest[i]);
      }
      if (diagonal > dependent * matrix[i * n + i]) {
        inverse[i] = 1.0 / diagonal;
        twice = std::fma(rest[i] * inverse[i], rest[i], twice);
      } else if (std::fabs(rest[i]) <= consistent * fastest) {
        inverse[i] = 0.0;
      } else {
        return INFINITY;
      }
    }
    return twice;
  }

 private:
  static constexpr double rounding = 1e-14;  // of a speed, part of the summed one

  /// Caps near the corners of the simplex may be as small as 1e-40: what such a contact can do is
  /// below the rounding errors of the speeds, so it has no coordinates, as without a cap.
  CAROM_HOST_DEVICE double negligible_cap(const double* step_cap, double summed) const {
    constexpr double of_speed = 1e-11;
    constexpr double of_cap = 1e-10;
    double largest = 0.0;
    for (int i = 0; i < problem_.shape.contacts; ++i) largest = larger(largest, step_cap[i]);
    return smaller(of_speed * summed, of_cap * largest);
  }

  CAROM_HOST_DEVICE void place_coordinates(const double* step_cap, double summed) {
    const double negligible = negligible_cap(step_cap, summed);
    const ProblemShape& shape = problem_.shape;
    const int d = shape.tangent_dimension;
    const int k = shape.friction_directions;
    frictions_ = d == 1 ? 1 : k / 2;
    double length = 1.0;  // half an edge of the polygon, per impulse along a direction
    axis_[0] = 1.0;
    if (d == 2) {
      const double* unit = problem_.directions();
      for (int j = 0; j < frictions_; ++j) {
        const double* next = unit + 2 * ((j + 1) % k);
        const double edge[2] = {next[0] - unit[2 * j], next[1] - unit[2 * j + 1]};
        const double its = std::sqrt(std::fma(edge[0], edge[0], edge[1] * edge[1]));
        for (int a = 0; a < 2; ++a) axis_[2 * j + a] = edge[a] / its;
        length = 0.5 * its;
      }
    }
    int c = 0;
    first[0] = 0;
    for (int i = 0; i < shape.contacts; ++i) {
      const double reach_of_cap = step_cap[i] * std::fma(problem_.friction()[i], frictions_, 1.0);
      if (!(reach_of_cap > negligible)) continue;
      const int its_normal = c++;
      owner[contacts] = i;
      normal[its_normal] = its_normal;
      cap[its_normal] = step_cap[i];
      friction[its_normal] = 0.0;
      reach[its_normal] = 1.0;
      for (int j = 0; j < frictions_ && problem_.friction()[i] > 0.0; ++j, ++c) {
        normal[c] = its_normal;
        cap[c] = 0.0;
        reach[c] = 1.0;
        friction[c] = problem_.friction()[i] * length;
        reach[its_normal] += friction[c];
      }
      first[++contacts] = c;
    }
  }

  /// Unit vector (d) of a friction.
  CAROM_HOST_DEVICE const double* axis(int coordinate) const {
    return axis_ + (coordinate - normal[coordinate] - 1) * problem_.shape.tangent_dimension;
  }

  CAROM_HOST_DEVICE void make_map(const double* before) {
    const int n = coordinates();
    const int d = problem_.shape.tangent_dimension;
    const int size = problem_.shape.impulses();
    // Contact coordinates of a coordinate and how much of each it has.
    const auto parts = [&](int contact, int c, int& begin, const double*& weight) {
      begin = owner[contact] * (1 + d) + (is_normal(c) ? 0 : 1);
      weight = is_normal(c) ? &unit_ : axis(c);
      return is_normal(c) ? 1 : d;
    };
    for (int i = 0; i < contacts; ++i) {
      for (int c = first[i]; c < first[i + 1]; ++c) {
        int row = 0;
        const double* row_weight = nullptr;
        const int rows = parts(i, c, row, row_weight);
        start[c] = 0.0;
        for (int a = 0; a < rows; ++a)
          start[c] = std::fma(row_weight[a], before[row + a], start[c]);
        for (int j = 0; j <= i; ++j) {
          for (int other = first[j]; other < first[j + 1]; ++other) {
            int column = 0;
            const double* column_weight = nullptr;
            const int columns = parts(j, other, column, column_weight);
            double sum = 0.0;
            for (int a = 0; a < rows; ++a) {
              const double* entry = problem_.delassus() + (row + a) * size + column;
              for (int b = 0; b < columns; ++b) {
                sum = std::fma(row_weight[a] * column_weight[b], entry[b], sum);
              }
            }
            matrix[c * n + other] = sum;
            matrix[other * n + c] = sum;
          }
        }
      }
    }
  }

  CAROM_HOST_DEVICE void set_tolerances(double summed) {
    // Contacts that approach set off the impulses: the caps of the others tell nothing about what
    // the step can change. With large friction, contacts can also jam that do not approach
    // (Painleve).
    constexpr double may_jam = 8.0;  // reach
    double fastest = 0.0;
    double approaching = 0.0;
    for (int c = 0; c < coordinates(); ++c) {
      fastest = larger(fastest, std::fabs(start[c]));
      if (is_normal(c) && (start[c] < 0.0 || reach[c] > may_jam)) {
        approaching = larger(approaching, cap[c]);
      }
    }
    const double change = smaller(fastest, approaching);
    tolerances.feasible = larger(1e-10 * change, rounding * summed);
    // Bounds hold up to `feasible`: any speed counts as zero, or else as positive or negative.
    tolerances.strict = 2.0 * tolerances.feasible;
  }

  StepLcpView problem_;
  int frictions_ = 0;  // of a contact with mu > 0
  double axis_[2 * MaxCoordinates];
  double unit_ = 1.0;
};

}  // namespace carom::inline CAROM_ISA
