#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "carom/roll.hpp"
#include "host/roll/planar_mechanism.hpp"
#include "kernels/random/philox.hpp"
#include "kernels/rollout/rollout_plan.hpp"

namespace carom {

RolloutView view_of(Rollouts& rollouts);

/// What a plan points into.
struct RollMemory {
  std::vector<double> position, velocity, times;
  double directions[2] = {1.0, -1.0};
};

/// The plan of a validated world's rollouts to these times.
RolloutPlan make_plan(const PlanarWorld& world, const RollOptions& options,
                      std::vector<double> times, RollMemory& memory);

/// Calls run(first, count) with parts of [0, count), on up to `threads` threads (0: all).
void on_threads(int threads, std::uint64_t count,
                const std::function<void(std::uint64_t, std::uint64_t)>& run);

/// The starts of rollouts: pure functions of (seed, problem id, ranges, index).
class Starts {
 public:
  /// @throws InputError if a range is of no coordinate
  Starts(const PlanarWorld& world, const SamplingOptions& sampling, const RollOptions& options);

  /// Whether they differ.
  bool are_drawn() const { return !coordinate_.empty(); }
  /// The world at the start of a rollout. @throws InputError if something penetrates
  PlanarWorld of(std::uint64_t rollout) const;

 private:
  const PlanarWorld& world_;
  const SamplingOptions& sampling_;
  const RollOptions& options_;
  std::vector<PlanarCoordinate> coordinate_;  ///< of each range
};

/// @throws InputError if a range decreases, or is not finite
void check_start(const StartRange& range);

/// A rollout's number of a range: uniform, from its random numbers of this number.
double draw_start(const StartRange& range, const Philox& random, std::uint32_t number);

/// @throws InputError naming a pair that penetrates deeper than `window`; who: "rollout 3"
void require_gaps(const PlanarWorld& world, double window, const std::string& who);

}  // namespace carom
