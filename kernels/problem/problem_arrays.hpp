#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/qualifiers.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// One impact problem as arrays, row by row; the fields are those of ImpactProblem.
struct ProblemArrays {
  const double* mass_matrix;          ///< nv x nv
  const double* normal_jacobian;      ///< m x nv
  const double* tangent_jacobian;     ///< m d x nv, rows grouped by contact
  const double* friction;             ///< m
  const double* pre_impact_velocity;  ///< nv
  const double* directions;           ///< k x d, from write_friction_directions()
  /// Null, or numbers of the problem's contacts in the arrays of more contacts
  const int* contact = nullptr;

  /// Place of a contact in the arrays.
  CAROM_VIEW_FUNCTION int place_of(int its) const {
    return contact == nullptr ? its : contact[its];
  }
};

enum class AssemblyStatus : std::uint8_t {
  usable,
  bad_shape,        ///< sizes beyond the compiled capacity, or k does not fit d
  bad_friction,     ///< negative, above max_friction or not a number
  asymmetric_mass,  ///< beyond symmetry_tolerance
  indefinite_mass,  ///< not positive definite, or singular up to rounding
  out_of_scale,     ///< J M^-1 J', J v or v' M v overflows, vanishes or is not a number
};

/// Results of a problem's assembly besides the flat array.
struct AssemblyReport {
  AssemblyStatus status = AssemblyStatus::bad_shape;
  /// Of Algorithm 2: sigma_max(M^-1 J') m (1 + max mu) + 1, M^(-1/2) J' for the kinetic norm
  double psi = 0.0;
  double stopping_impulse = 0.0;  ///< N·s, see carom::stopping_impulse()
  /// N·s: the largest normal impulse that a contact alone needs, of those that friction jams
  double jammed_impulse = 0.0;
  double largest_admittance = 0.0;  ///< of any direction's Delassus diagonal, m/s per N·s

  /// Default h of a single impact, N·s; 0 where nothing approaches.
  CAROM_VIEW_FUNCTION constexpr double needed_impulse() const {
    return jammed_impulse > stopping_impulse ? jammed_impulse : stopping_impulse;
  }
};

/// Greatest difference of M_ij and M_ji, relative to sqrt(M_ii M_jj): typed or exported matrices
/// may differ in their last digits.
inline constexpr double symmetry_tolerance = 1e-6;
/// Smallest pivot of M scaled to a unit diagonal: below it, M is singular up to rounding.
inline constexpr double definite_tolerance = 1e-14;
/// Greatest mu: beyond it, residuals of steps lose the digits that tell their solutions.
inline constexpr double max_friction = 1e8;
/// Factors and responses stay below this, so that no sum of their squares overflows.
inline constexpr double max_response = 0x1p500;

/// Whether the number of friction directions fits the dimension: 2 in the plane, even and >= 4 in
/// space, none without tangents.
CAROM_VIEW_FUNCTION constexpr bool directions_suit(int tangent_dimension, int count) {
  if (tangent_dimension == 0) return count == 0;
  return tangent_dimension == 1 ? count == 2 : count >= 4 && count % 2 == 0;
}

}  // namespace carom

namespace carom::inline CAROM_ISA {

/// Whether M_ij and M_ji count as equal, given the diagonal entries of i and j.
CAROM_HOST_DEVICE inline bool nearly_symmetric(double entry, double opposite, double diagonal_i,
                                               double diagonal_j) {
  return entry == opposite || std::fabs(entry - opposite) <= symmetry_tolerance *
                                                                 std::sqrt(diagonal_i) *
                                                                 std::sqrt(diagonal_j);
}

/// The value used for both.
CAROM_HOST_DEVICE inline double between(double entry, double opposite) {
  return entry == opposite ? entry : 0.5 * entry + 0.5 * opposite;
}

/// The two steps of the sampling, N·s: Algorithm 1's largest cap and the cap of Algorithm 2's final
/// step, eps / (3 psi).
CAROM_HOST_DEVICE inline void set_steps(const ProblemShape& shape, double impulse_step,
                                        double final_cap, double* data) {
  double* scalars = data + StepLcpView{shape, data}.scalars_at();
  scalars[2] = final_cap;
  scalars[3] = impulse_step;
}

}  // namespace carom::inline CAROM_ISA
