#pragma once

#include <cmath>

#include "kernels/base/double_double.hpp"
#include "kernels/base/lanes.hpp"
#include "kernels/base/qualifiers.hpp"
#include "kernels/problem/frictionless_stop.hpp"
#include "kernels/problem/largest_eigenvalue.hpp"
#include "kernels/problem/power_of_two.hpp"
#include "kernels/problem/problem_arrays.hpp"
#include "kernels/problem/split_gram.hpp"
#include "kernels/step/contact_step.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom::inline CAROM_ISA {

/// StepLcpView::data_size() of any shape that fits Size is at most this.
template <class Size>
inline constexpr int largest_flat_size =
    2 * Size::bounded_size* Size::bounded_size + Size::lcp_size +
    Size::bounded_size*(Size::contacts + Size::impulses) + Size::contacts + 2 * Size::lcp_size
    + Size::impulses* Size::impulses + 4 + 2 * Size::impulses* Size::velocities
    + Size::velocities* Size::velocities + Size::velocities;

/// Writes the flat arrays of problems, one after the other. All operations follow IEEE 754 in a
/// fixed order, so that a problem gives the same bits on any processor.
///
/// The threads of the size's team call its functions together, and share the object and the flat
/// array.
///
/// M = U' U by Cholesky's method with J' as further columns, which also gives F = U^-T J'; the
/// Delassus matrix is F' F in double-double precision, the responses are M^-1 J' = U^-1 F. The
/// columns of J' are the rows of both Jacobians, contact by contact, and lie side by side in the
/// processor's lanes.
template <class Size>
class Assembly {
 public:
  /// Writes a problem's flat array except its two steps: see set_steps(). The array is usable only
  /// if the report says so.
  /// @param shape a shape that fits Size
  /// @param kinetic the norm of psi
  /// @param data StepLcpView::data_size() numbers
  CAROM_HOST_DEVICE AssemblyReport operator()(const ProblemShape& shape,
                                              const ProblemArrays& problem, bool kinetic,
                                              double* data) {
    AssemblyReport report = respond_to(shape, problem, data);
    if (report.status != AssemblyStatus::usable) return report;
    report.psi = psi(kinetic);
    report.largest_admittance = write_lcp();
    return report;
  }

  /// The same without psi, which only Algorithm 2's final step needs.
  CAROM_HOST_DEVICE AssemblyReport flatten(const ProblemShape& shape, const ProblemArrays& problem,
                                           double* data) {
    AssemblyReport report = respond_to(shape, problem, data);
    if (report.status == AssemblyStatus::usable) report.largest_admittance = write_lcp();
    return report;
  }

 private:
  /// Copies a problem into the flat array, and writes its responses.
  CAROM_ONE_COPY CAROM_OUT_OF_LINE CAROM_HOST_DEVICE AssemblyReport
  respond_to(const ProblemShape& shape, const ProblemArrays& problem, double* data) {
    Team::once([&] {
      view_ = {shape, data};
      data_ = data;
    });
    AssemblyReport report;
    report.status = copy(problem);
    if (report.status != AssemblyStatus::usable) return report;
    if (!factorise()) {
      report.status = AssemblyStatus::indefinite_mass;
      return report;
    }
    respond();
    split_gram<Row, Team>(&rows_[0][columns_at()], view().shape.velocities, view().shape.impulses(),
                          row_stride, high_[0], low_[0], impulse_stride);
    set_impulses(report);
    if (!in_range() || !(report.stopping_impulse < INFINITY)) {
      report.status = AssemblyStatus::out_of_scale;
    }
    return report;
  }

  /// Writes what a step's LCP consists of; returns the largest admittance.
  CAROM_ONE_COPY CAROM_OUT_OF_LINE CAROM_HOST_DEVICE double write_lcp() {
    const double mean_admittance = write_delassus();
    const double largest = view().impulse_unit() * write_matrix();
    write_constants(mean_admittance);
    return largest;
  }

  using Team = TeamOf<Size>;
  using Row = typename Team::template Row<double, Size::impulses>;
  using Number = Lanes<double, 1>;
  static constexpr int lanes = whole_rows<Row>(1);
  using SplitRow = BasicDoubleDouble<Row>;

  static constexpr int padded(int count) {
    return (count + 7) / 8 * 8;
  }  // whole vectors of any set
  static constexpr int impulse_stride = padded(Size::impulses);
  static constexpr int row_stride = padded(Size::velocities) + impulse_stride;
  static constexpr int direction_stride = padded(Size::bounded_size);
  static constexpr int split_size = 2 * Size::impulses * direction_stride;
  static constexpr int psi_size = 3 * Size::impulses * impulse_stride;
  static constexpr int scratch_size = split_size > psi_size ? split_size : psi_size;
  static constexpr int map_rows =
      Size::impulses > Size::velocities ? Size::impulses : Size::velocities;

