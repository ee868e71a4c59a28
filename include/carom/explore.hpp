#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/epsilon_net.hpp"
#include "carom/impact_problem.hpp"
#include "carom/sampler.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// How far explore() goes.
struct ExploreOptions {
  std::uint64_t budget = 1'000'000;  ///< LCPs of all islands together
  /// Trajectories of a round, which is the unit of work; 0: a three-hundredth of the budget, at
  /// least 64 and at most 8,192. Smaller rounds learn sooner, larger ones use more processors.
  std::uint64_t slots = 0;
};

/// Numbers that say whether an exploration has found what it can. None of them bounds what no
/// search can reach.
struct ExplorationState {
  std::uint64_t lcps = 0;    ///< so far, of both islands
  std::uint64_t rounds = 0;  ///< of each island
  /// Share of the one island's members within epsilon of the other's, the smaller of both ways.
  double islands_cover = 0.0;
  double growth = 1.0;  ///< members that came with the last doubling of the LCPs, of those before
  double support_moved = 0.0;  ///< by which the farthest contact speed moved in that doubling, m/s
};

/// The outcome with the greatest or least speed along a contact's axis among all that were found.
struct ExploredEnd {
  int contact = 0;
  int axis = 0;  ///< 0: normal, 1 ... d: tangential
  bool greatest = true;
  double speed = 0.0;            ///< m/s
  std::vector<double> velocity;  ///< nv
  std::vector<double> script;    ///< as that of a member
};

/// Outcomes that a search found. Their shares are no probabilities.
struct Exploration {
  /// Net of all outcomes found, in the options' norm. Indices number the scripts.
  EpsilonNet net;
  /// For each member the caps that lead to it: steps x (m + 1) numbers in (0, 1], the caps as parts
  /// of h, then the number that selects among several solutions of the step.
  std::vector<std::vector<double>> scripts = {};
  /// Per contact and axis the greatest, then the least: the net shows them up to epsilon only.
  std::vector<ExploredEnd> ends = {};
  ExplorationState state = {};
  Solutions solutions = Solutions::all;  ///< that were taken: `first` instead of lines
  std::uint64_t outcomes = 0;            ///< trajectories that were separated
  std::uint64_t members_new = 0;         ///< of the last doubling of the LCPs
  bool complete = false;                 ///< false: the observer stopped the search
  /// "islands, growth and supports have settled", or at which budget it ended and what had not.
  std::string stopped = {};
};

/// Searches for the set instead of sampling its probability: a tree of steps, in which the rest of
/// the path of a rare outcome is changed and tried again. Two searches with numbers of their own
/// (islands) share the budget, and their nets are joined; the search ends where each covers 95 % of
/// the other's members, the last doubling of the LCPs brought less than 5 % new members, and no
/// contact speed's end moved by more than epsilon / 4 in it, else at the budget.
///
/// Caps are any in [1e-6 h, h]: of the options' law only `solutions` counts, which must be `all` or
/// `first`. Where all solutions would be sought along random lines, Lemke's is taken, so that
/// scripts replay. Outcomes are separated within max_steps steps; Algorithm 2's final step is never
/// used. The result depends on problem and options only, not on threads.
/// @param observer called with the LCPs so far and the budget; if it returns false, the search ends
/// @throws InputError if an option breaks a rule, the law is not the set-valued one, it takes other
/// solutions, or no contact approaches; RunError if no trajectory was separated
Exploration explore(const ImpactProblem& problem, const SamplingOptions& options,
                    const ExploreOptions& explore = {}, const SampleObserver& observer = {});

/// The velocities after each step of a script, steps x nv, from the pre-impact velocity.
/// @param script of an Exploration with the same problem and options
/// @throws InputError if its size is no multiple of m + 1
std::vector<double> replay(const ImpactProblem& problem, const SamplingOptions& options,
                           const std::vector<double>& script);

}  // namespace carom
