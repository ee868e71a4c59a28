#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "carom/compliant.hpp"
#include "carom/impact_problem.hpp"
#include "carom/mujoco.hpp"
#include "carom/note.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/rigid_world.hpp"
#include "carom/roll_options.hpp"
#include "carom/rollout_columns.hpp"
#include "carom/sampler.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// A MuJoCo model in time, from the state of its options.
struct MujocoMotion {
  MujocoOptions model;  ///< contacts with a smaller gap than `distance` touch, and land together
  std::optional<double> restitution = {};  ///< of all contacts; none: the law's own default
  /// k of contacts with friction in space; none: default_friction_directions()
  std::optional<int> friction_directions = {};
};

/// Rollouts [first, first + size()), one row each; see for_each_rollout_column().
struct Rollouts : RolloutShape, RolloutColumns<ColumnVector> {
  std::uint64_t first = 0;        ///< index of the first row
  std::vector<double> time = {};  ///< T, s
  bool complete = true;           ///< false: the observer stopped the run
  std::vector<Note> notes = {};   ///< what the rollouts leave open

  std::size_t size() const { return status.size(); }
  /// Gives every column `size` rows of this shape.
  void resize(std::size_t size);
};

/// The options with values for `step` and `impact_speed` where these are auto; roll() resolves its
/// options itself.
/// @throws InputError if an option breaks a rule
RollOptions resolved(RollOptions options, const RigidWorld& world);
RollOptions resolved(RollOptions options, const CompliantSystem& system);
RollOptions resolved(RollOptions options, const MujocoMotion& motion);

/// Adds the rows of `more` behind those of `rollouts`, which may have none.
void append(const Rollouts& more, Rollouts& rollouts);

/// Moves a world from its start, `options.rollouts` times. Between impacts the motion is
/// deterministic; impacts draw their outcome from the law of `sampling`. Rollout i is a pure
/// function of (seed, problem id, options, i).
///
/// Of `sampling`, the law, max_steps, impulse_step (auto: see SamplingOptions),
/// termination_tolerance, seed, problem_id, backend, device and threads count. Where `solutions` of
/// the set-valued law is auto, it is `cover`.
/// @param observer called with the rollouts so far; if it returns false, the run ends
/// @param first index of the first rollout
/// @throws InputError if an option or the world breaks a rule
Rollouts roll(const RigidWorld& world, const SamplingOptions& sampling, const RollOptions& options,
              const SampleObserver& observer = {}, std::uint64_t first = 0);

/// Moves a system whose contacts give way, in steps of fixed length that end at each event
/// (docs/time.md). Of `sampling`, seed, problem_id, backend, device and threads count.
/// @throws InputError if an option or the system breaks a rule
Rollouts roll(const CompliantSystem& system, const SamplingOptions& sampling,
              const RollOptions& options, const SampleObserver& observer = {},
              std::uint64_t first = 0);

/// Moves a MuJoCo model (docs/mujoco.md): before each of MuJoCo's steps, contacts that approach
/// faster than the impact speed have an impact under the law of `sampling`; all
/// else is MuJoCo's. Of `options`, window, hold, crossing and what follows it do not count.
/// @throws InputError if an option breaks a rule, or a start penetrates deeper than `distance`;
/// RunError if MuJoCo cannot be loaded or fails
Rollouts roll(const MujocoMotion& motion, const SamplingOptions& sampling,
              const RollOptions& options, const SampleObserver& observer = {},
              std::uint64_t first = 0);

/// What rollouts leave open.
/// @param model of rollouts of a MuJoCo model
std::vector<Note> notes_on_rollouts(const SamplingOptions& sampling, const Rollouts& rollouts,
                                    const std::optional<MujocoOptions>& model = {});
std::vector<Note> notes_on_rollouts(const MujocoMotion& motion, const SamplingOptions& sampling,
                                    const Rollouts& rollouts);
std::vector<Note> notes_on_rollouts(const RigidWorld& world, const SamplingOptions& sampling,
                                    const RollOptions& options, const Rollouts& rollouts);
std::vector<Note> notes_on_rollouts(const CompliantSystem& system, const SamplingOptions& sampling,
                                    const RollOptions& options, const Rollouts& rollouts);

/// A column's name without groups: "first_impact_velocity" of "rollouts/first_impact/velocity",
/// "event_time" of "events/time".
std::string flat_name(const RolloutColumnInfo& column);

