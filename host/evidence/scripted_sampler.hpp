#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/sample_set.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// Runs trajectories with given numbers instead of random ones: per step m caps, as parts of h, and
/// the number that selects among several solutions (Solutions::all), all in (0, 1]. On the CPU.
class ScriptedSampler {
 public:
  ScriptedSampler(const ImpactProblem& problem, const SamplingOptions& options);
  ~ScriptedSampler();
  ScriptedSampler(const ScriptedSampler&) = delete;
  ScriptedSampler& operator=(const ScriptedSampler&) = delete;

  /// Count of numbers of one trajectory: max_steps (m + 1).
  std::size_t script_size() const;
  /// Writes one row of `out` per script_size() numbers.
  void sample(const std::vector<double>& script, SampleSet& out) const;
  /// The numbers that trajectory `index` of the run with these options uses.
  std::vector<double> script_of(std::uint64_t index) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carom
