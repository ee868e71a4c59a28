#include "carom/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "carom/numbers.hpp"
#include "host/base/field_error.hpp"
#include "host/base/nearest_name.hpp"

namespace carom {
namespace {

constexpr std::size_t most_outputs = 1000;  // a search along one can take seconds

/// The row of a contact's axis; none if a word is no axis of this problem.
std::optional<Eigen::VectorXd> axis_row(const ImpactProblem& problem, std::size_t contact,
                                        const std::string& axis) {
  const int d = problem.tangent_dimension();
  const auto row = static_cast<Eigen::Index>(contact);
  if (axis == "normal") return problem.normal_jacobian.row(row).transpose();
  if (axis == "tangential" || axis == "tangential1" || axis == "tangential 1") {
    return problem.tangent_jacobian.row(row * d).transpose();
  }
  if (d > 1 && (axis == "tangential2" || axis == "tangential 2")) {
    return problem.tangent_jacobian.row(row * d + 1).transpose();
  }
  return std::nullopt;
}

/// The row of "NAME AXIS" or "AXIS NAME"; names may have blanks.
std::optional<Eigen::VectorXd> contact_row(const ImpactProblem& problem, const std::string& text) {
  for (std::size_t i = 0; i < problem.contact_names.size(); ++i) {
    const std::string& name = problem.contact_names[i];
    std::optional<Eigen::VectorXd> row;
    if (text.starts_with(name + " ")) row = axis_row(problem, i, text.substr(name.size() + 1));
    if (!row && text.ends_with(" " + name)) {
      row = axis_row(problem, i, text.substr(0, text.size() - name.size() - 1));
    }
    if (row) return row;
  }
  return std::nullopt;
}

bool is_letter(unsigned char c) { return std::isalpha(c) != 0 && c != 'e' && c != 'E'; }

}  // namespace

std::string axis_name(int tangent_dimension, int axis) {
  if (axis == 0) return "normal";
  return tangent_dimension == 1 ? "tangential" : fmt::format("tangential {}", axis);
}

void add_output(const Eigen::VectorXd& row, const std::string& name, Outputs& outputs) {
  const Eigen::Index rows = outputs.matrix.rows();
  outputs.matrix.conservativeResize(rows + 1, row.size());
  outputs.matrix.row(rows) = row.transpose();
  outputs.names.push_back(name);
}

void add_direction(const ImpactProblem& problem, const std::string& text, const std::string& place,
                   Outputs& outputs) {
  const auto nv = static_cast<std::size_t>(problem.velocities());
  std::optional<Eigen::VectorXd> row = contact_row(problem, text);
  if (!row && (text.empty() || std::ranges::any_of(text, is_letter))) {
    std::vector<std::string> known;
    for (const std::string& name : problem.contact_names) {
      for (const char* axis : {"normal", "tangential", "tangential2"}) {
        if (axis_row(problem, 0, axis)) known.push_back(name + " " + axis);
      }
    }
    throw InputError(fmt::format(
        "{} is \"{}\" (must be a contact of {} with normal{}, as in \"{} normal\", or {} numbers, "
        "one per velocity){}",
        place, text, fmt::join(problem.contact_names, ", "),
        problem.tangent_dimension() > 1 ? ", tangential or tangential2" : " or tangential",
        problem.contact_names.front(), nv, suggestion(text, known)));
  }
  if (!row) {
    const std::vector<double> numbers = parse_reals(place, text);
    if (numbers.size() != nv) {
      throw InputError(fmt::format("{} has {} numbers (must have {}: one per velocity)", place,
                                   numbers.size(), nv));
    }
    row = Eigen::Map<const Eigen::VectorXd>(numbers.data(), problem.velocities());
  }
  add_output(*row, text, outputs);
}

void require_own_names(const Outputs& outputs, const ImpactProblem& problem) {
  constexpr double rounding = 1e-9;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto own = contact_row(problem, outputs.names[i]);
    const Eigen::VectorXd row = outputs.matrix.row(static_cast<Eigen::Index>(i));
    if (!own || own->isApprox(row, rounding)) continue;
    throw FieldError(
        fmt::format("outputs.names[{}]", i),
        fmt::format("the name \"{}\" of a direction is that of a contact's speed (must be "
                    "another one)",
                    outputs.names[i]));
  }
}

void validate(const Outputs& outputs, const ImpactProblem& problem) {
  const auto rows = static_cast<std::size_t>(outputs.matrix.rows());
  const auto fail = [](const std::string& field, const std::string& message) {
    throw FieldError("outputs." + field, message);
  };
  if (rows > most_outputs) {
    fail("matrix",
         fmt::format("[outputs] matrix has {} rows (must have at most {})", rows, most_outputs));
  }
  if (rows > 0 && outputs.matrix.cols() != problem.velocities()) {
    fail("matrix", fmt::format("[outputs] matrix has {} columns (must have {}: one per velocity)",
                               outputs.matrix.cols(), problem.velocities()));
  }
  if (outputs.names.size() != rows) {
    fail("names",
         fmt::format("[outputs] names has {} entries (must have {}: one per row of matrix)",
                     outputs.names.size(), rows));
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string& name = outputs.names[i];
    const auto row = outputs.matrix.row(static_cast<Eigen::Index>(i));
    if (!row.allFinite() || row.isZero(0.0)) {
      fail(fmt::format("matrix[{}]", i),
           fmt::format("direction \"{}\" is {} (must be finite and not zero)", name,
                       row.allFinite() ? "zero" : "not finite"));
    }
    if (name.empty() || std::ranges::count(outputs.names, name) > 1) {
      fail(fmt::format("names[{}]", i),
           fmt::format("the name \"{}\" of a direction is {} (must be a text that names one only)",
                       name, name.empty() ? "empty" : "given twice"));
    }
  }
}

}  // namespace carom
