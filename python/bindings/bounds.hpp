#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/bounds.hpp"

namespace carom::python {

/// A bound, with what its names need of the problem.
struct NamedBound {
  BoundCheck check;
  std::vector<std::string> contact_names;
  int tangents;  // d
};

inline std::optional<NamedBound> named(const std::optional<BoundCheck>& check,
                                       const ImpactProblem& problem) {
  if (!check) return std::nullopt;
  return NamedBound{*check, problem.contact_names, problem.tangent_dimension()};
}

}  // namespace carom::python
