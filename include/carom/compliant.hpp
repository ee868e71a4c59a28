#pragma once

#include <Eigen/Core>
#include <string>
#include <variant>
#include <vector>

#include "carom/eigen_memory.hpp"

namespace carom {

/// Contacts that give way, in any mechanism with constant matrices, such as a robot linearised at
/// its landing pose: M q'' = force - K q - C q' + sum over touching contacts of N_k' F_k with
/// F_k = k_k h_k + c_k h_k' + p_k and the depth h_k = -(N_k q + e_k). No clamp: a contact that
/// lifts with h_k' < 0 pulls by its damper before. SI units; n coordinates, m contacts.
struct Springs {
  Eigen::MatrixXd mass_matrix;           ///< M, n x n, symmetric positive definite
  Eigen::VectorXd force;                 ///< n
  Eigen::MatrixXd normal_jacobian;       ///< N, m x n: row times velocity = separating speed
  Eigen::VectorXd gap_offset;            ///< e, m: gap = N q + e; touching where it is negative
  Eigen::VectorXd contact_stiffness;     ///< k, m, >= 0
  Eigen::VectorXd contact_damping = {};  ///< c, m, >= 0; empty: 0
  Eigen::VectorXd contact_preload = {};  ///< p, m, >= 0; empty: 0
  Eigen::MatrixXd stiffness = {};        ///< K, n x n; empty: 0
  Eigen::MatrixXd damping = {};          ///< C, n x n; empty: 0
};

/// A plate above upright springs, each with a damper, without friction (Anderson & Revzen, Section
/// 5.2). Coordinates are x, z and the angle theta of the plate.
struct SpringPlate {
  Eigen::VectorXd positions;   ///< m, of the springs along x
  double height = 1.0;         ///< m, of a free spring
  double mass = 1.0;           ///< kg
  double inertia = 4.0 / 3.0;  ///< kg m²
  double stiffness = 400.0;    ///< N/m, of all springs together
  double damping = 4.0;        ///< N s/m, of all springs together
  double gravity = 9.81;       ///< m/s²
  double steepest = 1.5;       ///< rad, < pi / 2: a motion that comes to this angle ends
};

/// x' = A_s x + b_s in each mode s. Bit k of s says whether h_k = H_k x + o_k >= 0. Every field
/// must cross each guard upwards: grad h_k . f > 0 near h_k = 0, whatever the mode.
struct PiecewiseAffine {
  Eigen::MatrixXd guards;                 ///< H, m x n, m <= 8
  Eigen::VectorXd guard_offset;           ///< o, m
  std::vector<Eigen::MatrixXd> matrices;  ///< A_s, 2^m of n x n: s = s_0 + 2 s_1 + 4 s_2 + ...
  std::vector<Eigen::VectorXd> vectors;   ///< b_s, 2^m of n
};

/// A body between two legs with springs, whose two feet land on springs and dampers without
/// friction: the bipeds of Pace & Burden's Figure 1 on ground that gives way. Coordinates are xb,
/// xl, xr, zb, zl, zr of body, left and right foot, and the angle theta of the body. SI units.
struct SpringBiped {
  double body_mass = 1.0;
  double foot_mass = 1.0;
  double inertia = 1.0;
  double gravity = 1.0;
  double leg = 0.5;   ///< m, of a free leg
  double hip = 0.25;  ///< m, of each hip from the body's centre
  double leg_stiffness = 27.0;
  double flywheel = 0.0;  ///< torque on the body by the square of the difference of zl' and zr'
  double ground_stiffness = 1e4;
  double ground_damping = 200.0;
};

/// A system whose contacts give way (event-selected: Anderson & Revzen, Section 2).
struct CompliantSystem {
  std::variant<Springs, SpringPlate, PiecewiseAffine, SpringBiped> motion;
  std::vector<std::string> coordinates = {};  ///< names; empty: q1, q2, ..., or those above
  std::vector<std::string> contacts = {};     ///< names; empty: A, B, C, ...
  /// Of each coordinate: a motion ends where it leaves these bounds. Empty: none.
  Eigen::VectorXd lowest = {};
  Eigen::VectorXd highest = {};

  int coordinate_count() const;  ///< nq
  int velocity_count() const;    ///< nq, or 0 of PiecewiseAffine
  int contact_count() const;     ///< m
};

/// What scenarios call a system's kind: "springs", "plate", "piecewise_affine" or "biped".
const char* kind_name(const CompliantSystem& system);

/// A copy with every rule checked (shapes, finiteness, M symmetric positive definite, stiffness
/// >= 0, no guard that never opens, bounds that increase, sizes within those compiled) and names
/// filled in.
/// @throws InputError naming the field and the rule
CompliantSystem validated(CompliantSystem system);

}  // namespace carom
