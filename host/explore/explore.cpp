#include "carom/explore.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "carom/error.hpp"
#include "carom/numbers.hpp"
#include "host/evidence/comparison_note.hpp"
#include "host/evidence/step_effect.hpp"
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

std::string end_name(const ExploredEnd& end, const ImpactProblem& problem, const Outputs& outputs) {
  const std::string of =
      end.contact < 0
          ? outputs.names.at(static_cast<std::size_t>(end.axis))
          : fmt::format("{} {}", problem.contact_names.at(static_cast<std::size_t>(end.contact)),
                        axis_name(problem.tangent_dimension(), end.axis));
  return of + (end.greatest ? " high" : " low");
}

FoundOutcome found_outcome(const std::string& which, const ImpactProblem& problem,
                           const Outputs& outputs, const Exploration& found) {
  std::vector<std::string> names;
  for (const ExploredEnd& end : found.ends) {
    names.push_back(end_name(end, problem, outputs));
    if (names.back() != which) continue;
    return {which, std::nullopt,
            Eigen::Map<const Eigen::VectorXd>(end.velocity.data(), problem.velocities()),
            end.origin};
  }
  if (found.net.size() == 0) throw InputError("the exploration has no outcomes (must have some)");
  if (which.find_first_not_of("0123456789") != std::string::npos || which.empty()) {
    throw InputError(fmt::format("MEMBER is \"{}\" (must be a number below {}, or an end: {})",
                                 which, found.net.size(), fmt::join(names, ", ")));
  }
  const std::uint64_t member = parse_integer("MEMBER", which, 0, found.net.size() - 1);
  return {fmt::format("member {}", member), member,
          found.net.velocity_rows().row(static_cast<Eigen::Index>(member)), found.origins[member]};
}

OutcomeRanges ranges_of(const ImpactProblem& problem, const Exploration& found) {
  OutcomeRanges ranges;
  ranges.normal_velocity.resize(static_cast<std::size_t>(problem.normal_jacobian.rows()));
  ranges.tangential_velocity.resize(static_cast<std::size_t>(problem.tangent_jacobian.rows()));
  const RowMatrixView members = found.net.velocity_rows();
  for (Eigen::Index i = 0; i < members.rows(); ++i) {
    ranges.include(problem, members.row(i).transpose());
  }
  for (const ExploredEnd& end : found.ends) {
    ranges.include(problem,
                   Eigen::Map<const Eigen::VectorXd>(end.velocity.data(), problem.velocities()));
  }
  return ranges;
}

std::vector<OutputEnds> output_ends(const Outputs& outputs, const Exploration& found) {
  std::vector<OutputEnds> list = output_ends(outputs, found.net.velocity_rows());
  for (OutputEnds& ends : list) {
    const Eigen::Map<const Eigen::VectorXd> row(ends.direction.data(), outputs.matrix.cols());
    for (const ExploredEnd& end : found.ends) {
      const double value =
          row.dot(Eigen::Map<const Eigen::VectorXd>(end.velocity.data(), row.size()));
      ends.found_low = std::min(ends.found_low, value);
      ends.found_high = std::max(ends.found_high, value);
    }
  }
  return list;
}

std::vector<Answer> answers(const ImpactProblem& problem, const Outputs& outputs,
                            const Exploration& found, double termination_tolerance) {
  return answers(problem, outputs, output_ends(outputs, found),
                 found.bound ? &found.bound->bound : nullptr, termination_tolerance);
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
  validate(explore.outputs, problem);
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
  if (auto note =
          found.complete ? note_on_step_effect(problem, options, found.net.size()) : std::nullopt) {
    found.notes.push_back(std::move(*note));
  }
  if (auto note = note_on_shared_impulse(problem, options.law)) {
    found.notes.push_back(std::move(*note));
  }
  const bool has_orders = problem.contacts() > 1;
  if (found.complete && std::holds_alternative<law::SetValued>(options.law) && has_orders &&
      !rebounds(problem, options.law)) {
    const Comparison comparison = compare_laws(problem, options, found.net);
    if (auto note = note_on(comparison, found.net, *options.impulse_step)) {
      found.notes.push_back(std::move(*note));
    }
  }
  return found;
}

}  // namespace carom
