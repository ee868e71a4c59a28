#include "carom/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "carom/numbers.hpp"
#include "host/base/field_error.hpp"
#include "host/base/nearest_name.hpp"
#include "host/base/question_words.hpp"
#include "host/base/trimmed.hpp"

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

/// A contact's axis.
struct ContactAxis {
  std::size_t contact;
  Eigen::VectorXd row;
};

/// That of "NAME AXIS" or "AXIS NAME"; names may have blanks.
std::optional<ContactAxis> contact_axis(const ImpactProblem& problem, const std::string& text) {
  for (std::size_t i = 0; i < problem.contact_names.size(); ++i) {
    const std::string& name = problem.contact_names[i];
    std::optional<Eigen::VectorXd> row;
    if (text.starts_with(name + " ")) row = axis_row(problem, i, text.substr(name.size() + 1));
    if (!row && text.ends_with(" " + name)) {
      row = axis_row(problem, i, text.substr(0, text.size() - name.size() - 1));
    }
    if (row) return ContactAxis{i, *std::move(row)};
  }
  return std::nullopt;
}

/// The place of the output that a text states, as for add_direction(), or names; it is added if
/// there is none of this name and row.
std::size_t place_of(const ImpactProblem& problem, const std::string& text,
                     const std::string& place, Outputs& outputs) {
  const auto place_of_name = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(outputs.names, name) - outputs.names.begin());
  };
  const std::size_t known = place_of_name(text);
  if (known < outputs.size()) return known;
  Outputs own;
  add_direction(problem, text, place, own);
  const std::size_t same = place_of_name(own.names.front());
  const Eigen::VectorXd row = own.matrix.row(0);
  if (same < outputs.size() &&
      outputs.matrix.row(static_cast<Eigen::Index>(same)) == row.transpose()) {
    return same;
  }
  add_output(row, own.names.front(), outputs);  // whose name validate() judges
  return outputs.size() - 1;
}

bool is_letter(unsigned char c) { return std::isalpha(c) != 0 && c != 'e' && c != 'E'; }

}  // namespace

std::string axis_name(int tangent_dimension, int axis) {
  if (axis == 0) return "normal";
  return tangent_dimension == 1 ? "tangential" : fmt::format("tangential {}", axis);
}

void add_output(const Eigen::VectorXd& row, const std::string& name, Outputs& outputs) {
  const Eigen::Index rows = outputs.matrix.rows();
  if (rows > 0 && row.size() != outputs.matrix.cols()) {
    throw InputError(fmt::format("the row of \"{}\" has {} numbers (must have {}, as those before)",
                                 name, row.size(), outputs.matrix.cols()));
  }
  outputs.matrix.conservativeResize(rows + 1, row.size());
  outputs.matrix.row(rows) = row.transpose();
  outputs.names.push_back(name);
}

void add_direction(const ImpactProblem& problem, const std::string& text, const std::string& place,
                   Outputs& outputs) {
  const auto nv = static_cast<std::size_t>(problem.velocities());
  std::optional<Eigen::VectorXd> row;
  if (auto axis = contact_axis(problem, text)) row = std::move(axis->row);
  const std::size_t sign = text.find('=');
  if (!row && sign != std::string::npos) {  // "torso = 0, 0, 1"
    add_direction(problem, std::string(trimmed(text.substr(sign + 1))), place, outputs);
    outputs.names.back() = trimmed(text.substr(0, sign));
    return;
  }
  if (!row && (text.empty() || std::ranges::any_of(text, is_letter))) {
    std::vector<std::string> known;
    for (const std::string& name : problem.contact_names) {
      for (const char* axis : {"normal", "tangential", "tangential2"}) {
        if (axis_row(problem, 0, axis)) known.push_back(name + " " + axis);
      }
    }
    throw InputError(fmt::format(
        "{} is \"{}\" (must be a contact of {} with normal{}, as in \"{} normal\", or {} numbers, "
        "one per velocity, also as \"NAME = numbers\"){}",
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

void add_question(const ImpactProblem& problem, const std::string& text, Outputs& outputs) {
  QuestionWords words("outputs.ask",
                      "must be like \"A normal > 0.1\", \"|A tangential| > 10 deg/s\" or \"1, 0, "
                      "-0.5 < 0\"",
                      text);
  const Inequality its = words.inequality({"m/s", "rad/s", "deg/s"});
  words.require_end();
  if (its.absolute && !its.greater) {
    words.fail("whether an absolute value is less (must be whether it is greater)");
  }
  const std::size_t output =
      place_of(problem, its.quantity, fmt::format("what \"{}\" asks about", text), outputs);
  const std::string stated = its.unit == "deg/s" ? "rad/s" : its.unit;
  if (const auto axis = contact_axis(problem, its.quantity)) {
    const std::string unit = speed_unit(problem, static_cast<int>(axis->contact));
    if (!stated.empty() && stated != unit) {
      words.fail(fmt::format("whose {} is in {}", its.quantity, unit));
    }
  }
  outputs.questions.push_back({text, output, its.absolute, its.greater, its.value});
}

void require_own_names(const Outputs& outputs, const ImpactProblem& problem) {
  constexpr double rounding = 1e-9;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto own = contact_axis(problem, outputs.names[i]);
    const Eigen::VectorXd row = outputs.matrix.row(static_cast<Eigen::Index>(i));
    if (!own || own->row.isApprox(row, rounding)) continue;
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
