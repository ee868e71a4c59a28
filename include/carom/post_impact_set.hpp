#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "carom/bounds.hpp"
#include "carom/certificate.hpp"
#include "carom/comparison.hpp"
#include "carom/epsilon_net.hpp"
#include "carom/evidence_options.hpp"
#include "carom/extremes.hpp"
#include "carom/net_search.hpp"
#include "carom/note.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/questions.hpp"
#include "carom/sampler.hpp"
#include "carom/solution_audit.hpp"
#include "carom/stage_observer.hpp"
#include "carom/summary.hpp"

namespace carom {

/// The approximate post-impact set of one problem (Algorithm 2).
struct PostImpactSet {
  EpsilonNet net;                  ///< of all outcomes so far
  Summary summary = {};            ///< counts, energies and ranges
  OutcomeModes modes = {};         ///< contact modes of the outcomes
  bool complete = true;            ///< false if stopped before all trajectories were sampled
  double psi = 0.0;                ///< of Algorithm 2, in the net's norm
  double final_cap = 0.0;          ///< of Algorithm 2's final step, epsilon / (3 psi), N·s
  Backend backend = Backend::cpu;  ///< that sampled the set
  std::string device = {};         ///< the processor's name
  std::string backend_note = {};   ///< why the automatic choice fell back to the CPU; else empty
  /// Of the trajectories sampled last, those that the GPU left to the CPU.
  std::uint64_t repeated_on_cpu = 0;
  TableInfo table = {};  ///< table of known bases
  /// What to know beside the numbers, in the order of note_codes(); of an interrupted run only what
  /// is known before it.
  std::vector<Note> notes = {};

  // Results of add_evidence(); empty where the options do not ask for them.
  std::vector<SoughtOutcome> sought = {};       ///< ends of the set that a search found
  std::optional<NetSearch> search = {};         ///< outcomes beyond those of the trajectories
  std::optional<Certificate> certificate = {};  ///< result of the net's hold-out tests
  Comparison comparison = {};                   ///< outcomes of the laws that fix an order
  std::optional<NetSelection> selection = {};   ///< outcomes by farthest-point selection
  std::optional<NetCheck> net_check = {};       ///< check of the net against all outcomes
  std::optional<BoundCheck> bound = {};         ///< what can not happen, beside what did
  std::optional<SolutionAudit> audit = {};      ///< of steps solved by SolutionMethod::lines
};

/// What all outcomes that a set holds reach: those of the trajectories, sought and searched ones.
OutcomeRanges ranges_of(const ImpactProblem& problem, const PostImpactSet& set);

/// The contact modes that only the searched outcomes have: counts are of rows of
/// NetSearch::velocity, examples are their numbers.
OutcomeModes searched_modes(const ImpactProblem& problem, const PostImpactSet& set);

/// The ends of the outputs, in their order, among the sought and the searched outcomes; empty if
/// the run did not seek them.
std::vector<OutputEnds> output_ends(const Outputs& outputs, const PostImpactSet& set);

/// The answers to the questions of the outputs, by what was found and proved.
std::vector<Answer> answers(const ImpactProblem& problem, const Outputs& outputs,
                            const PostImpactSet& set, double termination_tolerance);

/// Called with every chunk in order; returns false to stop after it.
using ChunkObserver = std::function<bool(const SampleSet& chunk, const PostImpactSet& so_far)>;

/// Runs Algorithm 2 for trajectories [0, M). Without an observer it samples all of them. Random
/// caps hardly ever reach rare outcomes: add_evidence() searches for them.
/// @throws InputError if problem or options break a rule; RunError if the device fails
PostImpactSet post_impact_set(const ImpactProblem& problem, const SamplingOptions& options,
                              const ChunkObserver& observer = {});

/// Continues `start`, the set of an earlier run, and gives the bits of a single run. Evidence in
/// `start` was about fewer trajectories: it is dropped, and members of no trajectory are removed
/// from the net. Without `start`, a new run begins.
///
/// If evidence.miss is above 0, M doubles, beginning with options.trajectories, until a hold-out
/// test bounds the miss probability by evidence.miss, or the budget ends. Test j of a run has the
/// confidence 1 - delta / (j (j + 1)), so that the probability that any test fails is delta at
/// most. On return, set.summary.trajectories is the final M and set.certificate the result of the
/// tests; if an observer stopped the run, there is no certificate. The other fields of `evidence`
/// are for add_evidence().
/// @param stages called with "sampling" (total = M) before M is sampled, and with "hold-out"
/// @throws InputError if problem, options or evidence break a rule, `start` is not of this run, or
/// the budget is too small for a single test; RunError if the device fails
PostImpactSet grow(const ImpactProblem& problem, const SamplingOptions& options,
                   std::optional<PostImpactSet> start, const EvidenceOptions& evidence = {},
                   const ChunkObserver& observer = {}, const StageObserver& stages = {});

/// Adds to a complete set what `evidence` asks for, in this order: sought extremes and the outcomes
/// of a search (they join the net), hold-out certificate (unless the set has one), comparison laws,
/// selection, check of the net, outer bound; and an audit of the steps' solutions where lines find
/// them. If the observer stops the computation, the set keeps the evidence found so far.
/// @throws InputError if problem, options or evidence break a rule, the set is not complete or has
/// other velocities, epsilon or norm, or the selection is larger than the set; RunError if the
/// device fails
void add_evidence(const ImpactProblem& problem, const SamplingOptions& options,
                  const EvidenceOptions& evidence, PostImpactSet& set,
                  const StageObserver& observer = {});

}  // namespace carom
