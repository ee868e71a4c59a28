#include "host/evidence/comparison_note.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "host/base/note_list.hpp"

namespace carom {

Comparison compare_laws(const ImpactProblem& problem, const SamplingOptions& options,
                        const EpsilonNet& net) {
  ComparisonOptions its;
  its.termination_tolerance = options.termination_tolerance;
  its.seed = options.seed;
  Comparison found = compare_laws(problem, its);
  measure_distances(found, net);
  return found;
}

std::optional<Note> note_on(const Comparison& comparison, const EpsilonNet& net,
                            double impulse_step) {
  if (net.size() == 0) return std::nullopt;
  std::string laws;
  double farthest = 0.0;
  double impulse = 0.0;
  for (const ComparedLaw law : {ComparedLaw::simultaneous, ComparedLaw::sequential}) {
    std::size_t all = 0;
    std::size_t outside = 0;
    for (const LawOutcome& outcome : comparison.outcomes) {
      if (outcome.law != law || !outcome.terminated) continue;
      ++all;
      if (outcome.net_distance <= net.epsilon()) continue;
      ++outside;
      farthest = std::max(farthest, outcome.net_distance);
      impulse = std::max(impulse, outcome.largest_impulse);
    }
    if (outside == 0) continue;
    laws += fmt::format("{}{} of {} {} of the {} law", laws.empty() ? "" : " and ", outside, all,
                        law == ComparedLaw::simultaneous ? "solutions" : "orders",
                        compared_law_name(law));
  }
  if (laws.empty()) return std::nullopt;
  // Caps of some steps add up, and a larger h than needed costs outcomes in which contacts
  // alternate.
  constexpr double well_above = 1.1;
  const std::string advice =
      impulse > well_above * impulse_step
          ? fmt::format(
                "one has an impulse of {:.3g} N·s, where caps are at most {:.3g} N·s: a "
                "larger impulse_step, such as {:.3g} to {:.3g}, may reach them",
                impulse, impulse_step, std::sqrt(impulse * impulse_step), impulse)
          : "more trajectories or other caps may reach them";
  return make_note(
      "other_law_outside",
      fmt::format("{} end outside the net, up to {:.2g} from it (epsilon = {:.10g}): {}", laws,
                  farthest, net.epsilon(), advice));
}

}  // namespace carom
