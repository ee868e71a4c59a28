#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "carom/epsilon_net.hpp"
#include "carom/explore.hpp"
#include "carom/sampler.hpp"
#include "host/explore/slot_runner.hpp"

namespace carom {

/// What all islands of an exploration share.
struct ExplorationSetting {
  const ImpactProblem& problem;
  const SamplingOptions& options;  ///< resolved
  const ScriptedWalker& walker;
  const Eigen::MatrixXd& outputs;  ///< p x nv: further axes, whose ends are sought, too
  /// Of each output, its greatest change between velocities that are 1 apart in the norm; of the
  /// contact axes, which come first, 1.
  const std::vector<double>& scales;
  /// Proved greatest values, of each of Island::ends(); empty if none are proved.
  const std::vector<double>& proved_ends;
  std::size_t axes() const { return scales.size(); }
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

  /// Appends the starts of a round of `slots` slots. @param seeks_ends whether most of them seek
  /// ends
  void begin_round(std::uint64_t slots, bool seeks_ends, std::vector<SlotStart>& starts);
  /// Merges their paths, in the same order. Returns the LCPs that they took.
  std::uint64_t end_round(std::span<SlotPath> paths);

  const EpsilonNet& net() const { return net_; }
  const ExplorationTree& tree() const { return tree_; }
  /// The outcome that is farthest along an axis or its opposite.
  struct End {
    double speed = -std::numeric_limits<double>::infinity();  ///< along it, m/s, or the value
    std::uint32_t node = 0;
  };
  /// Of each contact axis, m (1 + d) of them, and its opposite; then of each output.
  const std::vector<End>& ends() const { return ends_; }
  const double* state_of(std::uint32_t node) const;
  /// Ends the search.
  ExplorationTree release() { return std::move(tree_); }

 private:
  using Place = ExplorationTree::Place;
  /// A slot of the round, and what it found.
  struct Slot : SlotPath {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t outcome = none;  ///< whose path it changes
    std::size_t state = none;
    std::uint32_t start = 0;  ///< node
  };
  struct Weights {
    std::vector<double> outcomes;  ///< cumulative
    std::vector<double> states;
    std::vector<double> ends;  ///< by how far they are from what is proved, if that is known
    std::vector<std::vector<std::size_t>> far;  ///< per direction of the round, outcomes
    double end_chance = 0.0;                    ///< of a slot: an end
    double far_chance = 0.0;                    ///< one of the farthest outcomes
  };

  Weights weigh(bool seeks_ends) const;
  /// Of each axis, at a state.
  void values(const double* state, double* values) const;
  void along(const std::vector<double>& direction, std::vector<double>& values) const;
  SlotStart choose_start(Slot& slot, std::uint64_t number, const Weights& weights) const;
  void choose_path(Slot& slot, const Weights& weights, SearchNumbers& random,
                   std::vector<double>& script) const;
  void merge(const std::vector<Slot>& slots);
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
  std::vector<Slot> slots_;  ///< of a round that has begun
  std::uint64_t offered_ = 0;
  std::uint64_t offered_states_ = 0;
};

}  // namespace carom
