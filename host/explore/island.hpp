#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "carom/epsilon_net.hpp"
#include "carom/explore.hpp"
#include "carom/sampler.hpp"
#include "host/evidence/script_moves.hpp"
#include "host/explore/scripted_walk.hpp"

namespace carom {

/// What all islands of an exploration share.
struct ExplorationSetting {
  const ImpactProblem& problem;
  const SamplingOptions& options;  ///< resolved
  const ScriptedWalker& walker;
  const ScriptMoves& moves;  ///< of caps anywhere in [least_cap, 1]
  /// Proved greatest speeds, of each of Island::ends(); empty if none are proved.
  const std::vector<double>& proved_ends;
  static constexpr double least_cap = 1e-6;
};

/// A search for the set: a tree of steps, and a net of outcomes, whose paths are changed and tried
/// again. A round's slots are functions of the search's numbers and of what is known at the
/// round's start; their results are merged in the slots' order.
class Island {
 public:
  /// @param number of the island: it selects the random numbers
  Island(const ExplorationSetting& setting, std::uint32_t number);

  /// Continues a search. @throws InputError if the tree is not one of this setting
  Island(const ExplorationSetting& setting, std::uint32_t number, ExplorationTree tree);

  /// One round of some slots. Returns the LCPs that it took.
  std::uint64_t run_round(std::uint64_t slots);

  const EpsilonNet& net() const { return net_; }
  const ExplorationTree& tree() const { return tree_; }
  /// The outcome that is farthest along a contact axis or its opposite.
  struct End {
    double speed = -std::numeric_limits<double>::infinity();  ///< along it, m/s
    std::uint32_t node = 0;
  };
  /// Of each contact axis, m (1 + d) of them, and its opposite.
  const std::vector<End>& ends() const { return ends_; }
  const double* state_of(std::uint32_t node) const;
  /// Ends the search.
  ExplorationTree release() { return std::move(tree_); }

 private:
  using Place = ExplorationTree::Place;
  /// What a slot does, and finds.
  struct Slot {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t outcome = none;  ///< whose path it changes
    std::size_t state = none;
    std::uint32_t start = 0;      ///< node
    std::vector<double> numbers;  ///< of the steps taken
    Walk walk;
  };
  struct Weights {
    std::vector<double> outcomes;  ///< cumulative
    std::vector<double> states;
    std::vector<double> ends;  ///< by how far they are from what is proved, if that is known
    std::vector<std::vector<std::size_t>> far;  ///< per direction of the round, outcomes
  };

  Weights weigh() const;
  void run(Slot& slot, std::uint64_t number, const Weights& weights) const;
  void choose_start(Slot& slot, const Weights& weights, SearchNumbers& random,
                    std::vector<double>& script) const;
  void change(std::vector<double>& script, SearchNumbers& random) const;
  void append_fresh(const double* state, const std::vector<double>& before,
                    std::vector<double>& script, SearchNumbers& random) const;
  void merge(std::vector<Slot>& slots);
  void add_path(const Slot& slot, std::size_t steps, std::vector<std::uint32_t>& nodes);
  void add_ends(const std::vector<Slot>& slots, std::vector<std::vector<std::uint32_t>>& nodes);
  SearchNumbers numbers_of(std::uint64_t index) const;
  void restore_states();
  void restore_nets();

  const ExplorationSetting& setting_;
  std::uint32_t number_;
  ExplorationTree tree_;
  std::vector<std::uint32_t> depths_;  ///< of the nodes
  std::vector<double> node_states_;
  EpsilonNet net_;
  EpsilonNet state_net_;
  std::vector<End> ends_;
  std::uint64_t offered_ = 0;
  std::uint64_t offered_states_ = 0;
};

}  // namespace carom
