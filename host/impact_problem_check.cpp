#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <set>

#include "carom/impact_problem.hpp"
#include "host/contact_dynamics.hpp"
#include "host/field_error.hpp"
#include "kernels/capacity.hpp"

namespace carom {
namespace {

using Eigen::MatrixXd;

// Entries of a typed or exported mass matrix may differ in their last digits across the diagonal.
constexpr double symmetry_tolerance = 1e-10;  // times sqrt(M_ii M_jj)
// Smallest pivot of M scaled to a unit diagonal: below it M is singular but for rounding.
constexpr double definite_tolerance = 1e-14;
// 1 + mu must keep its digits beside mu, or the cone cannot be told from a half-space.
constexpr double max_friction = 1e12;
constexpr int letters = 26;

[[noreturn]] void fail(const std::string& field, const std::string& message) {
  throw FieldError("problem." + field, message);
}

std::string default_name(int contact) {
  const std::string letter(1, static_cast<char>('A' + contact % letters));
  return contact < letters ? letter : letter + std::to_string(contact / letters);
}

std::string shape_text(Eigen::Index rows, Eigen::Index columns) {
  return fmt::format("{} x {}", rows, columns);
}

void require_shape(const char* field, const MatrixXd& matrix, Eigen::Index rows,
                   Eigen::Index columns, const char* meaning) {
  if (matrix.rows() == rows && matrix.cols() == columns) return;
  fail(field,
       fmt::format("{} is {} (must be {}: {})", field, shape_text(matrix.rows(), matrix.cols()),
                   shape_text(rows, columns), meaning));
}

void require_length(const char* field, Eigen::Index found, Eigen::Index wanted,
                    const char* meaning) {
  if (found == wanted) return;
  fail(field, fmt::format("{} has {} entries (must have {}: {})", field, found, wanted, meaning));
}

void require_finite(const char* field, const MatrixXd& matrix) {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      if (std::isfinite(matrix(i, j))) continue;
      // A vector's path has an index too many; the reader settles for the nearest that exists.
      fail(fmt::format("{}[{}][{}]", field, i, j),
           fmt::format("{} has {} in row {}, column {} (must be finite)", field, matrix(i, j),
                       i + 1, j + 1));
    }
  }
}

void check_shapes(const ImpactProblem& p) {
  const Eigen::Index nv = p.mass_matrix.rows();
  const Eigen::Index m = p.normal_jacobian.rows();
  if (nv == 0) fail("mass_matrix", "mass_matrix is empty (must be nv x nv with nv >= 1)");
  require_shape("mass_matrix", p.mass_matrix, nv, nv, "square, nv velocities");
  if (m == 0) fail("normal_jacobian", "normal_jacobian is empty (must have a row per contact)");
  require_shape("normal_jacobian", p.normal_jacobian, m, nv, "contacts x velocities");
  const MatrixXd& tangents = p.tangent_jacobian;
  if ((tangents.rows() != m && tangents.rows() != 2 * m) || tangents.cols() != nv) {
    fail("tangent_jacobian",
         fmt::format("tangent_jacobian is {} (must be {} in the plane, one row per contact, or {} "
                     "in space, two rows per contact)",
                     shape_text(tangents.rows(), tangents.cols()), shape_text(m, nv),
                     shape_text(2 * m, nv)));
  }
  require_length("friction", p.friction.size(), m, "one per contact");
  require_length("pre_impact_velocity", p.pre_impact_velocity.size(), nv, "one per velocity");
}

void check_friction_directions(const ImpactProblem& p) {
  const int k = p.friction_directions;
  if (p.tangent_dimension() == 1 && k != 2) {
    fail("friction_directions",
         fmt::format("friction_directions is {} (must be 2 in the plane)", k));
  }
  if (p.tangent_dimension() == 2 && (k < 4 || k % 2 != 0)) {
    fail("friction_directions",
         fmt::format("friction_directions is {} (must be even and >= 4 in space)", k));
  }
}

void check_capacity(const ImpactProblem& p) {
  // Sizes are bounded one by one first, so that their product cannot overflow.
  const bool small = p.contacts() <= max_lcp_size && p.friction_directions <= max_lcp_size;
  const long long lcp_size = (3LL + p.friction_directions) * p.contacts();
  if (small && fits_capacity(static_cast<int>(lcp_size), p.velocities())) return;
  fail("normal_jacobian",
       fmt::format("the problem has {} LCP unknowns, (3 + {} friction directions) x {} contacts, "
                   "and {} velocities (must be at most {} and {}, the compiled capacity; raise it "
                   "in kernels/capacity.hpp)",
                   lcp_size, p.friction_directions, p.contacts(), p.velocities(), max_lcp_size,
                   max_velocities));
}

void check_contact_names(ImpactProblem& p) {
  const int m = p.contacts();
  if (p.contact_names.empty()) {
    for (int i = 0; i < m; ++i) p.contact_names.push_back(default_name(i));
  }
  require_length("contact_names", static_cast<Eigen::Index>(p.contact_names.size()), m,
                 "one per contact");
  std::set<std::string> seen;
  for (std::size_t i = 0; i < p.contact_names.size(); ++i) {
    const std::string& name = p.contact_names[i];
    const std::string path = fmt::format("contact_names[{}]", i);
    const auto control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; };
    if (name.find(',') != std::string::npos) {
      fail(path, fmt::format("contact_names has \"{}\" (must have no comma: lists of contacts do)",
                             name));
    }
    if (name.empty() || std::any_of(name.begin(), name.end(), control)) {
      fail(path, fmt::format("contact_names has an empty or unprintable name for contact {} (must "
                             "be printable text)",
                             i + 1));
    }
    if (!seen.insert(name).second) {
      fail(path, fmt::format("contact_names has \"{}\" twice (must be unique)", name));
    }
  }
}

