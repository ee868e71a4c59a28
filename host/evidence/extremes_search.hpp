#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/evidence/script_moves.hpp"
#include "kernels/random/philox.hpp"

namespace carom {

/// A cross-entropy search for a script of large value. Each of the best scripts so far has a box;
/// the next generation is drawn from the boxes and by moves of single numbers and steps. A box
/// shrinks when no better script was found in it. After every quarter of the generations, only the
/// better half of the scripts continues. The search depends only on (seed, problem, objective) and
/// on the values given to it, with arithmetic in a fixed order.
class ExtremeSearch {
 public:
  // Together 20,480 trajectories per objective. They reach the rocking block's known ends within
  // 1e-10 m/s; with more trajectories, the ends of the disk stack, in about 50 dimensions, still
  // grow by some per cent.
  static constexpr int population = 128;
  static constexpr int generations = 160;
  /// Number of scripts to start from.
  static constexpr int starts = 16;

  /// `moves` must outlive the search.
  ExtremeSearch(const ScriptMoves& moves, int max_steps, const Philox& random,
                std::uint32_t objective);

  /// Adds a script to start from, unless there are `starts` better scripts, or a script of equal
  /// value.
  void start_from(const ScriptedSteps& script);
  /// `population` scripts to try, of equal numbers of steps.
  std::vector<ScriptedSteps> propose(int generation) const;
  /// Takes the results of propose(): steps_taken = 0 marks a script without an outcome.
  void learn(int generation, std::span<const ScriptedSteps> tried);
  /// Offers a script of another search; it replaces the worst script if it is better.
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
  std::vector<Site> sites_;  ///< by decreasing value
};

}  // namespace carom
