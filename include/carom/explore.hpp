#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "carom/bounds.hpp"
#include "carom/epsilon_net.hpp"
#include "carom/extremes.hpp"
#include "carom/impact_problem.hpp"
#include "carom/note.hpp"
#include "carom/outputs.hpp"
#include "carom/questions.hpp"
#include "carom/sampler.hpp"
#include "carom/sampling_options.hpp"
#include "carom/summary.hpp"

namespace carom {

/// How an exploration is done.
struct ExploreOptions {
  std::uint64_t budget = 1'000'000;  ///< LCPs of all islands together, >= 1000
  /// Trajectories of an island's round, which is the unit of work; 0: a three-hundredth of the LCPs
  /// so far, at least 64 and at most 8,192. Smaller rounds learn sooner, larger ones use more
  /// processors. No round, but for the first two, has more than half as many as all before it: the
  /// search goes beyond its budget by about half of it at most.
  std::uint64_t slots = 0;
  int islands = 2;  ///< searches with random numbers of their own, 2 ... 16
  /// Functions of the velocity whose ends are sought, too, beside those of contact speeds.
  Outputs outputs = {};
};

/// @throws InputError naming the option and the rule
void validate(const ExploreOptions& options);

/// Numbers that say whether an exploration has found what it can, taken at every doubling of its
/// LCPs. None of them bounds what no search can reach.
struct ExplorationMark {
  std::uint64_t lcps = 0;          ///< at which they were taken; 0: never
  std::uint64_t trajectories = 0;  ///< of all islands, with and without an outcome
  std::uint64_t members = 0;       ///< of all islands
  /// Greatest values along each contact axis, then against it, m/s; then of each output: 2 m (1 +
  /// d) + 2 p.
  std::vector<double> ends = {};
  /// Whether a large part of the slots since the mark before sought ends.
  bool ends_sought = false;
  /// Share of the one island's members within epsilon of another's, the least of all pairs.
  double islands_cover = 0.0;
  std::uint64_t members_new = 0;  ///< since the mark before
  double growth = 1.0;            ///< members_new, of those before
  /// By which the end that moved farthest did so since then, m/s; an output in units of the norm:
  /// divided by its greatest change between velocities that are 1 apart.
  double support_moved = 0.0;
};

/// The steps of one island as a tree. Node 0 is the pre-impact velocity; node i is reached from its
/// parent, which comes before it, by a step.
struct ExplorationTree {
  /// A place to start from, and what came of it.
  struct Place {
    std::uint32_t node = 0;
    std::uint32_t visits = 0;  ///< slots that started there
    std::uint32_t gain = 0;    ///< new members that they found
  };
  std::vector<std::uint32_t> parent;
  /// Of each node, the numbers of its step: see Exploration::step_size().
  std::vector<double> step;
  std::vector<Place> outcomes;           ///< members of the island's net
  std::vector<Place> states;             ///< members of its net of velocities on the way
  std::vector<std::uint32_t> end_nodes;  ///< of each end, in the order of ExplorationMark::ends
  std::uint64_t lcps = 0;
  std::uint64_t rounds = 0;
  std::uint64_t separated = 0;  ///< trajectories that were
  std::uint64_t dropped = 0;    ///< that still collided after max_steps steps
  std::uint64_t failed = 0;     ///< of which a step was not solved

  /// The numbers of the steps that lead to a node. @param step_size numbers of a step
  std::vector<double> script(std::uint32_t node, std::size_t step_size) const;
};

/// Where an outcome is reached: a node of an island's tree.
struct ExplorationOrigin {
  std::uint32_t island = 0;  ///< from 0 on
  std::uint32_t node = 0;
};

/// The outcome with the greatest or least speed along a contact's axis, or value of an output,
/// among all that were found.
struct ExploredEnd {
  int contact = 0;  ///< -1: of an output
  int axis = 0;     ///< 0: normal, 1 ... d: tangential; the number of the output
  bool greatest = true;
  double speed = 0.0;            ///< m/s, or the output's value
  std::vector<double> velocity;  ///< nv
  ExplorationOrigin origin = {};
};

/// Outcomes that a search found. Their shares are no probabilities.
struct Exploration {
  /// Net of all outcomes found, in the options' norm.
  EpsilonNet net;
  /// The trees of the islands: with them, the search can be continued.
  std::vector<ExplorationTree> trees = {};
  std::vector<ExplorationOrigin> origins = {};  ///< of the members
  /// Numbers of a step in (0, 1]: what the law draws (m caps as parts of h, contact, solution) and,
  /// if most_repeats > 1, the number that says how often the step is repeated.
  std::size_t step_size = 0;
  std::uint64_t most_repeats = 1;  ///< of a step with equal caps, see repeats()
  /// Per contact and axis the greatest, then the least, then of each output: the net shows them up
  /// to epsilon only.
  std::vector<ExploredEnd> ends = {};
  ExplorationMark mark = {};             ///< the last one
  std::uint64_t lcps = 0;                ///< so far, of all islands; impacts count as LCPs
  std::uint64_t rounds = 0;              ///< of each island
  Solutions solutions = Solutions::all;  ///< that were taken: `first` instead of lines
  std::uint64_t outcomes = 0;            ///< trajectories that were separated
  std::uint64_t dropped = 0;             ///< that still collided after max_steps steps
  std::uint64_t failed = 0;              ///< of which a step was not solved
  bool settled = false;                  ///< the last mark shows nothing new
  bool complete = false;                 ///< false: the observer stopped the search
  /// "islands, growth and ends have settled", or at which budget it ended and what had not.
  std::string stopped = {};
  std::vector<Note> notes = {};  ///< what the search leaves open
  /// Beside members and ends, where run_exploration() was asked for a bound.
  std::optional<BoundCheck> bound = {};

