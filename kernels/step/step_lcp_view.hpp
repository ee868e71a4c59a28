#pragma once

#include <cstddef>

#include "kernels/base/qualifiers.hpp"

namespace carom {

/// Sizes of one impact problem; all problems of a batch share them.
struct ProblemShape {
  int contacts = 0;             ///< m
  int velocities = 0;           ///< nv
  int tangent_dimension = 1;    ///< d: 1 planar, 2 spatial
  int friction_directions = 2;  ///< k

  CAROM_VIEW_FUNCTION constexpr int tangents() const { return contacts * tangent_dimension; }
  CAROM_VIEW_FUNCTION constexpr int frictions() const { return contacts * friction_directions; }
  /// n, the number of unknowns [beta; lambda_n; lambda_D; gamma] of the step LCP.
  CAROM_VIEW_FUNCTION constexpr int lcp_size() const {
    return (3 + friction_directions) * contacts;
  }
  /// Unknowns [lambda_n; lambda_D; gamma] of the same LCP with the caps as upper bounds.
  CAROM_VIEW_FUNCTION constexpr int bounded_size() const {
    return (2 + friction_directions) * contacts;
  }
  /// The most coordinates of a step's BoxForm.
  CAROM_VIEW_FUNCTION constexpr int coordinates() const { return bounded_size() / 2; }
  CAROM_VIEW_FUNCTION constexpr int impulses() const { return contacts * (1 + tangent_dimension); }
  /// Number of inputs of a step: caps, then contact speeds contact by contact.
  CAROM_VIEW_FUNCTION constexpr int inputs() const { return contacts + impulses(); }

  friend constexpr bool operator==(const ProblemShape&, const ProblemShape&) = default;
};

/// One problem as flat arrays (row-major), written once by the host, read by every trajectory.
///
/// Impulses inside the LCP are multiplied by `impulse_unit` (m/s per N·s, a power of two near the
/// mean of the normal Delassus diagonal), so that all its unknowns are speeds.
struct StepLcpView {
  ProblemShape shape;
  const double* data = nullptr;

  /// W of [lambda_n; lambda_D; gamma], square, by columns
  CAROM_VIEW_FUNCTION constexpr const double* matrix() const { return data; }
  /// Rounding remainder of the matrix, for the double-double attempts
  CAROM_VIEW_FUNCTION constexpr const double* matrix_low() const {
    return data + shape.bounded_size() * shape.bounded_size();
  }
  CAROM_VIEW_FUNCTION constexpr const double* cover() const { return data + cover_at(); }  ///< n
  /// Rows of matrix() x inputs, by columns: w of Eq. 75 as a map of a step's inputs
  CAROM_VIEW_FUNCTION constexpr const double* input_map() const { return data + input_map_at(); }
  CAROM_VIEW_FUNCTION constexpr const double* normal_jacobian() const {
    return data + normal_jacobian_at();
  }
  CAROM_VIEW_FUNCTION constexpr const double* tangent_jacobian() const {
    return data + tangent_jacobian_at();
  }
  /// m x nv, row i = M^-1 Jn_i'
  CAROM_VIEW_FUNCTION constexpr const double* normal_response() const {
    return data + normal_response_at();
  }
  /// m d x nv, row i = M^-1 Jt_i'
  CAROM_VIEW_FUNCTION constexpr const double* tangent_response() const {
    return data + tangent_response_at();
  }
  /// nv x nv
  CAROM_VIEW_FUNCTION constexpr const double* mass_matrix() const {
    return data + mass_matrix_at();
  }
  /// nv
  CAROM_VIEW_FUNCTION constexpr const double* pre_impact_velocity() const {
    return data + velocity_at();
  }
  CAROM_VIEW_FUNCTION constexpr const double* friction() const { return data + friction_at(); }
  /// m (1 + d) square, symmetric, contact by contact: contact speeds per impulse, as speeds
  CAROM_VIEW_FUNCTION constexpr const double* delassus() const { return data + delassus_at(); }
  /// k x d unit vectors, the same for every contact
  CAROM_VIEW_FUNCTION constexpr const double* directions() const { return data + directions_at(); }
  CAROM_VIEW_FUNCTION constexpr double impulse_unit() const { return data[scalars_at()]; }
  /// Least positive-diagonal entry of the normal Delassus matrix, m/s per N·s
  CAROM_VIEW_FUNCTION constexpr double least_admittance() const { return data[scalars_at() + 1]; }
  /// The cap of Algorithm 2's final step, eps / (3 psi), N·s
  CAROM_VIEW_FUNCTION constexpr double final_cap() const { return data[scalars_at() + 2]; }
  /// h, N·s
  CAROM_VIEW_FUNCTION constexpr double impulse_step() const { return data[scalars_at() + 3]; }

  // Offset of each array, in doubles. Arrays whose size depends on nv come last, so that the other
  // offsets are constants if the rest of the shape is constant.
  CAROM_VIEW_FUNCTION constexpr int cover_at() const {
    return 2 * shape.bounded_size() * shape.bounded_size();
  }
  CAROM_VIEW_FUNCTION constexpr int input_map_at() const { return cover_at() + shape.lcp_size(); }
  CAROM_VIEW_FUNCTION constexpr int friction_at() const {
    return input_map_at() + shape.bounded_size() * shape.inputs();
  }
  CAROM_VIEW_FUNCTION constexpr int directions_at() const { return friction_at() + shape.contacts; }
  CAROM_VIEW_FUNCTION constexpr int delassus_at() const {
    return directions_at() + shape.friction_directions * shape.tangent_dimension;
  }
  CAROM_VIEW_FUNCTION constexpr int scalars_at() const {
    return delassus_at() + shape.impulses() * shape.impulses();
  }
  CAROM_VIEW_FUNCTION constexpr int normal_jacobian_at() const { return scalars_at() + 4; }
  CAROM_VIEW_FUNCTION constexpr int tangent_jacobian_at() const {
    return normal_jacobian_at() + shape.contacts * shape.velocities;
  }
  CAROM_VIEW_FUNCTION constexpr int normal_response_at() const {
    return tangent_jacobian_at() + shape.tangents() * shape.velocities;
  }
  CAROM_VIEW_FUNCTION constexpr int tangent_response_at() const {
    return normal_response_at() + shape.contacts * shape.velocities;
  }
  CAROM_VIEW_FUNCTION constexpr int mass_matrix_at() const {
    return tangent_response_at() + shape.tangents() * shape.velocities;
  }
  CAROM_VIEW_FUNCTION constexpr int velocity_at() const {
    return mass_matrix_at() + shape.velocities * shape.velocities;
  }
  CAROM_VIEW_FUNCTION constexpr int data_size() const { return velocity_at() + shape.velocities; }
};

}  // namespace carom
