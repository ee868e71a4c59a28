#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/outcome_modes.hpp"
#include "python/bindings/bindings.hpp"

namespace carom::python {

/// A combination of contact modes, with its share of the outcomes where that is a probability.
struct CountedMode {
  OutcomeMode mode;
  std::string text;
  std::optional<double> share = {};
  std::optional<ProbabilityInterval> interval = {};
};

/// @param has_shares of random trajectories, not of members of a net
std::vector<CountedMode> counted_modes(const ImpactProblem& problem, const OutcomeModes& modes,
                                       bool has_shares);

}  // namespace carom::python
