#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "carom/scenario.hpp"
#include "host/evidence/theory.hpp"

namespace carom::cli {

/// The bounds of the paper's theorems for a scenario, and the measurements of a small run.
struct Theory {
  std::optional<TerminationBound> bound;  ///< none: the friction cone is not pointed
  bool uniform_caps = true;               ///< false: the theorems do not apply to these caps
  MeasuredTail tail;
  std::optional<double> ambiguous;  ///< share of steps with several solutions, if known
  MeasuredSlope slope;
  double dimensions = 0.0;          ///< N m
  double log10_trajectories = 0.0;  ///< of Lemma 1, if lemma_holds()

  /// Whether the assumptions of Lemma 1 hold, as far as measured.
  bool lemma_holds() const {
    return uniform_caps && ambiguous.value_or(0.0) == 0.0 && slope.pairs > 0 && !slope.jumps;
  }
};

Theory examine_theory(const Scenario& scenario);

std::string theory_text(const Scenario& scenario, const Theory& theory);
nlohmann::ordered_json theory_json(const Theory& theory);

}  // namespace carom::cli
