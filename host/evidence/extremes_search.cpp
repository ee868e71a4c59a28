#include "host/evidence/extremes_search.hpp"

#include <algorithm>

namespace carom {
namespace {

constexpr double first_radius = 0.25;  // of a box, as part of a number's range
constexpr double growth = 1.5;         // of a box in which a better script was found
constexpr double shrinkage = 0.5;      // of the other boxes
constexpr int halvings = 4;            // 16 scripts, then 8, 4, 2

// Indices beyond all trajectories of a run and of its hold-out test, so that the test's numbers
// stay unused.
constexpr std::uint64_t search_indices = std::uint64_t{1} << 63;

}  // namespace

ExtremeSearch::ExtremeSearch(const ScriptMoves& moves, int max_steps, const Philox& random,
                             std::uint32_t objective)
    : moves_(moves),
      max_steps_(max_steps),
      random_(random),
      first_index_(search_indices | (std::uint64_t{objective} << 32)) {}

void ExtremeSearch::start_from(const ScriptedSteps& script) {
  if (!is_new(script.value)) return;
  sites_.push_back({script, first_radius});
  sort_sites();
  if (sites_.size() > starts) sites_.pop_back();
}

std::vector<ScriptedSteps> ExtremeSearch::propose(int generation) const {
  const std::size_t steps = searched_steps();
  const std::size_t active = active_sites(generation);
  std::vector<ScriptedSteps> proposals;
  for (std::size_t i = 0; i < population; ++i) {
    const std::uint64_t index =
        first_index_ + static_cast<std::uint64_t>(generation) * population + i;
    const Philox numbers = random_.of(index);
    SearchNumbers random(numbers);
    const std::size_t kind = random.pick(16);
    if (active == 0 || kind == 0) {
      proposals.push_back(moves_.draw(numbers, index, steps));
      continue;
    }
    const Site& site = sites_[i % active];
    ScriptedSteps script = site.script;
    moves_.set_steps(script, steps);
    if (kind < 5) {
      moves_.move_all(script, site.radius, random);
    } else if (kind < 10) {
      moves_.move_some(script, site.radius, random);
    } else {
      moves_.move_steps(script, random);
      if (kind > 13) moves_.move_some(script, site.radius, random);
    }
    script.steps_taken = 0;
    proposals.push_back(std::move(script));
  }
  return proposals;
}

void ExtremeSearch::learn(int generation, std::span<const ScriptedSteps> tried) {
  const std::size_t active = active_sites(generation);
  for (std::size_t s = 0; s < active; ++s) {
    Site& site = sites_[s];
    const ScriptedSteps* better = nullptr;
    for (std::size_t i = s; i < tried.size(); i += active) {
      const double bar = better == nullptr ? site.script.value : better->value;
      if (tried[i].steps_taken > 0 && tried[i].value > bar && is_new(tried[i].value)) {
        better = &tried[i];
      }
    }
    if (better != nullptr) site.script = *better;
    site.radius =
        better == nullptr ? site.radius * shrinkage : std::min(site.radius * growth, first_radius);
  }
  sort_sites();
}

void ExtremeSearch::adopt(int generation, const ScriptedSteps& script) {
  const std::size_t active = active_sites(generation);
  if (active == 0 || !is_new(script.value) || !(script.value > sites_[active - 1].script.value)) {
    return;
  }
  sites_[active - 1] = {script, first_radius};
  sort_sites();
}

/// Number of scripts from which a generation starts.
std::size_t ExtremeSearch::active_sites(int generation) const {
  const std::size_t most =
      static_cast<std::size_t>(starts >> (halvings * generation / generations));
  return std::min(most, sites_.size());
}

/// One step more than any of the scripts has taken.
std::size_t ExtremeSearch::searched_steps() const {
  int taken = 0;
  for (const Site& site : sites_) taken = std::max(taken, site.script.steps_taken);
  return static_cast<std::size_t>(std::min(taken + 1, max_steps_));
}

/// Scripts of equal value would crowd out the others.
bool ExtremeSearch::is_new(double value) const {
  return std::ranges::none_of(sites_, [&](const Site& site) { return site.script.value == value; });
}

void ExtremeSearch::sort_sites() {
  std::ranges::stable_sort(
      sites_, [](const Site& a, const Site& b) { return a.script.value > b.script.value; });
}

}  // namespace carom
