#include "carom/explore.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "carom/error.hpp"
#include "host/evidence/comparison_note.hpp"
#include "host/explore/exploration_notes.hpp"
#include "host/explore/set_search.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_list.hpp"
#include "host/options/option_text.hpp"

namespace carom {

void validate(const ExploreOptions& options) {
  for_each_option(
      [&](const OptionInfo& info, const auto& value) { check_range("explore", info, value); },
      options);
}

std::vector<OutputEnds> output_ends(const Outputs& outputs, const Exploration& found) {
  std::vector<OutputEnds> list;
  for (std::size_t i = 0; i < outputs.size() && found.net.size() > 0; ++i) {
    const Eigen::VectorXd row = outputs.matrix.row(static_cast<Eigen::Index>(i));
    const Eigen::VectorXd values = found.net.velocity_rows() * row;
    OutputEnds ends{
        outputs.names[i], {row.begin(), row.end()}, values.minCoeff(), values.maxCoeff()};
    for (const ExploredEnd& end : found.ends) {
      const double value =
          row.dot(Eigen::Map<const Eigen::VectorXd>(end.velocity.data(), row.size()));
      ends.found_low = std::min(ends.found_low, value);
      ends.found_high = std::max(ends.found_high, value);
    }
    list.push_back(std::move(ends));
  }
  return list;
}

Exploration explore(const ImpactProblem& given, const SamplingOptions& given_options,
                    const ExploreOptions& options, const SampleObserver& observer,
                    std::optional<Exploration> start, const OuterBound* bound) {
  return explore(given, given_options, options, observer, std::move(start), bound, {});
}

Exploration explore(const ImpactProblem& given, const SamplingOptions& given_options,
                    const ExploreOptions& explore, const SampleObserver& observer,
                    std::optional<Exploration> start, const OuterBound* bound,
                    const RunSlots& run) {
  validate(explore);
  const ImpactProblem problem = validated(given);
  const SamplingOptions options = exploration_options(problem, given_options);
  SetSearch search(problem, options, explore, bound, std::move(start));
  Exploration found = search.release(search.run_to(explore.budget, observer, run));
  if (found.complete && found.outcomes == 0) {
    throw RunError(fmt::format("no outcome: no trajectory was separated within {} steps in {} {}s",
                               options.max_steps, found.lcps, step_name(step_kind(options.law))));
  }
  found.notes = notes_of(found, given_options.law, options.max_steps);
  if (auto note = found.complete ? note_on_random(problem, options, found) : std::nullopt) {
    found.notes.push_back(std::move(*note));
  }
  if (found.complete && std::holds_alternative<law::SetValued>(options.law) &&
      !has_restitution(problem)) {
    const Comparison comparison = compare_laws(problem, options, found.net);
    if (auto note = note_on(comparison, found.net, *options.impulse_step)) {
      found.notes.push_back(std::move(*note));
    }
  }
  return found;
}

}  // namespace carom
