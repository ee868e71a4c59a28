#include "host/run/short_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "carom/explore.hpp"
#include "host/base/note_list.hpp"
#include "host/explore/slot_runner.hpp"
#include "host/set/net/coverage.hpp"

namespace carom {
namespace {

std::string axis_name(const ImpactProblem& problem, int axis) {
  if (axis == 0) return "normal velocity";
  if (problem.tangent_dimension() == 1) return "tangential velocity";
  return fmt::format("velocity along tangent {}", axis);
}

/// "; the normal velocity of A reaches 0.18 m/s, where the sample ends at 0.11 m/s": the contact
/// speed that is farthest beyond those of the sample; "" if none is.
std::string beyond(const ImpactProblem& problem, const Summary& sampled, const Exploration& found) {
  double most = 0.0;
  std::string text;
  for (const ExploredEnd& end : found.ends) {
    const int d = problem.tangent_dimension();
    const Range& range =
        end.axis == 0
            ? sampled.normal_velocity[static_cast<std::size_t>(end.contact)]
            : sampled.tangential_velocity[static_cast<std::size_t>(end.contact * d + end.axis - 1)];
    const double known = end.greatest ? range.greatest : range.least;
    const double excess = end.greatest ? end.speed - known : known - end.speed;
    if (!(excess > most)) continue;
    most = excess;
    text =
        fmt::format("; the {} of {} reaches {:.3g} m/s, where the sample ends at {:.3g} m/s",
                    axis_name(problem, end.axis),
                    problem.contact_names[static_cast<std::size_t>(end.contact)], end.speed, known);
  }
  return text;
}

/// Whether caps may be any up to h, as those of a search.
bool draws_any_caps(const CapsDistribution& caps) {
  return caps.uses(CapsKind::uniform) || caps.uses(CapsKind::corners) || caps.uses(CapsKind::sobol);
}

}  // namespace

std::optional<Note> note_on_search(const ImpactProblem& problem, const SamplingOptions& options,
                                   const PostImpactSet& set) {
  constexpr std::uint64_t one_of = 4, most = 20'000, least = 2'000;  // LCPs
  constexpr double far = 3.0;  // epsilons; nets that have all ends miss outcomes by 1.4 of them
  const std::uint64_t budget = std::min(most, set.summary.lcps / one_of);
  if (budget < least || set.net.size() == 0) return std::nullopt;
  if (!draws_any_caps(*std::get<law::SetValued>(options.law).caps)) return std::nullopt;
  SamplingOptions own = exploration_options(problem, options);
  own.backend = Backend::cpu;
  const Exploration found = search_set(problem, own, {.budget = budget});
  // Steps that are repeated go on where the run's trajectories were dropped.
  const bool dropped = set.summary.outcomes() < set.summary.trajectories;
  if (found.net.size() == 0 || (dropped && found.most_repeats > 1)) return std::nullopt;
  const Coverage coverage = coverage_of(found.net, set.net);
  if (coverage.farthest <= far * set.net.epsilon()) return std::nullopt;
  return make_note(
      "search_outside",
      fmt::format(
          "of the outcomes that a search of {} LCPs found, {:.2g} % are outside the net, up to "
          "{:.2g} from it (epsilon = {:.10g}){}; random caps hardly ever reach them; explore, "
          "which "
          "searches until nothing new is found",
          found.lcps, 100.0 * (1.0 - coverage.share), coverage.farthest, set.net.epsilon(),
          beyond(problem, set.summary, found)));
}

}  // namespace carom
