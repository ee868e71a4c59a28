#include "host/explore/set_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "carom/error.hpp"
#include "host/laws/law_list.hpp"
#include "host/problem/dual_norms.hpp"
#include "host/set/net/coverage.hpp"

namespace carom {
namespace {

// When a search has settled.
constexpr double enough_cover = 0.95;
constexpr double little_growth = 0.05;
constexpr double little_movement = 0.25;  // of epsilon
// Marks are taken at this number of LCPs, its doubles and its halves, so that they do not depend
// on the budget; the search may end from the least number on that a mark can judge.
constexpr std::uint64_t one_mark = 1'000'000;
constexpr std::uint64_t least_to_settle = one_mark >> 6;
// Where trajectories are long, so many LCPs are few of them, which may all have one frequent
// outcome.
constexpr std::uint64_t least_trajectories = 2000;

/// What has not settled: empty if everything has.
std::string unsettled(const ExplorationMark& mark, const ExplorationSetting& setting) {
  const SamplingOptions& options = setting.options;
  const double epsilon = *options.epsilon;
  if (mark.lcps < least_to_settle) {
    return fmt::format("too few {}s to judge (at least {})", step_name(step_kind(options.law)),
                       least_to_settle);
  }
  if (mark.trajectories < least_trajectories) {
    return fmt::format("{} trajectories at the last doubling are too few to judge (at least {})",
                       mark.trajectories, least_trajectories);
  }
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : ", ") + what; };
  if (mark.islands_cover < enough_cover) {
    add(fmt::format("the islands cover {:.1f} % of each other", 100.0 * mark.islands_cover));
  }
  if (mark.growth >= little_growth) {
    add(fmt::format("the last doubling brought {:.1f} % more members", 100.0 * mark.growth));
  }
  double gap = setting.proved_ends.empty() ? epsilon : 0.0;  // of an end, to its bound
  for (std::size_t e = 0; e < setting.proved_ends.size(); ++e) {
    gap = std::max(gap, (setting.proved_ends[e] - mark.ends[e]) / setting.scales[e / 2]);
  }
  if (gap < epsilon) return text;  // no end can move much
  if (mark.support_moved > little_movement * epsilon) {
    const char* const unit = setting.outputs.rows() == 0 ? " m/s" : "";
    add(fmt::format("an end moved by {:.2g}{} in it", mark.support_moved, unit));
  } else if (!mark.ends_sought && text.empty()) {
    add("few trajectories have sought the ends");
  }
  return text;
}

/// The least number of LCPs above `lcps` at which a mark is taken.
std::uint64_t next_mark(std::uint64_t lcps) {
  std::uint64_t next = one_mark >> 10;
  for (int shift = 9; next <= lcps; --shift) {
    next = shift >= 0 ? one_mark >> shift : one_mark << -shift;
  }
  return next;
}

/// The scales of an ExplorationSetting. @param axes of contacts
std::vector<double> scales_of(const ImpactProblem& problem, const SamplingOptions& options,
                              const Eigen::MatrixXd& outputs, std::size_t axes) {
  std::vector<double> scales(axes, 1.0);
  for (const double scale : dual_norms(problem, options.norm, outputs)) scales.push_back(scale);
  return scales;
}

/// The greatest values along each axis and against it, if they are proved for any h and the law can
/// come near them: a bound is of the set-valued law, and sets of other laws may be far smaller.
/// Empty, too, if the outputs are not those of the bound.
std::vector<double> proved_ends_of(const OuterBound* bound, const Law& law,
                                   const ScriptedWalker& walker, const Outputs& outputs) {
  const bool is_tight =
      std::holds_alternative<law::SetValued>(law) && bound != nullptr && bound->closed() &&
      bound->scope == BoundScope::any_h &&
      (bound->method == BoundMethod::hulls || bound->method == BoundMethod::groups);
  if (!is_tight) return {};
  std::vector<double> ends;
  for (std::size_t axis = 0; axis < walker.axes(); ++axis) {
    ends.push_back(bound->directions[axis].high);
    ends.push_back(-bound->directions[axis].low);
  }
  if (bound->directions.size() < walker.axes() + outputs.size()) return {};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const BoundedQuantity& proved = bound->directions[walker.axes() + i];
    if (proved.row != outputs.matrix.row(static_cast<Eigen::Index>(i)).transpose()) return {};
    ends.push_back(proved.high);
    ends.push_back(-proved.low);
  }
  return ends;
}

}  // namespace

