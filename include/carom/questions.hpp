#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/bounds.hpp"
#include "carom/extremes.hpp"
#include "carom/impact_problem.hpp"
#include "carom/outputs.hpp"

namespace carom {

/// The answer to a Question. What is beyond the value by no more than `tolerance` is not beyond it.
struct Answer {
  enum class Verdict : std::uint8_t {
    open,       ///< neither yes nor no
    no_within,  ///< proved of OuterBound::steps steps at most
    no,         ///< proved, of the bound's scope: after any number of steps, no outcome does
    yes,        ///< an outcome that was found shows it; never with a bound of the inclusion
  };

  std::string question;  ///< its text
  Verdict verdict = Verdict::open;
  bool greater = true;     ///< than its value, or less
  double found = 0.0;      ///< how far outcomes reach that were found; NaN without one
  double bound = 0.0;      ///< how far outcomes reach at most, of no_within in so many
                           ///< steps; NaN without a bound
  double tolerance = 0.0;  ///< what the residual and the termination tolerance of a step explain
};

/// Calls visit(name, pointer to member of Answer) for each number of an answer, as files, JSON and
/// Python name it.
template <class Visit>
void for_each_answer_number(const Visit& visit) {
  visit("found", &Answer::found);
  visit("bound", &Answer::bound);
  visit("tolerance", &Answer::tolerance);
}

/// The answers to the questions of `outputs`, in their order.
/// @param problem validated
/// @param ends of the outputs, in their order; empty without outcomes
/// @param bound nullptr: nothing is proved; nor is it by a bound with Verified::no
/// @param termination_tolerance m/s, of the outcomes
/// @throws InputError if sizes differ
std::vector<Answer> answers(const ImpactProblem& problem, const Outputs& outputs,
                            const std::vector<OutputEnds>& ends, const OuterBound* bound,
                            double termination_tolerance);

/// The ends of the outputs among rows of velocities (n x nv). @throws InputError if nv differs
std::vector<OutputEnds> output_ends(const Outputs& outputs, const RowMatrixView& velocities);

/// The ends of the outputs among the outcomes that were compared with their bound.
std::vector<OutputEnds> output_ends(const Outputs& outputs, const BoundCheck& check);

/// The verdicts, from that which tells least to that which tells most.
inline constexpr Answer::Verdict all_verdicts[] = {
    Answer::Verdict::open, Answer::Verdict::no_within, Answer::Verdict::no, Answer::Verdict::yes};

/// Names in files, reports and Python: "yes", "no", "no_within" or "open".
const char* verdict_name(Answer::Verdict verdict);

}  // namespace carom
