#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "carom/bounds.hpp"
#include "carom/questions.hpp"

namespace carom::python {

/// A bound, with what its names need of the problem.
struct NamedBound {
  BoundCheck check;
  std::vector<std::string> contact_names;
  int tangents;  // d
  Eigen::MatrixXd mass_matrix;
  std::vector<Answer> answers;  // to the questions of its run

  NamedBound(BoundCheck its_check, const ImpactProblem& problem, std::vector<Answer> its_answers)
      : check(std::move(its_check)),
        contact_names(problem.contact_names),
        tangents(problem.tangent_dimension()),
        mass_matrix(problem.mass_matrix),
        answers(std::move(its_answers)) {}
};

inline std::optional<NamedBound> named(const std::optional<BoundCheck>& check,
                                       const ImpactProblem& problem,
                                       std::vector<Answer> answers) {
  if (!check) return std::nullopt;
  return NamedBound(*check, problem, std::move(answers));
}

}  // namespace carom::python
