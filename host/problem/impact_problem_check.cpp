#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "carom/impact_problem.hpp"
#include "host/base/field_error.hpp"
#include "host/problem/step_check.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {
namespace {

using Eigen::MatrixXd;

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

void require_length(const char* field, Eigen::Index found, Eigen::Index wanted,
                    const char* meaning) {
  if (found == wanted) return;
  fail(field, fmt::format("{} has {} entries (must have {}: {})", field, found, wanted, meaning));
}

void require_finite(const char* field, const MatrixXd& matrix, bool is_vector = false) {
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      if (std::isfinite(matrix(i, j))) continue;
      const std::string place = is_vector ? fmt::format("entry {}", i + 1)
                                          : fmt::format("row {}, column {}", i + 1, j + 1);
      // The path of a vector has one index too many; the reader uses the nearest existing path.
      fail(fmt::format("{}[{}][{}]", field, i, j),
           fmt::format("{} has {} in {} (must be finite)", field, matrix(i, j), place));
    }
  }
}

}  // namespace

void require_shapes(const ImpactProblem& p) {
  const Eigen::Index nv = p.mass_matrix.rows();
  const Eigen::Index m = p.normal_jacobian.rows();
  if (nv == 0) fail("mass_matrix", "mass_matrix is empty (must be nv x nv with nv >= 1)");
  if (p.mass_matrix.cols() != nv) {
    fail("mass_matrix", fmt::format("mass_matrix is {} (must be square: nv velocities)",
                                    shape_text(nv, p.mass_matrix.cols())));
  }
  if (m == 0) fail("normal_jacobian", "normal_jacobian is empty (must have a row per contact)");
  if (p.normal_jacobian.cols() != nv) {
    fail("normal_jacobian",
         fmt::format("normal_jacobian is {} (must have {} columns, one per velocity, and a row per "
                     "contact)",
                     shape_text(m, p.normal_jacobian.cols()), nv));
  }
  const MatrixXd& tangents = p.tangent_jacobian;
  if ((tangents.rows() != m && tangents.rows() != 2 * m) || tangents.cols() != nv) {
    fail("tangent_jacobian",
         fmt::format("tangent_jacobian is {} (must be {} in the plane, one row per contact, or {} "
                     "in space, two rows per contact{})",
                     shape_text(tangents.rows(), tangents.cols()), shape_text(m, nv),
                     shape_text(2 * m, nv),
                     tangents.size() == 0 ? "; validated() fills them in without friction" : ""));
  }
  require_length("friction", p.friction.size(), m, "one per contact");
  require_length("pre_impact_velocity", p.pre_impact_velocity.size(), nv, "one per velocity");
  const int k = p.friction_directions;
  if (directions_suit(p.tangent_dimension(), k)) return;
  fail("friction_directions",
       fmt::format("friction_directions is {} (must be {})", k,
                   p.tangent_dimension() == 1 ? "2 in the plane" : "even and >= 4 in space"));
}