  /// Constructed at each use, so that the compiler knows its constants.
  CAROM_VIEW_FUNCTION constexpr StepLcpView view() const { return Size::narrow(view_); }
  CAROM_HOST_DEVICE int columns_at() const { return whole_rows<Row>(view().shape.velocities); }
  /// Column of J' of a contact's normal (0) or tangent (1 to d).
  CAROM_HOST_DEVICE int column(int contact, int direction) const {
    return contact * (1 + view().shape.tangent_dimension) + direction;
  }
  /// The same column in the flat array, where it is a row of one of the Jacobians.
  CAROM_HOST_DEVICE const double* jacobian(int contact, int direction) const {
    const int nv = view().shape.velocities;
    const int d = view().shape.tangent_dimension;
    return direction == 0 ? view().normal_jacobian() + contact * nv
                          : view().tangent_jacobian() + (contact * d + direction - 1) * nv;
  }

  /// The same column of M^-1 J'.
  CAROM_HOST_DEVICE double* response(int contact, int direction) const {
    const int nv = view().shape.velocities;
    const int d = view().shape.tangent_dimension;
    return data_ + (direction == 0
                        ? view().normal_response_at() + contact * nv
                        : view().tangent_response_at() + (contact * d + direction - 1) * nv);
  }

  /// Copies the given arrays into the flat array; entries of M that differ across the diagonal are
  /// replaced by their mean.
  CAROM_HOST_DEVICE AssemblyStatus copy(const ProblemArrays& problem) {
    const ProblemShape shape = view().shape;
    const int nv = shape.velocities;
    int asymmetric = 0;
    int bad = 0;
    double* const mass = data_ + view().mass_matrix_at();
    Team::template cells<Number>(nv, nv, [&](int i, int j) {
      const double entry = problem.mass_matrix[i * nv + j];
      const double opposite = problem.mass_matrix[j * nv + i];
      if (entry != opposite && !nearly_symmetric(entry, opposite, problem.mass_matrix[i * nv + i],
                                                 problem.mass_matrix[j * nv + j])) {
        asymmetric = 1;
      }
      mass[i * nv + j] = between(entry, opposite);
    });
    const auto copy_array = [&](const double* from, int count, int at) {
      Team::own(count, [&](int i) { data_[at + i] = from[i]; });
    };
    const int tangents = shape.tangent_dimension * nv;
    for (int i = 0; i < shape.contacts; ++i) {
      const int place = problem.place_of(i);
      copy_array(problem.normal_jacobian + place * nv, nv, view().normal_jacobian_at() + i * nv);
      copy_array(problem.tangent_jacobian + place * tangents, tangents,
                 view().tangent_jacobian_at() + i * tangents);
    }
    copy_array(problem.pre_impact_velocity, nv, view().velocity_at());
    copy_array(problem.directions, shape.friction_directions * shape.tangent_dimension,
               view().directions_at());
    Team::each(shape.contacts, [&](int i) {
      const double mu = problem.friction[problem.place_of(i)];
      data_[view().friction_at() + i] = mu;
      if (!(0.0 <= mu && mu <= max_friction)) bad = 1;
    });
    return Team::largest(bad) != 0          ? AssemblyStatus::bad_friction
           : Team::largest(asymmetric) != 0 ? AssemblyStatus::asymmetric_mass
                                            : AssemblyStatus::usable;
  }

  /// Writes U and F into rows_; false if M is not positive definite.
  CAROM_HOST_DEVICE bool factorise() {
    const ProblemShape shape = view().shape;
    const int nv = shape.velocities;
    const int first = columns_at();
    const int width = first + whole_rows<Row>(shape.impulses());
    const int d = shape.tangent_dimension;
    Team::own(nv, [&](int k) {
      for (int j = 0; j < nv; ++j) rows_[k][j] = view().mass_matrix()[k * nv + j];
      for (int j = nv; j < first; ++j) rows_[k][j] = 0.0;
      for (int i = 0; i < shape.contacts; ++i) {
        for (int a = 0; a <= d; ++a) rows_[k][first + column(i, a)] = jacobian(i, a)[k];
      }
      for (int j = first + shape.impulses(); j < width; ++j) rows_[k][j] = 0.0;
    });
    Team::meet();
    for (int j = 0; j < nv; ++j) {
      const double pivot = rows_[j][j];
      if (!(pivot > definite_tolerance * view().mass_matrix()[j * nv + j])) return false;
      const double root = std::sqrt(pivot);
      Team::template columns<Row>(j, width, [&](int b) CAROM_INLINE_LAMBDA {
        (Row::load(&rows_[j][b]) / Row::all(root)).store(&rows_[j][b]);
      });
      root_[j] = root;
      Team::template cells<Row>(
          nv - j - 1, [&](int i) { return j + 1 + i; }, width,
          [&](int its, int b) CAROM_INLINE_LAMBDA {
            const int i = j + 1 + its;
            const Row factor = Row::all(-rows_[j][i]);
            fused(factor, Row::load(&rows_[j][b]), Row::load(&rows_[i][b])).store(&rows_[i][b]);
          });
    }
    return true;
  }