  /// What leads to an outcome: steps x step_size numbers.
  std::vector<double> script(const ExplorationOrigin& origin) const;
};

/// The name of an end: "A normal high", "spin low".
std::string end_name(const ExploredEnd& end, const ImpactProblem& problem, const Outputs& outputs);

/// A member of the net, or an end.
struct FoundOutcome {
  std::string name;                     ///< "member 3", or that of the end
  std::optional<std::uint64_t> member;  ///< nothing: an end
  Eigen::VectorXd velocity;             ///< nv
  ExplorationOrigin origin = {};
};

/// The member with this number, or the end with this name.
/// @throws InputError if there is none
FoundOutcome found_outcome(const std::string& which, const ImpactProblem& problem,
                           const Outputs& outputs, const Exploration& found);

/// Of members and ends.
OutcomeRanges ranges_of(const ImpactProblem& problem, const Exploration& found);

/// The least and the greatest value of each output, of members and ends: of ExploreOptions::outputs
/// the least and the greatest found, of others up to epsilon times the length of the output's row.
/// Empty if there is no outcome.
std::vector<OutputEnds> output_ends(const Outputs& outputs, const Exploration& found);

/// The answers to the questions of the outputs, by what was found and proved.
std::vector<Answer> answers(const ImpactProblem& problem, const Outputs& outputs,
                            const Exploration& found, double termination_tolerance);

/// How often a step is repeated whose last number is `number`: from 1 to `most`, smaller ones as
/// probable as larger ones on a scale of octaves.
std::uint64_t repeats(double number, std::uint64_t most);

/// Searches for the set instead of sampling its probability: a tree of steps, in which the rest of
/// the path of a rare outcome is changed and tried again. Searches with numbers of their own
/// (islands) share the budget, and their nets are joined. The search ends where each island covers
/// 95 % of the others' members, the last doubling of the LCPs brought less than 5 % new members,
/// and no end moved by more than epsilon / 4 in it although most slots sought ends (or each is
/// within epsilon of `bound`), else at the budget.
///
/// The law is any that draws something. Caps are any in [1e-6 h, h], whatever their distribution;
/// where all solutions would be sought along random lines, Lemke's is taken, as they take far
/// longer. Where h is below the stopping impulse H, steps are repeated with equal caps (phases), at
/// most 4 H / h times. Outcomes are separated within max_steps steps or phases; Algorithm 2's final
/// step is never used. The result depends on problem and options only, not on threads or backend:
/// with Backend::cuda, a GPU takes the steps.
/// @param observer called with the LCPs so far and the budget; if it returns false, the search ends
/// @param start an earlier result of the same problem and options (but for the budget), which is
/// continued: the result is that of one search
/// @param bound null, or a closed bound with any h: ends that are far from it are searched more;
/// with other laws than the set-valued one it changes nothing
/// @throws InputError if an option breaks a rule, the law draws nothing, no contact approaches, or
/// `start` is no search of this problem; RunError if no
/// trajectory was separated
Exploration explore(const ImpactProblem& problem, const SamplingOptions& options,
                    const ExploreOptions& explore = {}, const SampleObserver& observer = {},
                    std::optional<Exploration> start = std::nullopt,
                    const OuterBound* bound = nullptr);

/// One step of a script, as it was taken.
struct ReplayedStep {
  std::vector<double> caps;      ///< m, N·s; none for laws without caps
  std::uint64_t repeats = 1;     ///< that were taken
  std::vector<double> impulse;   ///< m (1 + d), N·s, of all repeats: normal, then tangential
  std::vector<double> velocity;  ///< nv, after it
};

/// Takes the steps of a script from the pre-impact velocity.
/// @param script of an Exploration with the same problem and options
/// @throws InputError if its size is no multiple of step_size, or a number is not from 0 to 1
std::vector<ReplayedStep> replay(const ImpactProblem& problem, const SamplingOptions& options,
                                 const std::vector<double>& script);

}  // namespace carom
