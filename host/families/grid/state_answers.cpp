#include "host/families/grid/state_answers.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "carom/error.hpp"
#include "host/bounds/proof_work.hpp"
#include "host/evidence/joined_ends.hpp"
#include "host/sampling/observed_stages.hpp"

namespace carom {
namespace {

bool is_settled(const Answer& answer) {
  return answer.verdict == Answer::Verdict::yes || answer.verdict == Answer::Verdict::no;
}

void add_asked(const ImpactProblem& problem, const std::string& question, Outputs& outputs) {
  add_question(problem, question, outputs);
  require_own_names(outputs, problem);
  validate(outputs, problem);
}

Outputs without_questions(Outputs outputs) {
  outputs.questions.clear();
  return outputs;
}

}  // namespace

Outputs asked_outputs(const GridSpec& spec, const ImpactProblem& problem, const Outputs& named) {
  Outputs outputs = without_questions(named);
  for (const std::string& text : spec.ask) add_asked(problem, text, outputs);
  return outputs;
}

BoundOptions bound_options(const GridSpec& spec) {
  BoundOptions options = spec.family.base().evidence.bound.value_or(BoundOptions{});
  options.termination_tolerance = spec.sampling.termination_tolerance;
  return options;
}

std::map<Answer::Verdict, std::uint64_t> count_answers(const std::vector<GridState>& states,
                                                       std::size_t question) {
  std::map<Answer::Verdict, std::uint64_t> counts;
  for (const Answer::Verdict verdict : all_verdicts) counts[verdict] = 0;
  for (const GridState& state : states) {
    if (state.colliding != 0) ++counts[state.answers.at(question).verdict];
  }
  return counts;
}

StateAnswers::StateAnswers(const GridSpec& spec, const ReadMember& member)
    : spec_(spec),
      member_(member),
      options_(bound_options(spec)),
      outputs_(without_questions(member.outputs)) {
  for (const std::string& text : spec.ask) {
    try {  // the scenario's own problem takes it; here a contact may be missing
      Outputs with = outputs_;
      add_asked(member.problem, text, with);
      place_.emplace_back(outputs_.questions.size());
      outputs_ = std::move(with);
    } catch (const InputError&) {
      place_.emplace_back(std::nullopt);
    }
  }
}

void StateAnswers::add(const SampleSet& rows) {
  if (outputs_.questions.empty()) return;
  const RowMatrix outcomes = rows.outcomes();
  ends_ = joined_ends(std::move(ends_),
                      output_ends(outputs_, {outcomes.data(), outcomes.rows(), outcomes.cols()}));
}

std::vector<Answer> StateAnswers::take(const std::function<bool()>& stops) {
  const bool of_inclusion = options_.scope == BoundScope::inclusion;
  std::vector<Answer> known = known_by(nullptr);
  if (of_inclusion) {
    for (Answer& answer : known) answer.verdict = Answer::Verdict::open;
  }
  std::optional<OuterBound> proved;
  if (!std::ranges::all_of(known, is_settled) && has_bound(member_.problem, spec_.sampling.law)) {
    proved = bound(known, stops);
    known = known_by(&*proved);
  }
  if (!of_inclusion && !std::ranges::all_of(known, is_settled)) {
    search(known, stops);
    known = known_by(proved ? &*proved : nullptr);
  }
  constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
  std::vector<Answer> all;
  for (std::size_t i = 0; i < spec_.ask.size(); ++i) {
    all.push_back(place_[i] ? known[*place_[i]]
                            : Answer{.question = spec_.ask[i],
                                     .found = not_known,
                                     .bound = not_known,
                                     .tolerance = not_known});
  }
  return all;
}

std::vector<Answer> StateAnswers::known_by(const OuterBound* bound) const {
  return answers(member_.problem, outputs_, ends_, bound, spec_.sampling.termination_tolerance);
}

OuterBound StateAnswers::bound(const std::vector<Answer>& known,
                               const std::function<bool()>& stops) const {
  std::set<std::size_t> wanted;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (!is_settled(known[i])) wanted.insert(outputs_.questions[i].output);
  }
  BoundOptions options = options_;
  options.stated_alone = true;
  for (const std::size_t output : wanted) {
    options.directions.push_back(
        {outputs_.names[output], outputs_.matrix.row(static_cast<Eigen::Index>(output))});
  }
  try {
    return outer_bound_here(member_.problem, options, spec_.sampling.law, {.stops = stops});
  } catch (const OutOfWork&) {
    throw StageStopped{};
  }
}

void StateAnswers::search(const std::vector<Answer>& known, const std::function<bool()>& stops) {
  const bool varies_caps = std::holds_alternative<law::SetValued>(spec_.sampling.law);
  if (!varies_caps || has_restitution(member_.problem) || ends_.empty()) return;
  std::set<std::pair<std::size_t, bool>> wanted;  // output, and whether its greatest end
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Question& question = outputs_.questions[i];
    if (is_settled(known[i])) continue;
    wanted.emplace(question.output, question.greater);
    if (question.absolute) wanted.emplace(question.output, !question.greater);
  }
  std::vector<SoughtOutcome> objectives;
  for (const auto& [output, greatest] : wanted) {
    const Eigen::VectorXd row = outputs_.matrix.row(static_cast<Eigen::Index>(output));
    objectives.push_back({.objective = outputs_.names[output],
                          .greatest = greatest,
                          .direction = {row.begin(), row.end()}});
  }
  SamplingOptions options = spec_.sampling;
  options.problem_id += static_cast<std::uint32_t>(member_.member);
  options.threads = 1;  // others work on other states
  options.backend = Backend::cpu;
  const std::vector<SoughtOutcome> found =
      search_ends(member_.problem, resolved(options, member_.problem), std::move(objectives),
                  [&](std::uint64_t, std::uint64_t) { return !stops(); });
  auto end = wanted.begin();
  for (const SoughtOutcome& sought : found) {
    OutputEnds& its = ends_.at((end++)->first);
    its.found_low = std::min(its.found_low, sought.found);
    its.found_high = std::max(its.found_high, sought.found);
  }
}

}  // namespace carom
