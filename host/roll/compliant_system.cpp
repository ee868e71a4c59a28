#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "carom/compliant.hpp"
#include "host/base/field_error.hpp"
#include "host/problem/decompositions.hpp"
#include "host/roll/biped_numbers.hpp"
#include "kernels/compliant/compliant_plan.hpp"

namespace carom {
namespace {

[[noreturn]] void fail(const std::string& field, const std::string& message) {
  throw FieldError("problem." + field, message);
}

std::string shape_text(Eigen::Index rows, Eigen::Index columns) {
  return columns == 1 ? fmt::format("{} numbers", rows) : fmt::format("{} x {}", rows, columns);
}

template <class Matrix>
void check_array(const char* name, const Matrix& array, Eigen::Index rows, Eigen::Index columns) {
  if (array.rows() != rows || array.cols() != columns) {
    fail(name, fmt::format("{} is {} (must be {})", name, shape_text(array.rows(), array.cols()),
                           shape_text(rows, columns)));
  }
  if (!array.allFinite()) fail(name, fmt::format("{} is not finite (must be)", name));
}

template <class Matrix>
void fill_array(const char* name, Matrix& array, Eigen::Index rows, Eigen::Index columns) {
  if (array.size() == 0) array = Matrix::Zero(rows, columns);
  check_array(name, array, rows, columns);
}

void check_count(const char* field, const char* what, Eigen::Index count, Eigen::Index most) {
  if (count < 1 || count > most) {
    fail(field, fmt::format("{} has {} {} (must have 1 to {})", field, count, what, most));
  }
}

void check_not_negative(const char* name, const Eigen::VectorXd& values) {
  for (const double value : values) {
    if (!(value >= 0.0)) fail(name, fmt::format("{} contains {} (must be >= 0)", name, value));
  }
}

/// A guard whose event function never changes is never met.
void check_guards(const char* name, const Eigen::MatrixXd& rows) {
  for (Eigen::Index k = 0; k < rows.rows(); ++k) {
    if (rows.row(k).isZero(0.0)) {
      fail(name, fmt::format("row {} of {} is 0 (must not be: its contact never opens or closes)",
                             k + 1, name));
    }
  }
}

void check(Springs& springs) {
  const Eigen::Index n = springs.mass_matrix.rows();
  const Eigen::Index m = springs.normal_jacobian.rows();
  check_count("mass_matrix", "rows", n, max_compliant_coordinates);
  check_count("normal_jacobian", "rows", m, max_compliant_contacts);
  check_array("mass_matrix", springs.mass_matrix, n, n);
  check_array("force", springs.force, n, 1);
  check_array("normal_jacobian", springs.normal_jacobian, m, n);
  check_array("gap_offset", springs.gap_offset, m, 1);
  check_array("contact_stiffness", springs.contact_stiffness, m, 1);
  fill_array("contact_damping", springs.contact_damping, m, 1);
  fill_array("contact_preload", springs.contact_preload, m, 1);
  fill_array("stiffness", springs.stiffness, n, n);
  fill_array("damping", springs.damping, n, n);
  check_not_negative("contact_stiffness", springs.contact_stiffness);
  check_not_negative("contact_damping", springs.contact_damping);
  check_not_negative("contact_preload", springs.contact_preload);
  check_guards("normal_jacobian", springs.normal_jacobian);
  constexpr double rounding = 1e-9;
  const Eigen::MatrixXd& mass = springs.mass_matrix;
  if (!mass.isApprox(mass.transpose(), rounding) || !Cholesky(mass).succeeded()) {
    fail("mass_matrix", "mass_matrix is not symmetric positive definite (must be)");
  }
}

void check_number(const char* name, double value, bool may_be_zero) {
  if (std::isfinite(value) && (value > 0.0 || (may_be_zero && value == 0.0))) return;
  fail(name, fmt::format("{} is {} (must be {})", name, value, may_be_zero ? ">= 0" : "> 0"));
}

void check(const SpringPlate& plate) {
  check_count("positions", "numbers", plate.positions.size(), max_compliant_contacts);
  check_array("positions", plate.positions, plate.positions.size(), 1);
  check_number("height", plate.height, false);
  check_number("mass", plate.mass, false);
  check_number("inertia", plate.inertia, false);
  check_number("stiffness", plate.stiffness, true);
  check_number("damping", plate.damping, true);
  check_number("gravity", plate.gravity, true);
  check_number("steepest", plate.steepest, false);
  if (!(plate.steepest < std::numbers::pi / 2.0)) {
    fail("steepest", fmt::format("steepest is {} (must be below pi / 2)", plate.steepest));
  }
}

void check(const PiecewiseAffine& table) {
  const Eigen::Index n = table.guards.cols();
  const Eigen::Index m = table.guards.rows();
  check_count("guards", "rows", m, max_affine_guards);
  check_count("guards", "columns", n, max_affine_states);
  check_array("guards", table.guards, m, n);
  check_array("guard_offset", table.guard_offset, m, 1);
  check_guards("guards", table.guards);
  const std::size_t modes = std::size_t{1} << m;
  if (table.matrices.size() != modes || table.vectors.size() != modes) {
    fail("mode", fmt::format("mode has {} entries (must have {}: 2^m of m guards)",
                             std::min(table.matrices.size(), table.vectors.size()), modes));
  }
  for (std::size_t s = 0; s < modes; ++s) {
    check_array("matrix", table.matrices[s], n, n);
    check_array("vector", table.vectors[s], n, 1);
  }
}

void check(const SpringBiped& biped) {
  for_each_biped_number(
      [](const char* name, NumberRule rule, double value) {
        if (rule != NumberRule::finite) {
          check_number(name, value, rule == NumberRule::not_negative);
        } else if (!std::isfinite(value)) {
          fail(name, fmt::format("{} is {} (must be finite)", name, value));
        }
      },
      biped);
}

/// Bounds of which one or both are stated: the other one is then infinity.
void fill_bounds(CompliantSystem& system) {
  if (system.lowest.size() == 0 && system.highest.size() == 0) return;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Eigen::Index n = system.coordinate_count();
  const auto check = [&](const char* name, Eigen::VectorXd& bound, double none) {
    if (bound.size() == 0) bound = Eigen::VectorXd::Constant(n, none);
    if (bound.size() != n) {
      fail(name, fmt::format("{} is {} (must be {})", name, shape_text(bound.size(), 1),
                             shape_text(n, 1)));
    }
  };
  check("lowest", system.lowest, -infinity);
  check("highest", system.highest, infinity);
  for (Eigen::Index i = 0; i < n; ++i) {
    if (system.lowest[i] < system.highest[i]) continue;
    fail("highest",
         fmt::format("highest is {} (must be above lowest, {}) for {}", system.highest[i],
                     system.lowest[i], system.coordinates[static_cast<std::size_t>(i)]));
  }
}

void fill_names(const char* field, std::vector<std::string>& names, int count,
                const std::vector<std::string>& defaults) {
  if (names.empty()) names = defaults;
  if (names.size() != static_cast<std::size_t>(count)) {
    fail(field, fmt::format("{} has {} names (must have {})", field, names.size(), count));
  }
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size()) {
    fail(field, fmt::format("{} has a name twice (must differ)", field));
  }
}

/// A, B, ..., Z, then C27, C28, ...
std::vector<std::string> letters(int count) {
  constexpr int alphabet = 26;
  std::vector<std::string> names;
  for (int k = 0; k < count; ++k) {
    names.push_back(k < alphabet ? std::string(1, static_cast<char>('A' + k))
                                 : fmt::format("C{}", k + 1));
  }
  return names;
}

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace

int CompliantSystem::coordinate_count() const {
  return std::visit(
      Overloaded{[](const Springs& its) { return static_cast<int>(its.mass_matrix.rows()); },
                 [](const SpringPlate&) { return 3; }, [](const SpringBiped&) { return 7; },
                 [](const PiecewiseAffine& its) { return static_cast<int>(its.guards.cols()); }},
      motion);
}

int CompliantSystem::velocity_count() const {
  return std::holds_alternative<PiecewiseAffine>(motion) ? 0 : coordinate_count();
}

int CompliantSystem::contact_count() const {
  return std::visit(
      Overloaded{[](const Springs& its) { return static_cast<int>(its.normal_jacobian.rows()); },
                 [](const SpringPlate& its) { return static_cast<int>(its.positions.size()); },
                 [](const SpringBiped&) { return 2; },
                 [](const PiecewiseAffine& its) { return static_cast<int>(its.guards.rows()); }},
      motion);
}

const char* kind_name(const CompliantSystem& system) {
  constexpr const char* names[] = {"springs", "plate", "piecewise_affine", "biped"};
  return names[system.motion.index()];
}

CompliantSystem validated(CompliantSystem system) {
  std::visit([](auto& motion) { check(motion); }, system.motion);
  std::vector<std::string> coordinates;
  for (int i = 0; i < system.coordinate_count(); ++i) {
    coordinates.push_back(fmt::format("q{}", i + 1));
  }
  std::vector<std::string> contacts = letters(system.contact_count());
  if (std::holds_alternative<SpringPlate>(system.motion)) coordinates = {"x", "z", "theta"};
  if (std::holds_alternative<SpringBiped>(system.motion)) {
    coordinates = {"xb", "xl", "xr", "zb", "zl", "zr", "theta"};
    contacts = {"left", "right"};
  }
  fill_names("coordinate_names", system.coordinates, system.coordinate_count(), coordinates);
  fill_names("contact_names", system.contacts, system.contact_count(), contacts);
  fill_bounds(system);
  return system;
}

}  // namespace carom
