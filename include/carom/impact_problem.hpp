#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "carom/eigen_memory.hpp"
#include "carom/note.hpp"

namespace carom {

/// An impact at a fixed configuration with m active contacts and nv velocities
/// (Halm & Posa, Section 2.2). SI units; planar contacts have d = 1 tangent row, spatial d = 2.
struct ImpactProblem {
  Eigen::MatrixXd mass_matrix;             ///< nv x nv, symmetric positive definite
  Eigen::MatrixXd normal_jacobian;         ///< m x nv; row times velocity = separating speed, m/s
  Eigen::MatrixXd tangent_jacobian;        ///< m d x nv, rows grouped by contact
  Eigen::VectorXd friction;                ///< m Coulomb coefficients, >= 0
  Eigen::VectorXd pre_impact_velocity;     ///< nv
  std::vector<std::string> contact_names;  ///< m; empty = A, B, C, ...
  /// m units of the contacts' speeds: "m/s", or "rad/s" of a limit of an angle, whose impulses are
  /// then in N·m·s; empty = m/s. For tables and pictures: no law depends on them.
  std::vector<std::string> speed_units = {};
  /// k unit vectors per contact that span the friction cone: 2 in the plane; in space even and
  /// >= 4, equally spaced, the first along the contact's first tangent row.
  int friction_directions = 2;
  /// m coefficients, 0 (plastic) ... 1 (elastic), for laws with restitution; empty: the law's own
  /// default, which is 1 for the propagative law and 0 for others.
  Eigen::VectorXd restitution = {};
  /// Contacts that MujocoOptions::merge left out. They could take part, and notes() say so.
  int merged_contacts = 0;
  /// What the problem leaves out of the world or model that it is from, and what may be wrong
  /// there: notes() has these warnings.
  std::vector<Note> doubts = {};

  /// m, the number of contacts.
  int contacts() const { return static_cast<int>(normal_jacobian.rows()); }
  /// nv, the number of velocities.
  int velocities() const { return static_cast<int>(mass_matrix.rows()); }
  /// d, 1 or 2.
  int tangent_dimension() const {
    return contacts() == 0 ? 1 : static_cast<int>(tangent_jacobian.rows()) / contacts();
  }
};

/// The norm of velocities in which an epsilon-net measures distances.
enum class Norm {
  euclidean,  ///< of the velocity coordinates, as in the paper
  kinetic,    ///< |v|_M = sqrt(v' M v), physically uniform units
};

/// Name of a norm in scenarios, flags, files and reports.
constexpr const char* norm_name(Norm norm) {
  constexpr const char* names[] = {"euclidean", "kinetic"};
  return names[static_cast<int>(norm)];
}

/// A copy of the problem with every rule checked (shapes, finiteness, M symmetric positive
/// definite, friction >= 0, restitution in 0 ... 1, no zero normal, size within the compiled
/// capacity: (3 + k) m <= 120, which are 24 contacts in the plane and 17 in space with k = 4, and
/// nv <= 96), default contact names filled in, and M made symmetric to the last bit. Without
/// friction, tangents (and friction) may be left empty: they become those of the plane. A problem
/// without friction may have up to 64 contacts, for laws that solve no LCP.
/// @throws InputError naming the field and the rule
ImpactProblem validated(ImpactProblem problem);

/// The unit of a contact's speeds: see ImpactProblem::speed_units.
const char* speed_unit(const ImpactProblem& problem, int contact);

/// The greatest nv of a problem, by the compiled capacity.
int most_velocities();

/// The greatest friction coefficient of a problem.
double greatest_friction();

/// The default of k: 2 in the plane, 4 in space.
int default_friction_directions(int tangent_dimension);

/// k x d matrix of friction directions, the same for every contact.
Eigen::MatrixXd friction_direction_matrix(const ImpactProblem& problem);

/// J = [Jn; JD], (m + m k) x nv: normals, then each contact's k friction directions.
/// @throws InputError if the sizes of the problem's arrays disagree
Eigen::MatrixXd contact_jacobian(const ImpactProblem& problem);

/// A = J M^-1 J', (m + m k) square, m/s per N·s.
/// @throws InputError if the sizes of the problem's arrays disagree
Eigen::MatrixXd delassus_matrix(const ImpactProblem& problem);

/// v' M v / 2, J.
/// @throws InputError unless the velocity has nv entries
double kinetic_energy(const ImpactProblem& problem, const Eigen::VectorXd& velocity);

/// psi of Algorithm 2: sigma_max(M^-1 J') m (1 + max mu) + 1, with M^(-1/2) J' for the kinetic
/// norm.
/// @throws InputError if the sizes of the problem's arrays disagree
double psi(const ImpactProblem& problem, Norm norm = Norm::euclidean);

/// The largest normal impulse that a contact needs, N·s: alone, or, without friction, when contacts
/// stop in turn, as many rounds as there are contacts, or together (a heavy body presses a light
/// one on many times); 0 if no contact approaches.
/// @throws InputError if the sizes of the problem's arrays disagree
double stopping_impulse(const ImpactProblem& problem);

/// The shortest r with r . M^-1 J' lambda >= |lambda_n|_1 for every lambda in the linearised
/// friction cone (Lemma 6). None exists if the cone is not pointed (Assumption 2): then
/// Algorithm 1 need not terminate.
std::optional<Eigen::VectorXd> friction_cone_support(const ImpactProblem& problem);

/// Whether some contact has restitution.
bool has_restitution(const ImpactProblem& problem);

/// Whether some contact approaches faster than `tolerance`, m/s.
/// @throws InputError unless the velocity has nv entries, and the contact speeds and the tolerance
/// are finite
bool colliding(const ImpactProblem& problem, const Eigen::VectorXd& velocity, double tolerance);

}  // namespace carom