SetSearch::SetSearch(const ImpactProblem& problem, const SamplingOptions& options,
                     const ExploreOptions& explore, const OuterBound* bound,
                     std::optional<Exploration> start)
    : problem_(problem),
      options_(options),
      explore_(explore),
      walker_(problem, options),
      scales_(scales_of(problem, options, explore.outputs.matrix, walker_.axes())),
      proved_ends_(proved_ends_of(bound, options.law, walker_, explore.outputs)),
      setting_{problem_, options_, walker_, explore_.outputs.matrix, scales_, proved_ends_},
      here_(walker_, options_) {
  if (walker_.active(walker_.start_state().data()).empty()) {
    throw InputError("no contact approaches before the impact, so there is nothing to explore");
  }
  if (start) {
    restore(std::move(*start));
  } else {
    for (int i = 0; i < explore_.islands; ++i) islands_.emplace_back(setting_, number_of(i));
  }
}

void SetSearch::restore(Exploration earlier) {
  if (static_cast<int>(earlier.trees.size()) != explore_.islands) {
    throw InputError(fmt::format("islands is {} (must be {}, as in the exploration to continue)",
                                 explore_.islands, earlier.trees.size()));
  }
  mark_ = std::move(earlier.mark);
  rounds_ = earlier.rounds;
  settled_ = earlier.settled;
  for (int i = 0; i < explore_.islands; ++i) {
    ExplorationTree& tree = earlier.trees[static_cast<std::size_t>(i)];
    lcps_ += tree.lcps;
    islands_.emplace_back(setting_, number_of(i), std::move(tree));
  }
}

/// Slots of each island's next round. They depend on what was done and not on the budget, so that a
/// search with a larger one has the same rounds.
std::uint64_t SetSearch::slots() const {
  constexpr std::uint64_t least = 64;
  constexpr std::uint64_t most = 8192;
  constexpr std::uint64_t lcps_of_slot = 300;
  // Where nothing is known: of an island, if each slot takes all the steps that it may.
  constexpr std::uint64_t first_lcps = 65'536;
  const std::uint64_t wanted =
      explore_.slots > 0 ? explore_.slots : std::clamp(lcps_ / lcps_of_slot, least, most);
  const std::uint64_t longest =
      static_cast<std::uint64_t>(options_.max_steps) * walker_.most_repeats();
  const std::uint64_t first = std::clamp(first_lcps / longest, std::uint64_t{1}, least);
  // Half of all slots so far take about half of the LCPs so far.
  return std::min(wanted, std::max(first, trajectories() / (2 * islands_.size())));
}

std::uint64_t SetSearch::trajectories() const {
  std::uint64_t so_far = 0;
  for (const Island& island : islands_) {
    const ExplorationTree& tree = island.tree();
    so_far += tree.separated + tree.dropped + tree.failed;
  }
  return so_far;
}

bool SetSearch::advance(const RunSlots& run) {
  const std::uint64_t next = next_mark(lcps_);
  const std::uint64_t count = slots();
  std::vector<SlotStart> starts;
  for (Island& island : islands_) island.begin_round(count, seeks_ends(), starts);
  std::optional<std::vector<SlotPath>> paths = run(starts);
  if (!paths) return false;
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    lcps_ += islands_[i].end_round(std::span(*paths).subspan(i * count, count));
  }
  ++rounds_;
  if (lcps_ < next) return true;
  mark_ = mark_now();
  settled_ = unsettled(mark_, setting_).empty();
  return true;
}

/// Where the net soon grows no more, ends are what is left to find.
bool SetSearch::seeks_ends() const {
  constexpr double soon_little = 0.15;
  return mark_.lcps > 0 && mark_.growth < soon_little;
}

std::vector<SetSearch::Best> SetSearch::best_ends() const {
  std::vector<Best> best(2 * setting_.axes());
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    for (std::size_t e = 0; e < best.size(); ++e) {
      if (islands_[i].ends()[e].speed > best[e].end.speed) best[e] = {islands_[i].ends()[e], i};
    }
  }
  return best;
}