/// Share of the rollouts to which a question's answer is yes. A failed rollout may have answered
/// before it failed: what it did up to the last kept time before, and how many impacts it had and
/// how late, which only grow.
struct RollAnswer {
  std::string question;
  std::uint64_t yes = 0;
  std::uint64_t open = 0;      ///< failed rollouts that had not answered
  std::uint64_t rollouts = 0;  ///< of any status
  /// Wilson's, of 95 %: its low end with no to all that are open, its high end with yes.
  ProbabilityInterval interval = {};
};

/// The states of the rollouts at one time, as a net: the members are rollouts.
struct TubeNet {
  std::vector<std::uint64_t> members;  ///< rows of the rollouts
  std::uint64_t tested = 0;            ///< rollouts that the net was not built from
  std::uint64_t missed = 0;            ///< of these, farther than epsilon from every member
  double miss_bound = 1.0;  ///< of the probability of a miss, by Clopper and Pearson, of 95 %
};

/// Nets of the states at each time, of every second rollout that is whole; the others test them.
struct Tube {
  double time = 0.0;          ///< RollOptions::tube_time, s
  double epsilon = 0.0;       ///< J^(1/2)
  std::vector<TubeNet> nets;  ///< T
};

/// Shares of the rollouts [0, 1] at which RollSummary has quantiles.
inline constexpr double roll_levels[] = {0.0, 0.05, 0.5, 0.95, 1.0};
inline constexpr int roll_level_count = 5;

/// Numbers of the rollouts that are whole; where none is, means and quantiles are NaN.
struct RollSummary {
  std::uint64_t rollouts = 0;  ///< of any status
  std::uint64_t by_status[rollout_status_count] = {};
  std::vector<double> position;  ///< T x nq x levels: quantiles at each time
  std::vector<double> velocity;  ///< T x nv x levels
  double impacts_mean = 0.0;
  std::uint32_t impacts_most = 0;
  double end_time[roll_level_count] = {};  ///< s: quantiles
  std::vector<RollAnswer> answers = {};    ///< in the order of RollOptions::ask
  std::optional<Tube> tube = {};           ///< if RollOptions::tube_time is stated

  std::uint64_t whole() const;  ///< rollouts with all their states
};

/// Four coordinates that are a unit quaternion w, x, y, z, which turns by three velocities.
struct RolledQuaternion {
  std::size_t at = 0;  ///< the first of them
  Eigen::Vector4d start = {1.0, 0.0, 0.0, 0.0};
  bool in_fixed_axes = false;  ///< of these velocities; else in the axes of the body
};

/// What rollouts are of.
struct RolledSystem {
  std::vector<std::string> coordinates;  ///< names
  std::vector<std::string> units;        ///< of each: "m", "rad" or "", a pure number
  std::vector<std::string> velocities;   ///< names; those of coordinates whose rate they are
  std::vector<std::string> contacts;     ///< names of the pairs that can touch
  Eigen::MatrixXd mass_matrix;           ///< at the start; empty: there is none
  std::vector<RolledQuaternion> quaternions = {};  ///< in the order of the coordinates
};

RolledSystem rolled_system(const RigidWorld& world);
RolledSystem rolled_system(const CompliantSystem& system);
/// @throws as roll()
RolledSystem rolled_system(const MujocoMotion& motion);

/// @throws InputError if a question is not understood
RollSummary summarise(const RolledSystem& system, const RollOptions& options,
                      const Rollouts& rollouts);
inline RollSummary summarise(const RigidWorld& world, const RollOptions& options,
                             const Rollouts& rollouts) {
  return summarise(rolled_system(world), options, rollouts);
}

/// The first impact of a planar world's motion from its start.
struct FirstImpact {
  ImpactProblem problem;              ///< its contacts are the pairs that touch
  PlanarWorld world;                  ///< right before it
  std::vector<PlanarTouch> contacts;  ///< where they are
};

/// How long a first impact is waited for, s.
inline constexpr double longest_wait = 60.0;

/// @param window RollOptions::window
/// @throws InputError if there is none within `duration` seconds
FirstImpact find_first_impact(const PlanarWorld& world, double duration = longest_wait,
                              double window = RollOptions{}.window);

/// Its problem alone, of any world or MuJoCo model; the latter moves in steps of its own.
ImpactProblem first_impact(const RigidWorld& world, double duration = longest_wait,
                           double window = RollOptions{}.window);
ImpactProblem first_impact(const MujocoMotion& motion, double duration = longest_wait);

}  // namespace carom
