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
  std::size_t steps = 0;
  std::uint64_t lcps = 0;
  bool separated = false;
  bool solved = true;  ///< false: the step after the last one was not solved
};

/// Takes steps of the set-valued law with scripted numbers, from any state on the way.
class ScriptedWalker {
 public:
  ScriptedWalker(const ImpactProblem& problem, const SamplingOptions& options);
  ~ScriptedWalker();

  /// Numbers of a step: m caps as parts of h, and the number that selects a solution.
  std::size_t step_size() const;
  std::size_t state_size() const;
  int contacts() const;

  std::vector<double> start_state() const;
  std::vector<std::size_t> approaching(const double* state) const;  ///< contacts
  /// The velocity (nv) of a state.
  void velocity(const double* state, double* velocity) const;
  /// Appends the steps of `script` to `walk` until the state is separated or a step is not solved.
  /// @param state from which the first of them starts
  void walk(const double* state, const std::vector<double>& script, Walk& walk) const;

 private:
  std::unique_ptr<SamplingPlanData> data_;
};

}  // namespace carom
