#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

struct SamplingPlanData;

/// Steps that were taken with scripted numbers.
struct Walk {
  /// Per step the state after it: impulses so far and contact speeds, m (1 + d) each, as speeds.
  std::vector<double> states;
  std::vector<std::uint64_t> repeats;  ///< per step, how often it was taken
  std::size_t steps = 0;
  std::uint64_t lcps = 0;
  bool separated = false;
  bool solved = true;  ///< false: the step after the last one was not solved
};

/// Takes steps of the set-valued law with scripted numbers, from any state on the way.
///
/// Where h is small beside the stopping impulse, a step of a script is a phase: it is repeated with
/// equal caps. Many repeats cost one LCP, since the impulses of one step also solve the next ones
/// until a contact closes, opens, or begins or ends to slip. That is seen from the residual: the
/// states from which given impulses solve the step LCP form a convex set, so if they do at both
/// ends of a line of states, they do between.
class ScriptedWalker {
 public:
  ScriptedWalker(const ImpactProblem& problem, const SamplingOptions& options);
  ~ScriptedWalker();

  /// Numbers of a step: see Exploration::step_size.
  std::size_t step_size() const;
  std::uint64_t most_repeats() const { return most_repeats_; }
  std::size_t state_size() const;
  int contacts() const;
  /// h, N·s.
  double impulse_step() const { return impulse_step_; }
  /// N·s of an impulse that is 1 as a speed.
  double impulse_of_speed() const;

  std::vector<double> start_state() const;
  std::vector<std::size_t> approaching(const double* state) const;  ///< contacts
  /// The velocity (nv) of a state.
  void velocity(const double* state, double* velocity) const;
  /// Appends the steps of `script` to `walk` until the state is separated or a step is not solved.
  /// @param state from which the first of them starts
  void walk(const double* state, const std::vector<double>& script, Walk& walk) const;

 private:
  void take_steps(const double* state, const double* numbers, std::size_t steps, Walk& walk) const;
  void take_phase(const double* state, const double* numbers, Walk& walk) const;
  std::vector<double> change_by(const std::vector<double>& impulse) const;
  std::uint64_t equal_steps(const double* state, const std::vector<double>& impulse,
                            const std::vector<double>& change, const double* numbers,
                            std::uint64_t most) const;

  std::unique_ptr<SamplingPlanData> data_;
  double impulse_step_;
  std::uint64_t most_repeats_;
};

}  // namespace carom
