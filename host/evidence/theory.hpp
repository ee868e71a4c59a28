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
  double certain = 0.0;  ///< c ceil(|v0|_M): fewer LCPs are not bounded at all
  double decay = 0.0;    ///< (m + 1)^2

  /// LCPs that a share `share` of the trajectories does not exceed, according to the bound.
  double lcps_within(double share) const;
};

/// @param impulse_step h, N·s
/// @return nothing if there is no r of Lemma 6: the friction cone is not pointed
std::optional<TerminationBound> termination_bound(const ImpactProblem& problem,
                                                  double impulse_step);

/// Whether the caps are those that Theorem 8 and Lemma 1 are about.
bool has_uniform_caps(const SamplingOptions& options);

/// LCPs per trajectory as a small run counts them, with room for more steps than the options have.
struct MeasuredTail {
  std::uint64_t trajectories = 0;
  int max_steps = 0;
  double mean = 0.0;
  std::uint64_t within_99 = 0;  ///< least number that 99 % of the trajectories do not exceed
  std::uint64_t most = 0;
  std::uint64_t unfinished = 0;  ///< trajectories that still collided after max_steps
};
MeasuredTail measure_tail(const ImpactProblem& problem, const SamplingOptions& options);

/// Share of a small run's steps that have several solutions, where Assumption 6 fails; nothing if
/// the problem has too many contact modes to find out.
std::optional<double> measure_ambiguity(const ImpactProblem& problem,
                                        const SamplingOptions& options);

/// How fast the outcome (in the net's norm) changes with the caps of all steps (Euclidean norm).
struct MeasuredSlope {
  double constant = 0.0;  ///< greatest slope met, so the Lipschitz constant is at least this
  bool jumps = false;     ///< outcomes differed where caps hardly did: there is no constant
  int pairs = 0;          ///< of cap sequences that were compared
};

/// Compares the outcomes of pairs of uniform cap sequences; each pair closes in on the steepest
/// place between its ends. Lemke's first solution is taken: Lemma 1 assumes that there is but one.
MeasuredSlope measure_slope(const ImpactProblem& problem, const SamplingOptions& options);

/// log10 of the least M for which Lemma 1 says that the images of M uniform samples of
/// [0, side]^dimensions, under a map with this Lipschitz constant, are an epsilon-net of all images
/// with probability 1 - delta: M >= ln(delta Omega) / ln(1 - Omega),
/// Omega = ceil(side lipschitz sqrt(dimensions) / epsilon)^-dimensions.
double log10_dense_samples(double dimensions, double side, double lipschitz, double epsilon,
                           double delta);

}  // namespace carom
