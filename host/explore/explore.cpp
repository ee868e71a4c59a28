#include "carom/explore.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "carom/error.hpp"
#include "host/explore/island.hpp"
#include "host/laws/law_list.hpp"

namespace carom {
namespace {

constexpr std::uint32_t islands = 2;
// When a search has settled.
constexpr double enough_cover = 0.95;
constexpr double little_growth = 0.05;
constexpr double little_movement = 0.25;  // of epsilon

/// Options of the law with which an exploration takes its steps: any caps, and a solution that a
/// script determines.
SamplingOptions own_options(const ImpactProblem& problem, const SamplingOptions& given) {
  const auto* stated = std::get_if<law::SetValued>(&given.law);
  if (stated == nullptr) {
    throw InputError(
        fmt::format("law is \"{}\" (must be set_valued to explore: the search varies "
                    "caps)",
                    law_name(given.law)));
  }
  SamplingOptions options = resolved(given, problem);
  law::SetValued& law = options.set_valued();
  const Solutions solutions = *law.solutions;
  if (solutions != Solutions::all && solutions != Solutions::first) {
    throw InputError(
        fmt::format("solutions is \"{}\" (must be all or first to explore: a script "
                    "determines which solution a step takes)",
                    solutions_name(solutions)));
  }
  if (finds_solutions_by_lines(problem, options.law)) law.solutions = Solutions::first;
  law.caps = CapsDistribution{};  // any in (0, h]
  return options;
}

/// Members and ends of all islands at one time.
struct Mark {
  struct End {
    Island::End end;
    const Island* island = nullptr;
  };
  std::size_t members = 0;
  std::vector<End> ends;
};

Mark mark(const std::deque<Island>& searches) {
  Mark found;
  for (const Island& island : searches) {
    found.members += island.net().size();
    found.ends.resize(island.ends().size());
    for (std::size_t e = 0; e < found.ends.size(); ++e) {
      if (island.ends()[e].speed > found.ends[e].end.speed) {
        found.ends[e] = {island.ends()[e], &island};
      }
    }
  }
  return found;
}

/// Share of the members of `one` that lie within epsilon of a member of `other`.
double covered(const EpsilonNet& one, const EpsilonNet& other) {
  if (one.size() == 0) return 0.0;
  const RowMatrixView members = one.velocity_rows();
  std::size_t near = 0;
  for (Eigen::Index i = 0; i < members.rows(); ++i) {
    near += other.distance(members.row(i).data()) <= other.epsilon() ? 1 : 0;
  }
  return static_cast<double>(near) / static_cast<double>(one.size());
}

double greatest_movement(const Mark& before, const Mark& after) {
  double moved = 0.0;
  for (std::size_t e = 0; e < after.ends.size(); ++e) {
    moved = std::max(moved, after.ends[e].end.speed - before.ends[e].end.speed);
  }
  return moved;
}

/// What has not settled: empty if everything has.
std::string unsettled(const ExplorationState& state, double epsilon) {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (state.islands_cover < enough_cover) {
    add(fmt::format("the islands cover {:.1f} % of each other", 100.0 * state.islands_cover));
  }
  if (state.growth >= little_growth) {
    add(fmt::format("the last doubling brought {:.1f} % members", 100.0 * state.growth));
  }
  if (state.support_moved > little_movement * epsilon) {
    add(fmt::format("an end moved by {:.2g} m/s in it", state.support_moved));
  }
  return text;
}

/// Joins the islands' nets; members keep their scripts.
void join(const std::deque<Island>& searches, Exploration& found) {
  std::uint64_t first = 0;
  for (const Island& island : searches) {
    const std::size_t known = found.net.size();
    std::vector<std::uint64_t> index(island.net().size());
    std::iota(index.begin(), index.end(), first);
    if (!index.empty()) found.net.add(index, island.net().velocity());
    for (std::size_t i = known; i < found.net.size(); ++i) {
      found.scripts.push_back(island.script(
          island.node_of_member(static_cast<std::size_t>(found.net.index()[i] - first))));
    }
    first += index.size();
    found.outcomes += island.outcomes();
  }
}

std::vector<ExploredEnd> ends_of(const Mark& mark, const ScriptedWalker& walker,
                                 const ImpactProblem& problem) {
  const std::size_t axes = 1 + static_cast<std::size_t>(problem.tangent_dimension());
  std::vector<ExploredEnd> ends;
  for (std::size_t e = 0; e < mark.ends.size(); ++e) {
    const auto& [end, island] = mark.ends[e];
    if (island == nullptr) continue;  // no outcome
    ExploredEnd& own = ends.emplace_back();
    own.contact = static_cast<int>(e / 2 / axes);
    own.axis = static_cast<int>(e / 2 % axes);
    own.greatest = e % 2 == 0;
    own.speed = own.greatest ? end.speed : 0.0 - end.speed;
    own.velocity.resize(static_cast<std::size_t>(problem.velocities()));
    walker.velocity(island->state_of(end.node), own.velocity.data());
    own.script = island->script(end.node);
  }
  return ends;
}

}  // namespace

Exploration explore(const ImpactProblem& given, const SamplingOptions& given_options,
                    const ExploreOptions& explore, const SampleObserver& observer) {
  constexpr std::uint64_t least_budget = 1000;
  constexpr std::uint64_t least_slots = 64;
  constexpr std::uint64_t most_slots = 8192;
  constexpr std::uint64_t lcps_of_slot = 300;
  constexpr int doublings = 5;  // from the first mark to the budget
  if (explore.budget < least_budget) {
    throw InputError(
        fmt::format("budget is {} LCPs (must be >= {})", explore.budget, least_budget));
  }
  if (explore.slots > (std::uint64_t{1} << 20)) {
    throw InputError(fmt::format("slots is {} (must be from 0 to 2^20)", explore.slots));
  }
  const ImpactProblem problem = validated(given);
  const SamplingOptions options = own_options(problem, given_options);
  const ScriptedWalker walker(problem, options);
  const CapsView caps;  // uniform
  const ScriptMoves moves(caps, problem.contacts(), ExplorationSetting::least_cap);
  const std::uint64_t slots =
      explore.slots > 0 ? explore.slots
                        : std::clamp(explore.budget / lcps_of_slot, least_slots, most_slots);
  const ExplorationSetting setting{problem, options, walker, moves, slots};

  Exploration found{
      .net = EpsilonNet(problem.velocities(), *options.epsilon, net_metric(problem, options.norm))};
  if (walker.approaching(walker.start_state().data()).empty()) {
    throw InputError("no contact approaches before the impact, so there is nothing to explore");
  }
  std::deque<Island> searches;
  for (std::uint32_t i = 0; i < islands; ++i) searches.emplace_back(setting, i + 1);

  ExplorationState& state = found.state;
  Mark last;
  int left = doublings;
  found.complete = true;
  while (state.lcps < explore.budget) {
    if (observer && !observer(state.lcps, explore.budget)) {
      found.complete = false;
      break;
    }
    for (Island& island : searches) state.lcps += island.run_round();
    ++state.rounds;
    if (state.lcps < explore.budget >> left) continue;
    while (left > 0 && state.lcps >= explore.budget >> left) --left;
    const Mark now = mark(searches);
    state.islands_cover = std::min(covered(searches[0].net(), searches[1].net()),
                                   covered(searches[1].net(), searches[0].net()));
    if (last.members > 0) {
      found.members_new = now.members - last.members;
      state.growth = static_cast<double>(found.members_new) / static_cast<double>(last.members);
      state.support_moved = greatest_movement(last, now);
      if (unsettled(state, *options.epsilon).empty()) break;
    }
    last = now;
  }
  join(searches, found);
  if (found.complete && found.outcomes == 0) {
    throw RunError(fmt::format("no outcome: no trajectory was separated within {} steps in {} LCPs",
                               options.max_steps, state.lcps));
  }
  found.solutions = *std::get<law::SetValued>(options.law).solutions;
  found.ends = ends_of(mark(searches), walker, problem);
  const std::string open = unsettled(state, *options.epsilon);
  found.stopped = open.empty()     ? "islands, growth and ends have settled"
                  : found.complete ? "at the budget: " + open
                                   : "interrupted: " + open;
  return found;
}

std::vector<double> replay(const ImpactProblem& given, const SamplingOptions& given_options,
                           const std::vector<double>& script) {
  const ImpactProblem problem = validated(given);
  const SamplingOptions options = own_options(problem, given_options);
  const ScriptedWalker walker(problem, options);
  if (script.size() % walker.step_size() != 0) {
    throw InputError(fmt::format("script has {} numbers (must be a multiple of m + 1 = {})",
                                 script.size(), walker.step_size()));
  }
  Walk walk;
  if (!script.empty()) walker.walk(walker.start_state().data(), script, walk);
  const auto nv = static_cast<std::size_t>(problem.velocities());
  std::vector<double> velocities(walk.steps * nv);
  for (std::size_t s = 0; s < walk.steps; ++s) {
    walker.velocity(&walk.states[s * walker.state_size()], &velocities[s * nv]);
  }
  return velocities;
}

}  // namespace carom
