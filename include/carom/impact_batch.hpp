#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace carom {

/// Impact problems of equal shape as arrays, problem by problem and row by row; the fields are
/// those of ImpactProblem.
struct ImpactBatch {
  std::size_t size = 0;  ///< B
  int velocities = 0;
  int contacts = 0;
  int tangent_dimension = 1;                    ///< d
  int friction_directions = 2;                  ///< k, in space even and >= 4, which must be stated
  const double* mass_matrix = nullptr;          ///< B x nv x nv
  const double* normal_jacobian = nullptr;      ///< B x m x nv
  const double* tangent_jacobian = nullptr;     ///< B x m d x nv, rows grouped by contact
  const double* friction = nullptr;             ///< B x m
  const double* pre_impact_velocity = nullptr;  ///< B x nv
  const double* restitution = nullptr;          ///< B x m, or null: the law's default
  /// B x m, or null: 0 marks an inactive contact, which is left out of its problem; the other
  /// arrays' entries for it are ignored.
  const std::uint8_t* active = nullptr;
  /// h, N·s: one number for all problems, B numbers, or none: what each problem needs
  /// (1 where no contact approaches).
  std::span<const double> impulse_step = {};
  /// Whether an array has the entries of one problem only, which all problems share.
  bool one_mass_matrix = false;
  bool one_normal_jacobian = false;
  bool one_tangent_jacobian = false;
  bool one_friction = false;
  bool one_restitution = false;
};

}  // namespace carom
