#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "carom/device_samples.hpp"
#include "carom/impact_problem.hpp"
#include "carom/sample_set.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// The table of known bases of a problem: a function of problem, seed and options. A pilot run
/// finds the table, which does not change afterwards.
struct TableInfo {
  std::uint64_t bases = 0;               ///< contact modes in the table; 0: there is no table
  std::uint64_t pilot_trajectories = 0;  ///< trajectories that found the bases
};

/// Called with the number of trajectories sampled in this call; returns false to stop.
using SampleObserver = std::function<bool(std::uint64_t done, std::uint64_t total)>;

/// Samples trajectories (Algorithm 1 with Algorithm 2's final step) of one or many problems of
/// equal shape. A trajectory is a pure function of (seed, problem id, index): any range can be
/// computed in any order, on any backend, with the same bits. Of many problems, where some are
/// proven to have one solution in each step and others not, all take the way of the others, which
/// differs by rounding; sample() does not mix them.
class Sampler {
 public:
  /// @throws InputError if a problem or an option breaks a rule; RunError if the device fails.
  Sampler(std::span<const ImpactProblem> problems, const SamplingOptions& options);
  ~Sampler();
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;

  /// Fills `samples` with work items [first, first + count); item = problem * M + trajectory.
  /// Indices beyond M are allowed for a single problem.
  /// @throws InputError if a work item lies beyond problems times M; RunError if the device fails
  void sample(std::uint64_t first, std::uint64_t count, SampleSet& samples) const;
  /// The same in launches of chunk() items; `observer` is called after each launch.
  /// @return false if the observer stopped the call; `samples` then holds the items sampled so far
  bool sample(std::uint64_t first, std::uint64_t count, SampleSet& samples,
              const SampleObserver& observer) const;

  /// Work items [first, first + count), left in the memory of the CUDA device; fewer if `observer`
  /// stops the call.
  /// @throws InputError as above, or if the backend in use is the CPU; RunError if the device fails
  /// or has too little memory
  DeviceSamples sample_on_device(std::uint64_t first, std::uint64_t count,
                                 const SampleObserver& observer = {}) const;

  /// Velocities along trajectory `index` of the first problem, from the pre-impact velocity to the
  /// last, (steps + 1) x nv row-major.
  std::vector<double> path(std::uint64_t index) const;

  /// What the rows of this sampler hold.
  const RowShape& row_shape() const;
  /// The selected backend: `cpu` or `cuda`.
  Backend backend() const;
  /// The processor's name.
  const std::string& device_name() const;
  /// Why an automatic backend fell back to the CPU; empty if it did not.
  const std::string& backend_note() const;
  /// Trajectories so far that double precision on a device could not decide, and that the CPU
  /// repeated; 0 on the CPU.
  std::uint64_t repeated_trajectories() const;
  /// The first problem's table of bases.
  TableInfo table() const;
  /// Trajectories per launch: the option, or a number chosen for the backend; on the CPU, as many
  /// as take less than a tenth of a second, judged by the previous launch.
  std::uint64_t chunk() const;

  struct State;  ///< opaque; Carom's own code defines it

 private:
  std::unique_ptr<State> state_;
};

/// Samples all M trajectories of one problem into memory.
/// @throws InputError if problem or options break a rule; RunError if the device fails
SampleSet sample(const ImpactProblem& problem, const SamplingOptions& options);

/// Samples M trajectories of each problem, problem by problem, each with the bits that it has
/// alone; fewer if `observer` stops the call.
/// @throws InputError as above, or if the problems differ in shape
SampleSet sample(std::span<const ImpactProblem> problems, const SamplingOptions& options,
                 const SampleObserver& observer = {});

/// Number of usable CUDA devices; 0 in a build without CUDA or on a machine without a GPU.
int cuda_device_count();

}  // namespace carom