  /// Writes M^-1 J' into response_ and the flat array.
  CAROM_HOST_DEVICE void respond() {
    const ProblemShape shape = view().shape;
    const int nv = shape.velocities;
    const int first = columns_at();
    Team::template columns<Row>(0, shape.impulses(), [&](int b) CAROM_INLINE_LAMBDA {
      for (int k = nv - 1; k >= 0; --k) {
        Row sum = Row::load(&rows_[k][first + b]);
        for (int l = nv - 1; l > k; --l) {
          sum = fused(Row::all(-rows_[k][l]), Row::load(&response_[l][b]), sum);
        }
        (sum / Row::all(root_[k])).store(&response_[k][b]);
      }
    });
    const int d = shape.tangent_dimension;
    for (int i = 0; i < shape.contacts; ++i) {
      for (int a = 0; a <= d; ++a) {
        double* const to = response(i, a);
        Team::own(nv, [&](int k) { to[k] = response_[k][column(i, a)]; });
      }
    }
  }

  /// Writes the impulses of a report. The stopping impulse is infinite if a contact speed is, or is
  /// not a number.
  CAROM_HOST_DEVICE void set_impulses(AssemblyReport& report) {
    const ProblemShape shape = view().shape;
    const int impulses = shape.impulses();
    Team::each(impulses, [&](int i) {
      const double* const row = jacobian(i / column(1, 0), i % column(1, 0));
      double speed = 0.0;
      for (int k = 0; k < shape.velocities; ++k) {
        speed = std::fma(row[k], view().pre_impact_velocity()[k], speed);
      }
      speed_[i] = speed;
    });
    double alone = 0.0;
    bool finite = true;
    double jammed = 0.0;
    bool presses = false;  // a contact onto another
    for (int i = 0; i < impulses; ++i) finite = finite && std::fabs(speed_[i]) < INFINITY;
    for (int i = 0; i < impulses; i += column(1, 0)) {
      alone = larger(-speed_[i] / high_[i][i], alone);
      jammed = larger(jammed_impulse(i), jammed);
      for (int j = 0; j < i; j += column(1, 0)) presses = presses || high_[i][j] < 0.0;
    }
    report.stopping_impulse = finite ? alone : INFINITY;
    report.jammed_impulse = finite && jammed < INFINITY ? jammed : 0.0;
    if (!finite || !presses || !(alone > 0.0)) return;
    Team::once([&] {
      // respond() was the last to need U.
      largest_impulse_ =
          stop_.largest_impulse({shape.contacts, column(1, 0), high_[0], impulse_stride, speed_,
                                 rows_[0], row_stride, shape.velocities});
    });
    if (largest_impulse_ < INFINITY) {
      report.stopping_impulse = larger(largest_impulse_, alone);
    }
  }

  /// The normal impulse that stops a contact alone, N·s, if friction against its slip makes it many
  /// times the impulse without friction; else 0. Where friction outweighs the push, the contact
  /// approaches until it sticks.
  /// @param n column of its normal; the next ones are its tangents
  CAROM_HOST_DEVICE double jammed_impulse(int n) const {
    constexpr double many_times = 128.0;  // more take hundreds of steps
    constexpr double independent = 1e-3;  // of tangents: part of the normal's admittance
    const int end = n + column(1, 0);
    double slip = 0.0;
    for (int a = n + 1; a < end; ++a) slip = std::fma(speed_[a], speed_[a], slip);
    slip = std::sqrt(slip);
    const double normal = high_[n][n];
    const double without_friction = -speed_[n] / normal;
    if (!(without_friction > 0.0 && slip > 0.0)) return 0.0;
    double coupling = 0.0;    // of the normal and the direction of the slip, m/s per N·s
    double tangential = 0.0;  // admittance along the slip
    for (int a = n + 1; a < end; ++a) {
      const double part = speed_[a] / slip;
      coupling = std::fma(part, high_[a][n], coupling);
      for (int b = n + 1; b < end; ++b) {
        tangential = std::fma(part * (speed_[b] / slip), high_[a][b], tangential);
      }
    }
    const double slipping = normal - view().friction()[n / column(1, 0)] * coupling;
    const double sticking = normal - coupling * coupling / tangential;
    if (!(sticking > independent * normal)) return 0.0;
    double whole = (coupling * slip / tangential - speed_[n]) / sticking;
    if (slipping > 0.0) whole = smaller(whole, -speed_[n] / slipping);
    return whole > many_times * without_friction ? whole : 0.0;
  }

