#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "carom/sample_set.hpp"
#include "carom/sampler.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// Impact problems of equal shape as arrays, problem by problem and row by row: what ImpactProblem
/// holds, for each.
struct ImpactBatch {
  std::size_t size = 0;  ///< B
  int velocities = 0;
  int contacts = 0;
  int tangent_dimension = 1;                    ///< d
  int friction_directions = 2;                  ///< k
  const double* mass_matrix = nullptr;          ///< B x nv x nv
  const double* normal_jacobian = nullptr;      ///< B x m x nv
  const double* tangent_jacobian = nullptr;     ///< B x m d x nv, rows grouped by contact
  const double* friction = nullptr;             ///< B x m
  const double* pre_impact_velocity = nullptr;  ///< B x nv
  /// B x m, or null: contacts that are not active (zero here) are left out of their problem, and
  /// what the other arrays hold for them is not looked at.
  const std::uint8_t* active = nullptr;
  /// h, N·s: one for all, B, or none: each problem's stopping_impulse(), 1 where nothing
  /// approaches.
  std::span<const double> impulse_step = {};
};

/// How an ImpactLaw samples; the fields of SamplingOptions of these names say more.
struct ImpactLawOptions {
  std::uint32_t seed = 1;
  std::uint32_t problem_id = 0;  ///< stream of the problem with index 0
  int max_steps = 100;           ///< more than a set needs: a simulator wants an outcome each time
  /// None: 0.01, or a tenth of h where h is not above that. The final step's cap follows from it.
  std::optional<double> epsilon = {};
  Norm norm = Norm::euclidean;
  double termination_tolerance = 1e-8;  ///< m/s
  CapsDistribution caps = {};
  Solutions solutions = Solutions::first;  ///< any but `table`
  int threads = 0;                         ///< CPU threads; 0 = all. Changes no bit
};

/// The impact update of a simulator: one random outcome for each of many different problems, as a
/// pure function of (seed, step, index of the problem). Outcome i of step s is trajectory s of
/// sample() for that problem with problem_id + i, bit by bit. Runs on the CPU: here, preparing a
/// problem costs more than its one trajectory.
class ImpactLaw {
 public:
  /// @throws InputError if an option breaks a rule
  explicit ImpactLaw(const ImpactLawOptions& options);

  /// @param first index of the batch's first problem: a batch in parts gives the outcomes of the
  ///        whole
  /// @param observer told how many problems are done; where it returns false, the call ends with
  ///        the outcomes before
  /// @return row i is the outcome of problem first + i. A contact that is not active has no
  ///         impulse; where no contact approaches, the velocity stays as it is.
  /// @throws InputError naming the problem of least index that breaks a rule, and the rule
  SampleSet operator()(std::uint64_t step, const ImpactBatch& batch, std::uint64_t first = 0,
                       const SampleObserver& observer = {}) const;

  const ImpactLawOptions& options() const { return options_; }

 private:
  ImpactLawOptions options_;
};

}  // namespace carom
