#pragma once

#include <cstdint>
#include <string>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// How often the lines of SolutionMethod::lines miss a solution: random steps, with the lines of a
/// run, compared with a search that misses none.
struct SolutionAudit {
  std::uint64_t steps = 0;         ///< compared
  std::uint64_t incomplete = 0;    ///< further steps, whose search met its limit or found none
  std::uint64_t missed_steps = 0;  ///< steps of which the lines missed a solution
  /// Further steps of which the lines missed a part of a continuum, but no solution.
  std::uint64_t partial_steps = 0;
  std::uint64_t solutions = 0;         ///< of all steps compared
  std::uint64_t missed_solutions = 0;  ///< those that the lines missed
  std::uint64_t lines = 0;             ///< followed in these steps
  std::uint64_t cut_lines = 0;         ///< of which so many met their limit and were given up
  /// Clopper-Pearson upper bound at 95 % on the share of steps of which the lines miss a solution;
  /// 1 without steps.
  double miss_bound = 1.0;

  /// "0 of 512 steps missed a solution: at most 0.58 % at 95 %"
  std::string sentence() const;
};

/// Numbers of nodes instead of seconds, so that an audit does not depend on the machine.
struct AuditLimits {
  std::uint64_t steps = 512;
  int nodes_of_step = 2'000;
  /// No step is begun beyond: a few seconds. Of more than 29 contact coordinates, (29 / theirs)^4
  /// of it, since a node takes that much longer.
  std::uint64_t nodes = 100'000;
};

/// Audits the steps of fresh trajectories, one of each. Sobol' caps are replaced by uniform ones.
/// @throws InputError if problem or options break a rule, or if the law is not the set-valued one
SolutionAudit audit_solutions(const ImpactProblem& problem, const SamplingOptions& options,
                              const AuditLimits& limits = {});

}  // namespace carom
