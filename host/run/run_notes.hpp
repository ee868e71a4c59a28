#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "carom/post_impact_set.hpp"

namespace carom {

using StatusCounts = std::array<std::uint64_t, status_count>;

/// Notes on trajectories without an outcome: "no_outcomes", or "dropped" and "failed".
/// @param advice, failure_advice for trajectories that were dropped and that failed, appended to
/// the text
std::vector<Note> loss_notes(int max_steps, const StatusCounts& counts,
                             const std::string& advice = "",
                             const std::string& failure_advice = "");

/// "small_impulse_step", where h is stated. @param options resolved, or without an h
std::optional<Note> note_on_small_impulse_step(const ImpactProblem& problem,
                                               const SamplingOptions& options);
/// "energy_gain". @param before the kinetic energy, J @param energy of outcomes, J
std::optional<Note> note_on_energy_gain(double before, const Range& energy, const Law& law);
/// "solutions_missed". @param steps of which not all solutions were found @param connected
/// StepSolutions of the problem
std::optional<Note> note_on_missed_solutions(std::uint64_t steps,
                                             const std::optional<SolutionAudit>& audit = {},
                                             bool connected = false);

/// Adds the notes on sampled trajectories to those on problem and options, notes().
/// @param options resolved
void note_trajectories(const ImpactProblem& problem, const SamplingOptions& options,
                       PostImpactSet& set);
/// Replaces the notes on the set's evidence.
void note_evidence(const ImpactProblem& problem, const SamplingOptions& options,
                   PostImpactSet& set);

/// The note of a run without outcomes; null if it has some.
const Note* error_of(const PostImpactSet& set);

}  // namespace carom
