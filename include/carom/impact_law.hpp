#pragma once

#include <cstdint>
#include <optional>

#include "carom/impact_batch.hpp"
#include "carom/sample_set.hpp"
#include "carom/sampler.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// Options of an ImpactLaw; see the fields of SamplingOptions with the same names.
struct ImpactLawOptions {
  std::uint32_t seed = 1;
  std::uint32_t problem_id = 0;  ///< stream of the problem with index 0
  /// Auto: 1,000 LCPs, of law sequential 20,000; 100,000 impacts; 20,000 intervals.
  Choice<int> max_steps = {};
  /// None: 0.01, or a tenth of h where h is at most 0.01. It determines the cap of the final step.
  std::optional<double> epsilon = {};
  Norm norm = Norm::euclidean;
  double termination_tolerance = 1e-8;  ///< m/s
  /// Of the set-valued law, caps are default_caps() of each world's active contacts and solutions
  /// `cover` where they are not stated, and solutions are not `table`; of the PLUS law, the
  /// velocity is the world's.
  Law law{};
  int threads = 0;  ///< CPU threads; 0 = all. The outcomes do not depend on it
  /// Whether a problem that breaks a rule ends the call with an exception, and is looked for where
  /// nothing approaches, too; else its status is `bad_input`.
  bool strict = false;
};

/// The impact update of a simulator: one random outcome for each of many different problems, as a
/// pure function of (seed, step, index of the problem). Outcome i of step s is trajectory s of
/// sample() for that problem with problem_id + i, bit by bit but for the sign of a zero of a
/// velocity that does not change. Runs on the CPU, since preparing a problem costs more than its
/// single trajectory. Problems are taken from the batch's arrays as they lie. A problem is
/// prepared as by sample(), which costs several times as much, with solutions = all unless its
/// steps are soon proven to have one, and with restitution below one under the propagative law.
/// Several threads may call one ImpactLaw.
class ImpactLaw {
 public:
  /// @throws InputError if an option breaks a rule
  explicit ImpactLaw(const ImpactLawOptions& options);

  /// @param first index of the batch's first problem, problem_id + first + B < 2^32: a batch given
  /// in parts has the outcomes of the whole batch
  /// @param observer called with the number of finished problems; if it returns false, the call
  /// returns the outcomes so far
  /// @return row i is the outcome of problem first + i. An inactive contact has no impulse; where
  /// no contact approaches, the velocity does not change, and of the mass matrix only the energy is
  /// checked. A problem that breaks a rule (a diverged world: NaN, infinite numbers, a mass matrix
  /// that is not positive definite; more active contacts than compiled) keeps its velocity, with
  /// the status `bad_input`, no impulse, and NaN as energy.
  /// @throws RunError if the plastic outcome of a world of law propagative was not found;
  /// InputError if sizes or impulse_step break a rule, or restitution is given and the law
  /// has none; with `strict`, naming the problem of least index that breaks one, and the rule
  SampleSet operator()(std::uint64_t step, const ImpactBatch& batch, std::uint64_t first = 0,
                       const SampleObserver& observer = {}) const;

  /// The options, with the values that Carom chose.
  const ImpactLawOptions& options() const { return options_; }

 private:
  ImpactLawOptions options_;
};

}  // namespace carom