namespace {

bool has_friction(const ImpactProblem& p) { return (p.friction.array() != 0.0).any(); }

void check_capacity(const ImpactProblem& p) {
  if (fits_capacity(shape_of(p))) return;
  if (!has_friction(p)) {
    if (fits_assembly(shape_of(p))) return;
    fail("normal_jacobian",
         fmt::format("the problem has {} contacts and {} velocities (must be at most {} and {} "
                     "without friction, of {} friction directions)",
                     p.contacts(), p.velocities(),
                     std::min(LargestAssembly::contacts,
                              LargestAssembly::lcp_size / (3 + p.friction_directions)),
                     LargestAssembly::velocities, p.friction_directions));
  }
  fail("normal_jacobian",
       fmt::format(
           "the problem has {} LCP unknowns, (3 + {} friction directions) x {} contacts, "
           "and {} velocities (must be at most {} and {}, the compiled capacity: leave contacts, "
           "as merge of a MuJoCo model does, or friction directions out, or state "
           "a problem for each group of bodies that do not touch the others)",
           (3LL + p.friction_directions) * p.contacts(), p.friction_directions, p.contacts(),
           p.velocities(), max_lcp_size, max_velocities));
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

void check_speed_units(const ImpactProblem& p) {
  if (p.speed_units.empty()) return;
  require_length("speed_units", static_cast<Eigen::Index>(p.speed_units.size()), p.contacts(),
                 "one per contact");
  for (std::size_t i = 0; i < p.speed_units.size(); ++i) {
    const std::string& unit = p.speed_units[i];
    if (unit == "m/s" || unit == "rad/s") continue;
    fail(fmt::format("speed_units[{}]", i),
         fmt::format("speed_units has \"{}\" (must be m/s or rad/s)", unit));
  }
}

void check_friction(const ImpactProblem& p) {
  for (int i = 0; i < p.contacts(); ++i) {
    const double mu = p.friction(i);
    std::string rule;
    if (!std::isfinite(mu)) {
      rule = "must be finite";
    } else if (mu < 0.0) {
      rule = "must be >= 0";
    } else if (mu > max_friction) {
      rule = fmt::format("must be <= {}", max_friction);
    } else {
      continue;
    }
    fail(fmt::format("friction[{}]", i),
         fmt::format("friction is {} ({}) for contact \"{}\"", mu, rule,
                     p.contact_names[static_cast<std::size_t>(i)]));
  }
}

void check_restitution(const ImpactProblem& p) {
  if (p.restitution.size() == 0) return;
  require_length("restitution", p.restitution.size(), p.contacts(), "one per contact");
  for (int i = 0; i < p.contacts(); ++i) {
    const double e = p.restitution(i);
    if (e >= 0.0 && e <= 1.0) continue;
    fail(fmt::format("restitution[{}]", i),
         fmt::format("restitution is {} (must be from 0 to 1) for contact \"{}\"", e,
                     p.contact_names[static_cast<std::size_t>(i)]));
  }
}

constexpr const char* mass_rule = "mass_matrix is not {} (must be symmetric positive definite): {}";

void check_mass_matrix(ImpactProblem& p) {
  MatrixXd& mass = p.mass_matrix;
  for (Eigen::Index i = 0; i < mass.rows(); ++i) {
    if (!(mass(i, i) > 0.0)) {
      fail(fmt::format("mass_matrix[{}][{}]", i, i),
           fmt::format(fmt::runtime(mass_rule), "positive definite",
                       fmt::format("its diagonal has {} in row {}", mass(i, i), i + 1)));
    }
  }
  for (Eigen::Index i = 0; i < mass.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      if (!nearly_symmetric(mass(i, j), mass(j, i), mass(i, i), mass(j, j))) {
        fail(fmt::format("mass_matrix[{}][{}]", i, j),
             fmt::format(fmt::runtime(mass_rule), "symmetric",
                         fmt::format("{} in row {}, column {}, but {} opposite, further apart than "
                                     "{:g} sqrt(M_ii M_jj)",
                                     mass(i, j), i + 1, j + 1, mass(j, i), symmetry_tolerance)));
      }
      mass(i, j) = mass(j, i) = between(mass(i, j), mass(j, i));
    }
  }
}

void check_normals(const ImpactProblem& p) {
  constexpr double rounding = 1e-12;
  // Scaled so that units of coordinates do not count.
  const Eigen::VectorXd scale = p.mass_matrix.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::VectorXd sizes = (p.normal_jacobian * scale.asDiagonal()).rowwise().stableNorm();
  const double largest = sizes.maxCoeff();
  for (int i = 0; i < p.contacts(); ++i) {
    const bool is_zero = p.normal_jacobian.row(i).isZero(0.0);
    if (!is_zero && (sizes(i) > rounding * largest || !std::isfinite(largest))) continue;
    fail(fmt::format("normal_jacobian[{}]", i),
         fmt::format("normal_jacobian has a {} for contact \"{}\"",
                     is_zero ? "zero row (a normal must not be zero)"
                             : "row of rounding errors (bodies must be able to move along a "
                               "normal, by more than 1e-12 of what they do along others)",
                     p.contact_names[static_cast<std::size_t>(i)]));
  }
}

/// Rules that only the assembly itself can check.
void check_assembly(const ImpactProblem& p) {
  switch (assemble_unchecked(p, Norm::euclidean, shape_of(p)).report.status) {
    case AssemblyStatus::usable:
      return;
    case AssemblyStatus::indefinite_mass:
      fail("mass_matrix", fmt::format(fmt::runtime(mass_rule), "positive definite",
                                      "its Cholesky factorisation fails"));
    default:
      fail(
          "mass_matrix",
          "mass_matrix, the Jacobians and pre_impact_velocity are out of scale (J M^-1 J', J v and "
          "v' M v must neither overflow nor vanish): choose other units");
  }
}

}  // namespace

int most_velocities() { return max_velocities; }

double greatest_friction() { return max_friction; }

const char* speed_unit(const ImpactProblem& problem, int contact) {
  return problem.speed_units.empty()
             ? "m/s"
             : problem.speed_units[static_cast<std::size_t>(contact)].c_str();
}

ImpactProblem validated(ImpactProblem problem) {
  if (problem.tangent_jacobian.size() == 0 && problem.friction.isZero(0.0)) {
    // Without friction nothing happens along tangents, in the plane of any.
    problem.tangent_jacobian =
        MatrixXd::Zero(problem.normal_jacobian.rows(), problem.normal_jacobian.cols());
    if (problem.friction.size() == 0) {
      problem.friction = Eigen::VectorXd::Zero(problem.normal_jacobian.rows());
    }
  }
  require_shapes(problem);
  check_capacity(problem);
  check_contact_names(problem);
  check_speed_units(problem);
  require_finite("mass_matrix", problem.mass_matrix);
  require_finite("normal_jacobian", problem.normal_jacobian);
  require_finite("tangent_jacobian", problem.tangent_jacobian);
  require_finite("pre_impact_velocity", problem.pre_impact_velocity, true);
  check_friction(problem);
  check_restitution(problem);
  check_mass_matrix(problem);
  check_normals(problem);
  check_assembly(problem);
  return problem;
}

}  // namespace carom
