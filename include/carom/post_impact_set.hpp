#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "carom/certificate.hpp"
#include "carom/comparison.hpp"
#include "carom/epsilon_net.hpp"
#include "carom/evidence_options.hpp"
#include "carom/extremes.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/sampler.hpp"
#include "carom/summary.hpp"

namespace carom {

/// The approximate post-impact set of one problem (Algorithm 2).
struct PostImpactSet {
  EpsilonNet net;                  ///< of all outcomes so far
  Summary summary = {};            ///< counts, energies and ranges
  OutcomeModes modes = {};         ///< what each contact does
  bool complete = true;            ///< false if stopped before all trajectories were sampled
  double psi = 0.0;                ///< of Algorithm 2, in the net's norm
  double final_cap = 0.0;          ///< of Algorithm 2's final step, epsilon / (3 psi), N·s
  Backend backend = Backend::cpu;  ///< that sampled it
  std::string device = {};         ///< the processor's name
  std::string backend_note = {};   ///< why an automatic backend took the CPU; else empty
  TableInfo table = {};            ///< what served some of the steps

  // What add_evidence() finds; empty where it was not asked for.
  std::vector<SoughtOutcome> sought = {};       ///< ends of the set that a search found
  std::optional<Certificate> certificate = {};  ///< what hold-out tests of the net say
  Comparison comparison = {};                   ///< outcomes of the laws that fix an order
  std::optional<NetSelection> selection = {};   ///< outcomes far from each other
  std::optional<NetCheck> net_check = {};       ///< the net against all outcomes
};

/// Told about every chunk in order; returns false to stop after it.
using ChunkObserver = std::function<bool(const SampleSet& chunk, const PostImpactSet& so_far)>;

/// Told how a longer computation comes on (done of total, what it does); returns false to stop it.
using StageObserver =
    std::function<bool(const std::string& stage, std::uint64_t done, std::uint64_t total)>;

/// Runs Algorithm 2 for trajectories [0, M). Without an observer it samples all of them.
/// @throws InputError if problem or options break a rule; RunError if the device fails
PostImpactSet post_impact_set(const ImpactProblem& problem, const SamplingOptions& options,
                              const ChunkObserver& observer = {});

/// The same from where `start`, which an earlier run left, ends: with the bits of a single run.
/// Evidence that `start` holds was about fewer trajectories: it is dropped, and sought members
/// leave the net. Without `start`, the run begins.
///
/// Where evidence.miss is above 0, M doubles, beginning with options.trajectories, until a hold-out
/// test bounds the miss probability by evidence.miss, or the budget ends. Test j of a run has the
/// confidence 1 - delta / (j (j + 1)), so that all together fail with probability delta at most.
/// On return set.summary.trajectories says how many trajectories it took, and set.certificate what
/// the tests found; where an observer stopped the run, there is no certificate. What else
/// `evidence` asks for is add_evidence()'s.
/// @param stages told of "sampling", before M is sampled, with M as total, and of "hold-out"
/// @throws InputError if problem, options or evidence break a rule, `start` is not of this run, or
/// the budget is too small for a single test; RunError if the device fails
PostImpactSet grow(const ImpactProblem& problem, const SamplingOptions& options,
                   std::optional<PostImpactSet> start, const EvidenceOptions& evidence = {},
                   const ChunkObserver& observer = {}, const StageObserver& stages = {});

/// Adds to a complete set what `evidence` asks for, in this order: sought extremes (they join the
/// net), hold-out certificate (unless the set has one), comparison laws, selection, check of the
/// net. Where the observer stops it, the set keeps what was found until then.
/// @throws InputError if problem, options or evidence break a rule, the set is not complete, or the
/// selection is larger than the set; RunError if the device fails
void add_evidence(const ImpactProblem& problem, const SamplingOptions& options,
                  const EvidenceOptions& evidence, PostImpactSet& set,
                  const StageObserver& observer = {});

}  // namespace carom