ExplorationMark SetSearch::mark_now() const {
  ExplorationMark mark{.lcps = lcps_, .trajectories = trajectories(), .ends_sought = seeks_ends()};
  for (const Island& island : islands_) mark.members += island.net().size();
  for (const Best& best : best_ends()) mark.ends.push_back(best.end.speed);
  mark.islands_cover = 1.0;
  for (const Island& one : islands_) {
    for (const Island& other : islands_) {
      if (&one == &other) continue;
      mark.islands_cover =
          std::min(mark.islands_cover, coverage_of(one.net(), other.net(), options_.threads).share);
    }
  }
  if (mark_.members == 0) return mark;
  mark.members_new = mark.members - mark_.members;
  mark.growth = static_cast<double>(mark.members_new) / static_cast<double>(mark_.members);
  for (std::size_t e = 0; e < mark_.ends.size(); ++e) {
    const double moved = mark.ends[e] - mark_.ends[e];
    mark.support_moved = std::max(mark.support_moved, moved / scales_[e / 2]);
  }
  return mark;
}

std::vector<const EpsilonNet*> SetSearch::nets() const {
  std::vector<const EpsilonNet*> list;
  for (const Island& island : islands_) list.push_back(&island.net());
  return list;
}

/// Joins the islands' nets; members keep their places in the trees.
void SetSearch::join(Exploration& found) const {
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < islands_.size(); ++i) {
    const Island& island = islands_[i];
    const std::size_t known = found.net.size();
    std::vector<std::uint64_t> index(island.net().size());
    std::iota(index.begin(), index.end(), first);
    if (!index.empty()) found.net.add(index, island.net().velocity());
    for (std::size_t k = known; k < found.net.size(); ++k) {
      const auto member = static_cast<std::size_t>(found.net.index()[k] - first);
      found.origins.push_back({static_cast<std::uint32_t>(i), island.tree().outcomes[member].node});
    }
    first += index.size();
    found.dropped += island.tree().dropped;
    found.failed += island.tree().failed;
  }
}

std::vector<ExploredEnd> SetSearch::ends() const {
  std::vector<ExploredEnd> list;
  const std::size_t axes = 1 + static_cast<std::size_t>(problem_.tangent_dimension());
  const std::vector<Best> best = best_ends();
  for (std::size_t e = 0; e < best.size() && outcomes() > 0; ++e) {
    const auto& [end, number] = best[e];
    const Island& island = islands_[number];
    ExploredEnd& own = list.emplace_back();
    const bool is_output = e / 2 >= walker_.axes();
    own.contact = is_output ? -1 : static_cast<int>(e / 2 / axes);
    own.axis = static_cast<int>(is_output ? e / 2 - walker_.axes() : e / 2 % axes);
    own.greatest = e % 2 == 0;
    own.speed = own.greatest ? end.speed : 0.0 - end.speed;
    own.velocity.resize(static_cast<std::size_t>(problem_.velocities()));
    walker_.velocity(island.state_of(end.node), own.velocity.data());
    own.origin = {static_cast<std::uint32_t>(number), end.node};
  }
  return list;
}

std::uint64_t SetSearch::outcomes() const {
  std::uint64_t separated = 0;
  for (const Island& island : islands_) separated += island.tree().separated;
  return separated;
}

bool SetSearch::run_to(std::uint64_t budget, const SampleObserver& observer, const RunSlots& run) {
  const RunSlots run_here = [&](const std::vector<SlotStart>& starts) { return here_.run(starts); };
  while (!settled_ && lcps_ < budget) {
    if (observer && !observer(lcps_, budget)) return false;
    if (!advance(run ? run : run_here)) return false;
  }
  return true;
}

Exploration SetSearch::release(bool complete) {
  const auto* const law = std::get_if<law::SetValued>(&options_.law);
  Exploration found{.net = EpsilonNet(problem_.velocities(), *options_.epsilon,
                                      net_metric(problem_, options_.norm)),
                    .step_size = walker_.step_size(),
                    .most_repeats = walker_.most_repeats(),
                    .mark = mark_,
                    .lcps = lcps_,
                    .rounds = rounds_,
                    .solutions = law == nullptr ? Solutions::all : *law->solutions,
                    .complete = complete};
  found.ends = ends();
  found.outcomes = outcomes();
  join(found);
  for (Island& island : islands_) found.trees.push_back(island.release());
  const std::string open = unsettled(mark_, setting_);
  found.settled = open.empty();
  found.stopped = found.settled ? "islands, growth and ends have settled"
                  : complete    ? "at the budget: " + open
                                : "interrupted: " + open;
  return found;
}

}  // namespace carom
