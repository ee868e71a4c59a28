#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "carom/bounds.hpp"
#include "carom/grid.hpp"
#include "host/families/member_sampler.hpp"

namespace carom {

/// The questions of a grid about a problem.
/// @param named outputs of its scenario, whose names the questions may have
/// @throws InputError naming the question and the rule that it breaks here
Outputs asked_outputs(const GridSpec& spec, const ImpactProblem& problem, const Outputs& named);

/// How the answers are proved: [bound] of the scenario.
BoundOptions bound_options(const GridSpec& spec);

/// The number of states by the verdict on a question, of those where some contact approaches.
/// @param question its number
std::map<Answer::Verdict, std::uint64_t> count_answers(const std::vector<GridState>& states,
                                                       std::size_t question);

/// Answers the questions of a grid for one state.
class StateAnswers {
 public:
  /// Both arguments must outlive this object.
  StateAnswers(const GridSpec& spec, const ReadMember& member);

  /// Adds trajectories of the state.
  void add(const SampleSet& rows);

  /// The answers to all questions, once all trajectories were added.
  /// @param stops asked often whether to stop, by any thread
  /// @throws StageStopped if it says so
  std::vector<Answer> take(const std::function<bool()>& stops);

 private:
  std::vector<Answer> known_by(const OuterBound* bound) const;
  /// Proves what unsettled questions are about.
  OuterBound bound(const std::vector<Answer>& known, const std::function<bool()>& stops) const;
  /// Searches the ends that unsettled questions are about.
  void search(const std::vector<Answer>& known, const std::function<bool()>& stops);

  const GridSpec& spec_;
  const ReadMember& member_;
  BoundOptions options_;
  Outputs outputs_;  // and the questions that can be asked of this state
  std::vector<std::optional<std::size_t>> place_;  // among these, of each question of the grid
  std::vector<OutputEnds> ends_;
};

}  // namespace carom
