#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "carom/explore.hpp"
#include "host/explore/island.hpp"
#include "host/explore/scripted_walk.hpp"
#include "host/explore/slot_runner.hpp"

namespace carom {

/// The search of explore(): all its islands, round by round.
class SetSearch {
 public:
  /// The arguments must outlive this object. @param problem validated, whose contacts approach
  /// @param options exploration_options()
  /// @param bound null: no ends are proved
  /// @param start a search to go on with
  /// @throws InputError if no contact approaches, or `start` is no search of this problem
  SetSearch(const ImpactProblem& problem, const SamplingOptions& options,
            const ExploreOptions& explore, const OuterBound* bound = nullptr,
            std::optional<Exploration> start = std::nullopt);
  SetSearch(const SetSearch&) = delete;
  SetSearch& operator=(const SetSearch&) = delete;

  /// Rounds until the search has settled or taken `budget` LCPs; false if the observer, which is
  /// called with the LCPs so far and the budget, or `run` stopped it before.
  /// @param run of the slots; null: this process
  bool run_to(std::uint64_t budget, const SampleObserver& observer, const RunSlots& run = {});

  std::uint64_t lcps() const { return lcps_; }
  bool settled() const { return settled_; }
  /// Of a step, see Exploration.
  std::uint64_t most_repeats() const { return walker_.most_repeats(); }
  /// Trajectories that were separated so far.
  std::uint64_t outcomes() const;
  /// What each island found so far.
  std::vector<const EpsilonNet*> nets() const;
  /// Of all islands, see Exploration.
  std::vector<ExploredEnd> ends() const;
  /// All that was found, at the end of the search.
  Exploration release(bool complete);

 private:
  struct Best {
    Island::End end;
    std::size_t island = 0;
  };

  static std::uint32_t number_of(int island) { return static_cast<std::uint32_t>(island) + 1; }
  void restore(Exploration earlier);
  /// One round of each island, unless `run` was asked to stop: then there was none.
  bool advance(const RunSlots& run);
  std::uint64_t slots() const;
  std::uint64_t trajectories() const;
  std::vector<Best> best_ends() const;
  bool seeks_ends() const;
  ExplorationMark mark_now() const;
  void join(Exploration& found) const;

  const ImpactProblem& problem_;
  const SamplingOptions& options_;
  const ExploreOptions& explore_;
  const ScriptedWalker walker_;
  const std::vector<double> scales_;
  const std::vector<double> proved_ends_;
  const ExplorationSetting setting_;
  const SlotRunner here_;
  std::deque<Island> islands_;
  ExplorationMark mark_;
  std::uint64_t lcps_ = 0;
  std::uint64_t rounds_ = 0;
  bool settled_ = false;
};

}  // namespace carom
