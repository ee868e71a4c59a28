#include "carom/options.hpp"
#include "carom/propagative.hpp"

#include "python/bindings/arrays.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

nb::dict verdict_dict(const PropagativeOutcomes& found) {
  const PropagativeVerdict& verdict = found.verdict;
  nb::dict entry;
  entry["kind"] = kind_name(verdict.kind);
  entry["pointed"] = verdict.separating_velocity.has_value();
  entry["separating_velocity"] = own(Eigen::VectorXd(*verdict.separating_velocity));
  entry["inner_products"] = own(RowMatrix(verdict.inner_products));
  entry["stages"] = own(RowMatrix(verdict.stages.cast<double>()));
  entry["bounds"] = own(RowMatrix(verdict.bounds.cast<double>()));
  entry["indeterminacy"] = found.indeterminacy;
  return entry;
}

nb::dict outcome_dict(const PropagativeOutcome& outcome) {
  nb::dict entry;
  entry["velocity"] = own(outcome.velocity);
  entry["energy"] = outcome.energy;
  entry["probability"] = outcome.probability;
  entry["sequences"] = nb::int_(nb::str(outcome.sequences.c_str()));
  entry["fewest_impacts"] = outcome.fewest_impacts;
  entry["most_impacts"] = outcome.most_impacts;
  nb::list example;
  for (const int contact : outcome.example) example.append(contact);
  entry["example"] = example;
  entry["minimal"] = outcome.minimal ? nb::cast(*outcome.minimal) : nb::none();
  return entry;
}

nb::dict list_outcomes(nb::handle subject, nb::handle restitution, nb::handle plastic,
                       nb::handle max_states) {
  Scenario scenario = read_subject(subject);
  nb::dict stated;
  stated["law"] = "propagative";
  stated["restitution"] = restitution;
  stated["plastic"] = plastic;
  apply_stated(stated, scenario);
  constexpr std::uint64_t most = 1'000'000'000;
  PropagativeOptions options;
  options.termination_tolerance = scenario.sampling.termination_tolerance;
  options.plastic = std::get<law::Propagative>(scenario.sampling.law).plastic;
  options.max_states = read_integer("max_states", max_states, 1, most);
  const PropagativeOutcomes found = [&] {
    const nb::gil_scoped_release unlocked;
    return propagative_outcomes(scenario.problem, options);
  }();
  nb::dict entry;
  entry["complete"] = found.complete;
  entry["states"] = found.states;
  nb::list outcomes;
  for (const PropagativeOutcome& outcome : found.outcomes) outcomes.append(outcome_dict(outcome));
  entry["outcomes"] = outcomes;
  entry["verdict"] = verdict_dict(found);
  return entry;
}

}  // namespace

void bind_outcomes(nb::module_& module) {
  module.def("outcomes", &list_outcomes, "problem"_a.none(), "restitution"_a.none(), "plastic"_a.none(), "max_states"_a);
}

}  // namespace carom::python
