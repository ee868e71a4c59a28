#include "carom/explore.hpp"

#include "carom/progress_bar.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

struct NamedExploration {
  Exploration found;
  Scenario scenario;
  std::uint64_t budget;
};

/// The numbers of a member's script: caps (steps, m) as parts of h, and selections (steps,).
nb::tuple script_of(const NamedExploration& self, std::size_t member) {
  if (member >= self.found.scripts.size()) throw nb::index_error("member is beyond the net");
  const std::vector<double>& numbers = self.found.scripts[member];
  const Eigen::Index width = self.scenario.problem.contacts() + 1;
  const Eigen::Map<const RowMatrix> steps(numbers.data(),
                                          static_cast<Eigen::Index>(numbers.size()) / width, width);
  return nb::make_tuple(own(RowMatrix(steps.leftCols(width - 1))),
                        own(Eigen::VectorXd(steps.rightCols(1))));
}

nb::list ends_of(const NamedExploration& self) {
  nb::list list;
  for (const ExploredEnd& end : self.found.ends) {
    nb::dict entry;
    entry["contact"] = self.scenario.problem.contact_names[static_cast<std::size_t>(end.contact)];
    entry["axis"] = end.axis == 0 ? "normal" : "tangential " + std::to_string(end.axis);
    entry["greatest"] = end.greatest;
    entry["speed"] = end.speed;
    entry["velocity"] = own(Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(end.velocity.data(),
                                          static_cast<Eigen::Index>(end.velocity.size()))));
    list.append(entry);
  }
  return list;
}

NumpyArray<double> path_of_member(const NamedExploration& self, std::size_t member) {
  if (member >= self.found.scripts.size()) throw nb::index_error("member is beyond the net");
  const std::vector<double> velocities =
      replay(self.scenario.problem, self.scenario.sampling, self.found.scripts[member]);
  const Eigen::Index nv = self.scenario.problem.velocities();
  const Eigen::Map<const RowMatrix> rows(velocities.data(),
                                         static_cast<Eigen::Index>(velocities.size()) / nv, nv);
  return own(RowMatrix(rows));
}

NamedExploration find(nb::handle problem, nb::dict arguments, nb::handle budget, nb::handle slots,
                      nb::handle progress) {
  Scenario scenario = read_subject(problem);
  apply(arguments, scenario);
  resolve(scenario);
  ExploreOptions options;
  constexpr std::uint64_t most = std::uint64_t{1} << 50;
  options.budget = read_integer("budget", budget, 1000, most);
  options.slots = read_integer("slots", slots, 0, std::uint64_t{1} << 20);
  const bool shown = shows_progress(progress);
  Exploration found = long_call([&](const std::function<bool()>& stop) {
    ProgressBar bar(0, options.budget, shown, "exploring");
    return explore(scenario.problem, scenario.sampling, options,
                   [&](std::uint64_t done, std::uint64_t) {
                     bar.update(done, 0);
                     return !stop();
                   });
  });
  return {std::move(found), std::move(scenario), options.budget};
}

}  // namespace

void bind_explore(nb::module_& module) {
  nb::class_<NamedExploration>(module, "Exploration",
                               "Outcomes that a search found (docs/explore.md). Shares of them are "
                               "no probabilities.")
      .def_ro("scenario", &NamedExploration::scenario)
      .def_prop_ro("net",
                   [](const NamedExploration& self) -> const EpsilonNet& { return self.found.net; },
                   nb::rv_policy::reference_internal)
      .def_prop_ro(
          "sampled",
          [](nb::handle self) {
            return nb::module_::import_("carom.sets").attr("of_exploration")(self);
          },
          nb::sig("def sampled(self) -> carom.sets.SampledSet"),
          "the members and the ends as a SampledSet")
      .def("script", &script_of, "member"_a,
           nb::sig("def script(self, member: int) -> tuple[numpy.ndarray, numpy.ndarray]"),
           "What leads to a member of the net: caps (steps, m) as parts of h, and the numbers "
           "(steps,) that select among several solutions.")
      .def("path", &path_of_member, "member"_a,
           nb::sig("def path(self, member: int) -> numpy.ndarray"),
           "The velocities (steps, nv) after the steps that lead to a member, computed again.")
      .def_prop_ro("ends", &ends_of,
                   "the greatest and the least speed along each contact axis of all outcomes: "
                   "contact, axis, greatest, speed (m/s) and velocity (nv,)")
      .def_prop_ro("lcps", [](const NamedExploration& self) { return self.found.state.lcps; })
      .def_ro("budget", &NamedExploration::budget, "LCPs")
      .def_prop_ro("rounds", [](const NamedExploration& self) { return self.found.state.rounds; })
      .def_prop_ro("outcomes", [](const NamedExploration& self) { return self.found.outcomes; },
                   "trajectories that were separated")
      .def_prop_ro("members_new",
                   [](const NamedExploration& self) { return self.found.members_new; },
                   "of the last doubling of the LCPs")
      .def_prop_ro("islands_cover",
                   [](const NamedExploration& self) { return self.found.state.islands_cover; },
                   "share of one search's members within epsilon of the other's")
      .def_prop_ro("growth", [](const NamedExploration& self) { return self.found.state.growth; },
                   "new members of the last doubling, as a share of those before")
      .def_prop_ro("support_moved",
                   [](const NamedExploration& self) { return self.found.state.support_moved; },
                   "by which the farthest contact speed moved in it, m/s")
      .def_prop_ro("stopped", [](const NamedExploration& self) { return self.found.stopped; },
                   "why the search ended, and what had not settled")
      .def("__repr__", [](const NamedExploration& self) {
        return "Exploration(net of " + std::to_string(self.found.net.size()) + " members, " +
               std::to_string(self.found.state.lcps) + " LCPs, " + self.found.stopped + ")";
      });
  module.def("explore", &find, "problem"_a, "arguments"_a, "budget"_a, "slots"_a, "progress"_a.none());
}

}  // namespace carom::python
