#pragma once

#include <cstdint>
#include <optional>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// Theorem 8 of Halm & Posa: with uniform caps, the number Z of LCPs of a trajectory has
/// P(Z > certain + k) <= exp(-k / decay).
struct TerminationBound {
  double c = 0.0;        ///< 4 ceil((m + 1) |r| / (h sqrt(sigma)))
  double certain = 0.0;  ///< c ceil(|v0|_M): the bound begins at this number of LCPs
  double decay = 0.0;    ///< (m + 1)^2

  /// Number of LCPs that the share `share` of the trajectories does not exceed, by the bound.
  double lcps_within(double share) const;
};

/// @param impulse_step h, N·s
/// @return nothing if the r of Lemma 6 does not exist: the friction cone is not pointed
std::optional<TerminationBound> termination_bound(const ImpactProblem& problem,
                                                  double impulse_step);

/// Whether Theorem 8 and Lemma 1 apply to the caps.
bool has_uniform_caps(const SamplingOptions& options);

/// LCPs per trajectory, counted by a small run with more steps than the options allow.
struct MeasuredTail {
  std::uint64_t trajectories = 0;
  int max_steps = 0;
  double mean = 0.0;
  std::uint64_t within_99 = 0;  ///< least number that 99 % of the trajectories do not exceed
  std::uint64_t most = 0;
  std::uint64_t unfinished = 0;  ///< trajectories that still collided after max_steps
};
MeasuredTail measure_tail(const ImpactProblem& problem, const SamplingOptions& options);

/// Steps of a small run that finds all solutions.
struct AmbiguousSteps {
  std::uint64_t steps = 0;
  std::uint64_t ambiguous = 0;  ///< with several solutions

  /// 0 without steps.
  double share() const {
    return steps == 0 ? 0.0 : static_cast<double>(ambiguous) / static_cast<double>(steps);
  }
};

/// @param trajectories the first ones of the set-valued law with Solutions::all and options' caps
AmbiguousSteps count_ambiguous_steps(const ImpactProblem& problem, const SamplingOptions& options,
                                     std::uint64_t trajectories);

/// Share of a small run's steps with several solutions, where Assumption 6 fails; nothing if the
/// problem has too many contacts to find all of them.
std::optional<double> measure_ambiguity(const ImpactProblem& problem,
                                        const SamplingOptions& options);

/// Rate of change of the outcome (in the net's norm) with the caps of all steps (Euclidean norm).
struct MeasuredSlope {
  double constant = 0.0;  ///< greatest measured slope: a lower bound of the Lipschitz constant
  bool jumps = false;  ///< outcomes differed for almost equal caps: there is no Lipschitz constant
  int pairs = 0;       ///< number of compared pairs of cap sequences
};

/// Compares the outcomes of pairs of uniform cap sequences; bisection moves each pair to the
/// steepest place between its ends. Uses Lemke's first solution, since Lemma 1 assumes a unique
/// solution.
MeasuredSlope measure_slope(const ImpactProblem& problem, const SamplingOptions& options);

/// log10 of the least M for which, by Lemma 1, the images of M uniform samples of [0,
/// side]^dimensions, under a map with this Lipschitz constant, are an epsilon-net of all images
/// with probability 1 - delta: M >= ln(delta Omega) / ln(1 - Omega), Omega = ceil(side lipschitz
/// sqrt(dimensions) / epsilon)^-dimensions.
double log10_dense_samples(double dimensions, double side, double lipschitz, double epsilon,
                           double delta);

}  // namespace carom
