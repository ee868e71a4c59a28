#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

#include "carom/roll.hpp"
#include "host/roll/rigid_mechanism.hpp"
#include "kernels/random/philox.hpp"
#include "kernels/rollout/rollout_plan.hpp"

namespace carom {

RolloutView view_of(Rollouts& rollouts);

/// What a plan points into.
struct RollMemory {
  std::vector<double> position, velocity, times, directions;
};

/// The plan of a mechanism's rollouts to these times.
/// @param options resolved()
RolloutPlan make_plan(const RigidMechanism& mechanism, const RollOptions& options,
                      std::vector<double> times, RollMemory& memory);

/// Calls run(first, count) with parts of [0, count), on up to `threads` threads (0: all).
void on_threads(int threads, std::uint64_t count,
                const std::function<void(std::uint64_t, std::uint64_t)>& run);

/// Rollouts that are moved between two calls of the observer.
struct RollParts {
  std::uint64_t most;  ///< of a call
  bool paced;          ///< whether they are few where each takes long
  int threads;
};

/// Calls move(done, count) for one part of the rollouts after the other, until the observer returns
/// false; the rollouts of the others are cut off.
void move_in_parts(const RollParts& parts, const SampleObserver& observer, Rollouts& rollouts,
                   const std::function<void(std::uint64_t, std::uint64_t)>& move);

/// The starts of rollouts: pure functions of (seed, problem id, ranges, index). Ranges have the
/// names of velocities; one of a position that is the turn of a body is an angle about a fixed axis
/// from the body's orientation, and several of a body are one rotation vector.
class Starts {
 public:
  /// @throws InputError if a range is of no coordinate
  Starts(const RigidMechanism& mechanism, const SamplingOptions& sampling,
         const RollOptions& options);

  /// Whether they differ.
  bool are_drawn() const { return !place_.empty(); }
  /// The start of a rollout. @throws InputError if something penetrates
  RigidState of(std::uint64_t rollout) const;

 private:
  const RigidMechanism& mechanism_;
  const SamplingOptions& sampling_;
  const RollOptions& options_;
  std::vector<std::size_t> place_;  ///< of each range among the velocities
};

/// s: the step of what has none of its own.
inline constexpr double usual_step = 1e-3;

/// What became of a rollout that ended before its duration.
/// @param most_steps that an impact had
std::string failure_text(RolloutStatus status, int most_steps = max_step_limit);

/// The number of a range's coordinate.
/// @throws InputError if none of `names` is its name, or the range decreases or is not finite
std::size_t place_of(const StartRange& range, const std::vector<std::string>& names);

/// A rollout's number of a range: uniform, from its random numbers of this number.
double draw_start(const StartRange& range, const Philox& random, std::uint32_t number);

/// @throws InputError naming a pair that penetrates deeper than `window`; who: "rollout 3"
void require_gaps(const RigidMechanism& mechanism, const std::vector<double>& position,
                  double window, const std::string& who);

/// A pair and how deep it is.
std::string text_of(const Penetration& found, const RigidMechanism& mechanism);

/// @throws InputError if one of these options is not its default
void refuse_options(const RollOptions& options, std::initializer_list<std::string_view> names,
                    const std::string& of_what);

/// @param what has rigid contacts
/// @throws InputError if the options ask for contacts that give way
void check_rigid(const RollOptions& options, const std::string& what);

}  // namespace carom
