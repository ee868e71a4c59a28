#include "carom/law_sets.hpp"

#include <utility>

#include "carom/options.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"
#include "python/bindings/post_impact_set.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

std::vector<double> read_restitutions(nb::handle values) {
  if (values.is_none()) return {};
  const Eigen::VectorXd list = read_vector("restitutions", values);
  return {list.begin(), list.end()};
}

nb::dict laws(nb::object problem, nb::dict arguments, nb::handle restitutions) {
  Scenario scenario = read_subject(problem);
  scenario.explore.reset();
  scenario.sampling.epsilon = {};    // that of the scenario is for one law
  scenario.sampling.max_steps = {};  // laws with restitution need more
  apply_stated(arguments, scenario);  // what is left to Carom, each law chooses for itself
  const std::vector<double> wanted = read_restitutions(restitutions);
  LawSets found = long_call([&](const std::function<bool()>& stop) {
    return sets_of_laws(scenario.problem, scenario.sampling, wanted,
                        [&](std::size_t, std::size_t) { return !stop(); });
  });
  nb::list entries;
  for (LawSet& one : found.laws) {
    nb::dict entry;
    entry["law"] = law_name(one.sampling.law);
    entry["restitution"] = nb::none();
    if (one.restitution) entry["restitution"] = own(std::move(*one.restitution));
    entry["refusal"] = one.refusal;
    Scenario own_scenario = scenario;
    own_scenario.problem = std::move(one.problem);
    own_scenario.sampling = std::move(one.sampling);
    own_scenario.evidence = {};
    entry["set"] = one.set ? nb::cast(NamedSet{std::move(own_scenario), std::move(*one.set)})
                           : nb::none();
    entries.append(entry);
  }
  nb::dict result;
  result["norm"] = norm_name(scenario.sampling.norm);
  result["laws"] = entries;
  result["inside"] = own(RowMatrix(found.inside));
  result["farthest"] = own(RowMatrix(found.farthest));
  return result;
}

}  // namespace

void bind_law_sets(nb::module_& module) {
  module.def("laws", &laws, "problem"_a.none(), "options"_a, "restitutions"_a.none());
}

}  // namespace carom::python
