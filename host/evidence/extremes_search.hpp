#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/evidence/script_moves.hpp"
#include "kernels/random/philox.hpp"

namespace carom {

/// A search for a script of large value, in the manner of cross-entropy: each of the best scripts
/// so far has a box, from which, and by moves of single numbers and steps, the next generation is
/// drawn. A box shrinks when nothing better was found in it. The better half of the scripts goes on
/// alone after every quarter of the generations. A function of (seed, problem, objective) and of
/// the values that it is told; plain arithmetic in a fixed order.
class ExtremeSearch {
 public:
  // Together 20,480 trajectories per objective. The rocking block's known ends are then met within
  // 1e-10 m/s; the disk stack's, in some 50 dimensions, still gain per cent by more.
  static constexpr int population = 128;
  static constexpr int generations = 160;
  /// Scripts to start from.
  static constexpr int starts = 16;

  /// `moves` must outlive the search.
  ExtremeSearch(const ScriptMoves& moves, int max_steps, const Philox& random,
                std::uint32_t objective);

  /// Adds a script to start from, unless there are `starts` better ones, or one of equal value.
  void start_from(const ScriptedSteps& script);
  /// `population` scripts to be tried, of equal numbers of steps.
  std::vector<ScriptedSteps> propose(int generation) const;
  /// What came of propose(): steps_taken = 0 marks a script without an outcome.
  void learn(int generation, std::span<const ScriptedSteps> tried);
  /// A script from elsewhere; it takes the place of the worst if it is better.
  void adopt(int generation, const ScriptedSteps& script);

 private:
  struct Site {
    ScriptedSteps script;
    double radius;
  };

  std::size_t active_sites(int generation) const;
  std::size_t searched_steps() const;
  bool is_new(double value) const;
  void sort_sites();

  const ScriptMoves& moves_;
  int max_steps_;
  Philox random_;
  std::uint64_t first_index_;
  std::vector<Site> sites_;  ///< by falling value
};

}  // namespace carom
