#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"
#include "kernels/step/step_outcome.hpp"

namespace carom {

class CudaLauncher;
struct SamplingPlanData;

/// Steps that were taken with scripted numbers.
struct Walk {
  std::vector<double> states;          ///< per step the state after it, see RunPlan
  std::vector<std::uint64_t> repeats;  ///< per step, how often it was taken
  std::size_t steps = 0;
  std::uint64_t lcps = 0;
  bool separated = false;
  bool solved = true;  ///< false: the step after the last one was not solved
};

/// A step of a script while it is taken: LCP by LCP, until it was repeated as often as its numbers
/// say. (An impact of the propagative law counts as an LCP.)
struct ScriptedStep {
  std::vector<double> numbers;
  std::vector<double> state;  ///< before the next LCP, or after the last one
  std::uint64_t wanted = 1;   ///< repeats
  std::uint64_t taken = 0;
};

/// Takes steps of a law with scripted numbers, from any state on the way.
///
/// Where h is small beside the stopping impulse, a step of a script is a phase: it is repeated with
/// equal caps. Without restitution, many repeats cost one LCP, since the impulses of one step also
/// solve the next ones until a contact closes, opens, or begins or ends to slip. That is seen from
/// the residual: the states from which given impulses solve the step LCP form a convex set, so if
/// they do at both ends of a line of states, they do between.
class ScriptedWalker {
 public:
  /// @throws InputError if the law draws nothing
  ScriptedWalker(const ImpactProblem& problem, const SamplingOptions& options);
  ~ScriptedWalker();

  /// Numbers of a step: see Exploration::step_size.
  std::size_t step_size() const;
  /// Of them, those that the law takes: all but the repeats.
  std::size_t step_numbers() const;
  /// Of them, the first ones are caps: one for each contact, or none.
  std::size_t caps() const;
  std::uint64_t most_repeats() const { return most_repeats_; }
  std::size_t state_size() const;
  /// Impulses of a state, and as many speeds after them.
  std::size_t impulses() const;
  std::size_t axes() const;  ///< of the problem's contacts, m (1 + d)
  /// h, N·s.
  double impulse_step() const { return impulse_step_; }
  /// N·s of an impulse that is 1 as a speed.
  double impulse_of_speed() const;

  std::vector<double> start_state() const;
  /// The contact speeds that impulses change. @param impulse impulses(), as speeds
  std::vector<double> change_by(const std::vector<double>& impulse) const;
  /// Contacts that approach, or have energy to release.
  std::vector<std::size_t> active(const double* state) const;
  /// The contact speeds of a state, one for each axis.
  void speeds(const double* state, double* speeds) const;
  /// The velocity (nv) of a state.
  void velocity(const double* state, double* velocity) const;
  /// Appends the steps of `script` to `walk` until the state is separated or a step is not solved.
  /// @param state from which the first of them starts
  void walk(const double* state, std::span<const double> script, Walk& walk) const;

  // The same, LCP by LCP.

  /// Begins a step with these numbers from step.state, in which some contacts are active.
  void begin(std::span<const double> numbers, ScriptedStep& step) const;
  /// Solves a step's next LCP and writes the state after it, in which the trajectory is `separated`
  /// or goes on (`step_limit`); any other status: not solved.
  Status solve(const ScriptedStep& step, double* after) const;
  /// Continues with the state after an LCP, of which solve() had this status, and counts it.
  /// Returns whether the step needs another LCP; else it is over, and in `walk` if it was solved.
  bool advance(ScriptedStep& step, Status status, const double* after, Walk& walk) const;
  /// A device that solves LCPs as solve() does: CudaLauncher::take_steps().
  /// @throws InputError or RunError as CudaLauncher
  std::unique_ptr<CudaLauncher> launcher(int device) const;

 private:
  void repeat(ScriptedStep& step, const std::vector<double>& impulse) const;
  std::uint64_t equal_steps(const double* state, const std::vector<double>& impulse,
                            const std::vector<double>& change, const double* numbers,
                            std::uint64_t most) const;

  std::unique_ptr<SamplingPlanData> data_;
  Eigen::MatrixXd tangents_;  ///< of the contacts, if the states lack their speeds
  double impulse_step_;
  std::uint64_t most_repeats_;
};

}  // namespace carom
