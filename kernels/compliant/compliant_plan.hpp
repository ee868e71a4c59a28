#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "carom/crossing.hpp"
#include "carom/rollout_columns.hpp"

namespace carom {

/// Greatest sizes of a system in compliant contact.
inline constexpr int max_compliant_coordinates = 16;  ///< of springs
inline constexpr int max_compliant_contacts = 128;
inline constexpr int max_affine_states = 16;
inline constexpr int max_affine_guards = 8;

/// M q'' = force - K q - C q' + sum over touching contacts of N_k' (k_k h_k + c_k h_k' + p_k) with
/// the depth h_k = -(N_k q + e_k), all multiplied by M^-1. Matrices are row-major.
struct SpringsView {
  int coordinates = 0;                ///< n
  int contacts = 0;                   ///< m
  const double* mass = nullptr;       ///< n x n: M
  const double* drift = nullptr;      ///< n: M^-1 force
  const double* stiffness = nullptr;  ///< n x n: M^-1 K
  const double* damping = nullptr;    ///< n x n: M^-1 C
  const double* normal = nullptr;     ///< n x m: N', by coordinates, so that contacts are adjacent
  const double* offset = nullptr;     ///< m: e
  const double* push = nullptr;       ///< m x n: (M^-1 N_k')'
  const double* contact_law = nullptr;  ///< m x 3: k, c, p of each contact

  template <class Array>
  void for_each_array(Array&& array) {
    const auto n = static_cast<std::size_t>(coordinates);
    const auto m = static_cast<std::size_t>(contacts);
    array(mass, n * n);
    array(drift, n);
    array(stiffness, n * n);
    array(damping, n * n);
    array(normal, n * m);
    array(offset, m);
    array(push, m * n);
    array(contact_law, 3 * m);
  }
};

/// A plate on equal springs and dampers that stand upright without friction (Anderson & Revzen,
/// Section 5.2). Coordinates are x, z and the angle theta of the plate.
struct PlateView {
  int contacts = 0;
  const double* place = nullptr;  ///< m, of each spring along x
  double height = 0.0;            ///< m, of a free spring
  double mass = 0.0;              ///< kg, of the plate
  double mass_by_inertia = 0.0;   ///< 1/m²
  double stiffness = 0.0;         ///< 1/s², of each spring, over the mass
  double damping = 0.0;           ///< 1/s, of each spring, over the mass
  double gravity = 0.0;           ///< m/s²
  double steepest = 0.0;          ///< rad: the motion ends at this angle

  template <class Array>
  void for_each_array(Array&& array) {
    array(place, static_cast<std::size_t>(contacts));
  }
};

/// x' = A_s x + b_s in each mode s; bit k of s says whether guard k, h_k = H_k x + o_k, is >= 0.
struct PiecewiseAffineView {
  int states = 0;                  ///< n
  int contacts = 0;                ///< m guards
  const double* matrix = nullptr;  ///< 2^m x n x n
  const double* vector = nullptr;  ///< 2^m x n
  const double* guard = nullptr;   ///< n x m: H', so that guards are adjacent
  const double* offset = nullptr;  ///< m

  template <class Array>
  void for_each_array(Array&& array) {
    const auto n = static_cast<std::size_t>(states);
    const auto m = static_cast<std::size_t>(contacts);
    const std::size_t modes = std::size_t{1} << m;
    array(matrix, modes * n * n);
    array(vector, modes * n);
    array(guard, n * m);
    array(offset, m);
  }
};

/// A body on two springy legs above ground of springs and dampers; see SpringBiped.
struct BipedView {
  double body_mass = 0.0;
  double foot_mass = 0.0;
  double inertia = 0.0;
  double gravity = 0.0;
  double leg = 0.0;
  double hip = 0.0;
  double leg_stiffness = 0.0;
  double flywheel = 0.0;
  double ground_stiffness = 0.0;
  double ground_damping = 0.0;

  template <class Array>
  void for_each_array(Array&& /*array*/) {}
};

/// A run of rollouts in compliant contact.
struct CompliantPlan {
  std::variant<SpringsView, PlateView, PiecewiseAffineView, BipedView> system;
  const double* position = nullptr;  ///< nq per item: where its rollout starts
  const double* velocity = nullptr;  ///< nv per item
  const double* times = nullptr;     ///< T, s, increasing, >= 0; the last one is the duration
  const double* lowest = nullptr;    ///< nq: motions end where they leave these bounds; or none
  const double* highest = nullptr;   ///< nq
  RolloutShape shape;
  Crossing crossing = Crossing::fast;
  double step = 0.0;         ///< s
  double graze_speed = 0.0;  ///< of an event function: slower crossings are grazes
  std::uint32_t event_limit = 0;

  /// Calls array(pointer, count) for every array of `items` items.
  template <class Array>
  void for_each_array(std::uint64_t items, Array&& array) {
    const auto coordinates = static_cast<std::uint64_t>(shape.coordinates);
    std::visit([&](auto& view) { view.for_each_array(array); }, system);
    array(position, items * coordinates);
    array(velocity, items * static_cast<std::uint64_t>(shape.velocities));
    array(times, static_cast<std::uint64_t>(shape.times));
    array(lowest, coordinates);
    array(highest, coordinates);
  }
};

}  // namespace carom