void check_friction(const ImpactProblem& p) {
  for (int i = 0; i < p.contacts(); ++i) {
    const double mu = p.friction(i);
    const char* rule = nullptr;
    if (!std::isfinite(mu)) {
      rule = "must be finite";
    } else if (mu < 0.0) {
      rule = "must be >= 0";
    } else if (mu > max_friction) {
      rule = "must be <= 1e12";
    } else {
      continue;
    }
    fail(fmt::format("friction[{}]", i),
         fmt::format("friction is {} ({}) for contact \"{}\"", mu, rule,
                     p.contact_names[static_cast<std::size_t>(i)]));
  }
}

void check_mass_matrix(ImpactProblem& p) {
  MatrixXd& mass = p.mass_matrix;
  const char* rule = "mass_matrix is not {} (must be symmetric positive definite): {}";
  for (Eigen::Index i = 0; i < mass.rows(); ++i) {
    if (!(mass(i, i) > 0.0)) {
      fail(fmt::format("mass_matrix[{}][{}]", i, i),
           fmt::format(fmt::runtime(rule), "positive definite",
                       fmt::format("its diagonal has {} in row {}", mass(i, i), i + 1)));
    }
  }
  const Eigen::VectorXd root = mass.diagonal().cwiseSqrt();
  for (Eigen::Index i = 0; i < mass.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      if (mass(i, j) == mass(j, i)) continue;
      if (!(std::abs(mass(i, j) - mass(j, i)) <= symmetry_tolerance * root(i) * root(j))) {
        fail(fmt::format("mass_matrix[{}][{}]", i, j),
             fmt::format(fmt::runtime(rule), "symmetric",
                         fmt::format("{} in row {}, column {}, but {} opposite, further apart than "
                                     "1e-10 sqrt(M_ii M_jj)",
                                     mass(i, j), i + 1, j + 1, mass(j, i))));
      }
      mass(i, j) = mass(j, i) = 0.5 * mass(i, j) + 0.5 * mass(j, i);
    }
  }
  const Eigen::VectorXd scale = root.cwiseInverse();
  const MatrixXd scaled = scale.asDiagonal() * mass * scale.asDiagonal();
  const Eigen::LLT<MatrixXd> cholesky(scaled);
  const MatrixXd factor = cholesky.matrixL();
  if (cholesky.info() != Eigen::Success ||
      !(factor.diagonal().cwiseAbs2().minCoeff() > definite_tolerance)) {
    fail("mass_matrix",
         fmt::format(fmt::runtime(rule), "positive definite", "its Cholesky factorisation fails"));
  }
}

void check_normals(const ImpactProblem& p) {
  for (int i = 0; i < p.contacts(); ++i) {
    if (p.normal_jacobian.row(i).cwiseAbs().maxCoeff() > 0.0) continue;
    fail(fmt::format("normal_jacobian[{}]", i),
         fmt::format("normal_jacobian has a zero row (a normal must not be zero) for contact "
                     "\"{}\"",
                     p.contact_names[static_cast<std::size_t>(i)]));
  }
}

/// Every rule holds, yet products of extreme numbers can overflow or vanish.
void check_scale(const ImpactProblem& p, const ContactDynamics& dynamics) {
  const MatrixXd delassus = dynamics.delassus();
  const bool usable = delassus.allFinite() &&
                      delassus.diagonal().head(p.contacts()).minCoeff() > 0.0 &&
                      (p.normal_jacobian * p.pre_impact_velocity).allFinite() &&
                      (p.tangent_jacobian * p.pre_impact_velocity).allFinite() &&
                      std::isfinite(kinetic_energy(p, p.pre_impact_velocity)) &&
                      std::isfinite(dynamics.psi(p, Norm::euclidean)) &&
                      std::isfinite(dynamics.stopping_impulse(p));
  if (usable) return;
  fail("mass_matrix",
       "mass_matrix, the Jacobians and pre_impact_velocity are out of scale (J M^-1 J', J v and "
       "v' M v must neither overflow nor vanish): choose other units");
}

}  // namespace

ContactDynamics validated_dynamics(ImpactProblem& problem) {
  check_shapes(problem);
  check_friction_directions(problem);
  check_capacity(problem);
  check_contact_names(problem);
  require_finite("mass_matrix", problem.mass_matrix);
  require_finite("normal_jacobian", problem.normal_jacobian);
  require_finite("tangent_jacobian", problem.tangent_jacobian);
  require_finite("pre_impact_velocity", problem.pre_impact_velocity);
  check_friction(problem);
  check_mass_matrix(problem);
  check_normals(problem);
  ContactDynamics dynamics(problem);
  check_scale(problem, dynamics);
  return dynamics;
}

void validate(ImpactProblem& problem) { validated_dynamics(problem); }

}  // namespace carom