  /// Whether the rest can be computed: although every rule holds, products of extreme numbers can
  /// overflow or vanish.
  CAROM_HOST_DEVICE bool in_range() const {
    const ProblemShape shape = view().shape;
    int bad = 0;
    Team::template cells<Number>(shape.velocities, shape.impulses(), [&](int k, int c) {
      const bool usable = std::fabs(rows_[k][columns_at() + c]) < max_response &&
                          std::fabs(response_[k][c]) < max_response;
      if (!usable) bad = 1;
    });
    for (int i = 0; i < shape.contacts; ++i) {
      if (!(high_[column(i, 0)][column(i, 0)] > 0.0)) bad = 1;
    }
    return Team::largest(bad) == 0 &&
           kinetic_energy_by<Team>(view(), view().pre_impact_velocity()) < INFINITY;
  }

  // What follows is in assemble_lcp.hpp.

  /// Scales the Delassus matrix to speeds per impulse, as speeds; returns the mean admittance.
  CAROM_HOST_DEVICE double write_delassus();
  /// Adds up the rows of a matrix whose sum is direction `p` (normals first, then each contact's
  /// friction directions).
  CAROM_HOST_DEVICE SplitRow along(int p, const double* high, const double* low, int stride) const;
  /// W of Eq. 75 for unknowns [unit * lambda_n; unit * lambda_D; gamma]; without beta. Returns the
  /// largest diagonal entry.
  CAROM_HOST_DEVICE double write_matrix();
  /// The covering vector and the map of a step's inputs.
  CAROM_HOST_DEVICE void write_constants(double mean_admittance);

  /// The friction directions of a contact are d_j with sum d_j d_j' = w I: so F or M^-1 J' with its
  /// tangents times sqrt(w) has the singular values of the matrix with all directions as columns.
  CAROM_ONE_COPY CAROM_OUT_OF_LINE CAROM_HOST_DEVICE double psi(bool kinetic) {
    const ProblemShape shape = view().shape;
    const int nv = shape.velocities;
    const int width = smaller_of(shape.impulses(), nv);
    const int height = shape.impulses() + nv - width;
    const double weight =
        shape.tangent_dimension == 0
            ? 0.0
            : std::sqrt(static_cast<double>(shape.friction_directions) / shape.tangent_dimension);
    double* const map = response_[0];  // height x width; the flat array has the responses, too
    const int contact_width = 1 + shape.tangent_dimension;
    Team::template cells<Number>(nv, shape.impulses(), [&](int k, int c) {
      const bool normal = c % contact_width == 0;
      const double entry =
          kinetic ? rows_[k][columns_at() + c] : response(c / contact_width, c % contact_width)[k];
      const int at = width == nv ? c * impulse_stride + k : k * impulse_stride + c;
      map[at] = normal ? entry : weight * entry;
    });
    for (int r = 0; r < height; ++r) {
      for (int c = width; c < whole_rows<Row>(width); ++c) map[r * impulse_stride + c] = 0.0;
    }
    double* const squares = scratch_;
    Team::template cells<Row>(width, width, [&](int i, int b) CAROM_INLINE_LAMBDA {
      Row sum = Row::all(0.0);
      for (int r = 0; r < height; ++r) {
        const double* row = map + r * impulse_stride;
        sum = fused(Row::all(row[i]), Row::load(row + b), sum);
      }
      sum.store(squares + i * impulse_stride + b);
    });
    double* const power = squares + width * impulse_stride;
    const double sigma = std::sqrt(largest_eigenvalue<Row, Team>(
        squares, width, impulse_stride, power, power + width * impulse_stride));
    double friction = 0.0;
    for (int i = 0; i < shape.contacts; ++i) friction = larger(view().friction()[i], friction);
    return sigma * shape.contacts * (1.0 + friction) + 1.0;
  }

  CAROM_HOST_DEVICE static int smaller_of(int a, int b) { return a < b ? a : b; }

  StepLcpView view_;
  double* data_;
  union {
    alignas(64) double rows_[Size::velocities][row_stride];  ///< [U, F]
    alignas(64) double scratch_[scratch_size];               ///< once those are no longer needed
  };
  alignas(64) double response_[map_rows][impulse_stride];    ///< M^-1 J', then the map of psi
  alignas(64) double high_[Size::impulses][impulse_stride];  ///< F' F
  alignas(64) double low_[Size::impulses][impulse_stride];
  double root_[Size::velocities];  ///< the diagonal of U
  double speed_[Size::impulses];   ///< J v, then as contacts stop in turn
  FrictionlessStop<Size::contacts> stop_;
  double largest_impulse_;  ///< of stop_
};

}  // namespace carom::inline CAROM_ISA

#include "kernels/problem/assemble_lcp.hpp"
