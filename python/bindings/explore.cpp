#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "carom/exploration_io.hpp"
#include "carom/explore.hpp"
#include "carom/outputs.hpp"
#include "carom/run_sampling.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/bounds.hpp"
#include "python/bindings/directions.hpp"
#include "python/bindings/found_set.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/notes.hpp"
#include "python/bindings/options.hpp"
#include "python/bindings/outcome_modes.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

struct NamedExploration {
  Exploration found;
  Scenario scenario;

  std::vector<double> script(std::size_t member) const {
    if (member >= found.origins.size()) throw nb::index_error("member is beyond the net");
    return found.script(found.origins[member]);
  }
  std::vector<double> script(const std::string& end) const {
    return found.script(
        found_outcome(end, scenario.problem, scenario.evidence.outputs, found).origin);
  }
};

/// What leads to an outcome: caps (steps, m) as parts of h, other numbers that choose (steps,) or
/// (steps, numbers), and how often each step is repeated (steps,).
template <class Which>
nb::tuple script_of(const NamedExploration& self, const Which& which) {
  const std::vector<double> numbers = self.script(which);
  const bool has_caps = std::holds_alternative<law::SetValued>(self.scenario.sampling.law);
  const Eigen::Index m = has_caps ? self.scenario.problem.contacts() : 0;
  const Eigen::Index repeated = self.found.most_repeats > 1 ? 1 : 0;
  const auto width = static_cast<Eigen::Index>(self.found.step_size);
  const Eigen::Map<const RowMatrix> steps(numbers.data(),
                                          static_cast<Eigen::Index>(numbers.size()) / width, width);
  const auto count = static_cast<std::size_t>(steps.rows());
  std::vector<std::uint64_t> times(count, 1);
  for (Eigen::Index s = 0; s < steps.rows() && repeated > 0; ++s) {
    times[static_cast<std::size_t>(s)] = repeats(steps(s, width - 1), self.found.most_repeats);
  }
  const RowMatrix chosen = steps.middleCols(m, width - m - repeated);
  std::vector<std::size_t> shape = {count};
  if (chosen.cols() > 1) shape.push_back(static_cast<std::size_t>(chosen.cols()));
  return nb::make_tuple(
      own(RowMatrix(steps.leftCols(m))),
      own(std::vector<double>(chosen.data(), chosen.data() + chosen.size()), shape),
      own(std::move(times), {count}));
}

nb::list ends_of(const NamedExploration& self) {
  nb::list list;
  for (const ExploredEnd& end : self.found.ends) {
    nb::dict entry;
    const ImpactProblem& problem = self.scenario.problem;
    const bool of_contact = end.contact >= 0;
    entry["name"] = end_name(end, problem, self.scenario.evidence.outputs);
    entry["contact"] = of_contact ? nb::cast(problem.contact_names[static_cast<std::size_t>(end.contact)]) : nb::none();
    entry["axis"] = of_contact ? axis_name(problem.tangent_dimension(), end.axis)
                               : self.scenario.evidence.outputs.names.at(static_cast<std::size_t>(end.axis));
    entry["greatest"] = end.greatest;
    entry["speed"] = end.speed;
    entry["velocity"] = own(Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(
        end.velocity.data(), static_cast<Eigen::Index>(end.velocity.size()))));
    list.append(entry);
  }
  return list;
}

template <class Which>
NumpyArray<double> path_to(const NamedExploration& self, const Which& which) {
  const std::vector<ReplayedStep> steps =
      replay(self.scenario.problem, self.scenario.sampling, self.script(which));
  RowMatrix rows(static_cast<Eigen::Index>(steps.size()), self.scenario.problem.velocities());
  for (std::size_t s = 0; s < steps.size(); ++s) {
    rows.row(static_cast<Eigen::Index>(s)) =
        Eigen::Map<const Eigen::RowVectorXd>(steps[s].velocity.data(), rows.cols());
  }
  return own(rows);
}

NamedExploration find(nb::handle problem, nb::dict arguments, nb::object output, bool force,
                      nb::handle progress) {
  Scenario scenario = read_subject(problem);
  if (!scenario.explore) scenario.explore.emplace();
  apply(arguments, scenario);
  settle_outputs(scenario);
  std::string file;
  if (!output.is_none()) {
    file = path_of("output", output);
    check_output(file, force, {"output", "force=True"});
  }
  const bool shown = shows_progress(progress);
  Exploration found = long_call([&](const std::function<bool()>& stop) {
    return run_exploration(scenario, std::nullopt, file, {shown, stop});
  });
  return {std::move(found), std::move(scenario)};
}

NamedExploration read_file(nb::object path) {
  const std::string file = path_of("path", path);
  const nb::gil_scoped_release unlocked;
  ExplorationResult result = read_exploration(file);
  return {std::move(result.found), std::move(result.scenario)};
}

std::vector<Note> notes_of(const NamedExploration& self) {
  std::vector<Note> list = notes(self.scenario.problem, self.scenario.sampling);
  list.insert(list.end(), self.found.notes.begin(), self.found.notes.end());
  return list;
}

std::vector<Answer> answers_of(const NamedExploration& self) {
  return answers(self.scenario.problem, self.scenario.evidence.outputs, self.found,
                 self.scenario.sampling.termination_tolerance);
}

}  // namespace

void bind_explore(nb::module_& module) {
  nb::class_<NamedExploration> exploration(
      module, "Exploration",
      "Outcomes that a search found (docs/explore.md). Shares of them are no probabilities.");
  def_ranges(
      exploration,
      [](const NamedExploration& self) { return ranges_of(self.scenario.problem, self.found); },
      "members and ends");
  def_geometry(exploration, "of_exploration");
  exploration
      .def_ro("scenario", &NamedExploration::scenario)
      .def_prop_ro(
          "net", [](const NamedExploration& self) -> const EpsilonNet& { return self.found.net; },
          nb::rv_policy::reference_internal)
      .def_prop_ro("modes",
                   [](const NamedExploration& self) {
                     const ImpactProblem& problem = self.scenario.problem;
                     return counted_modes(problem, modes_of_members(problem, self.found.net),
                                          false);
                   },
                   "contact modes of the members, the most frequent first")
      .def_prop_ro(
          "notes", [](const NamedExploration& self) { return note_dicts(notes_of(self)); },
          nb::sig("def notes(self) -> list[dict[str, str]]"),
          "what to know beside the numbers: code, severity and text of each note")
      .def(
          "script", &script_of<std::size_t>, "member"_a,
          nb::sig("def script(self, member: int) -> "
                  "tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]"),
          "What leads to a member of the net: caps (steps, m) as parts of h, the numbers (steps,) "
          "that select among several solutions, and how often each step is repeated (steps,). Laws "
          "without caps: (steps, 0), and the numbers that choose, (steps,) of a contact or a "
          "solution, (steps, 2) of both with law sequential.")
      .def("script", &script_of<std::string>, "end"_a,
           nb::sig("def script(self, end: str) -> "
                   "tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]"),
           "The same of an end, by its name.")
      .def("path", &path_to<std::size_t>, "member"_a,
           nb::sig("def path(self, member: int) -> numpy.ndarray"),
           "The velocities (steps, nv) after the steps that lead to a member, computed again.")
      .def("path", &path_to<std::string>, "end"_a,
           nb::sig("def path(self, end: str) -> numpy.ndarray"),
           "The same of an end, by its name.")
      .def_prop_ro("ends", &ends_of,
                   "the greatest and the least speed along each contact axis, and value of each "
                   "direction, of all outcomes: name (for script() and path()), contact (None: of a "
                   "direction), axis (its name), greatest, speed (m/s, or the value) and velocity "
                   "(nv,)")
      .def_prop_ro("answers",
                   [](const NamedExploration& self) {
                     return answer_dicts(answers_of(self));
                   },
                   nb::sig(answers_sig), answers_doc)
      .def_prop_ro(
          "directions",
          [](const NamedExploration& self) {
            return direction_dicts(output_ends(self.scenario.evidence.outputs, self.found));
          },
          nb::sig("def directions(self) -> list[dict[str, typing.Any]]"),
          "of each direction that was asked for: name, direction (nv,), and the least and the "
          "greatest value found, found_low and found_high")
      .def_prop_ro("lcps", [](const NamedExploration& self) { return self.found.lcps; })
      .def_prop_ro(
          "budget", [](const NamedExploration& self) { return self.scenario.explore->budget; },
          "LCPs")
      .def_prop_ro("rounds", [](const NamedExploration& self) { return self.found.rounds; })
      .def_prop_ro(
          "outcomes", [](const NamedExploration& self) { return self.found.outcomes; },
          "trajectories that were separated")
      .def_prop_ro(
          "dropped", [](const NamedExploration& self) { return self.found.dropped; },
          "trajectories that still collided after max_steps steps")
      .def_prop_ro(
          "failed", [](const NamedExploration& self) { return self.found.failed; },
          "trajectories of which a step was not solved")
      .def_prop_ro(
          "members_new", [](const NamedExploration& self) { return self.found.mark.members_new; },
          "of the last doubling of the LCPs")
      .def_prop_ro(
          "islands_cover",
          [](const NamedExploration& self) { return self.found.mark.islands_cover; },
          "share of one search's members within epsilon of the other's")
      .def_prop_ro(
          "growth", [](const NamedExploration& self) { return self.found.mark.growth; },
          "new members of the last doubling, as a share of those before")
      .def_prop_ro(
          "support_moved",
          [](const NamedExploration& self) { return self.found.mark.support_moved; },
          "by which the end that moved farthest did so in it, m/s")
      .def_prop_ro(
          "bound",
          [](const NamedExploration& self) {
            return named(self.found.bound, self.scenario.problem, answers_of(self));
          },
          "what can not happen, beside what was found; None where it was not asked for")
      .def_prop_ro(
          "settled", [](const NamedExploration& self) { return self.found.settled; },
          "whether the last doubling showed nothing new")
      .def_prop_ro(
          "complete", [](const NamedExploration& self) { return self.found.complete; },
          "whether the search ended by itself; a file of an interrupted one can be resumed")
      .def_prop_ro(
          "stopped", [](const NamedExploration& self) { return self.found.stopped; },
          "why the search ended, and what had not settled")
      .def("__repr__", [](const NamedExploration& self) {
        return "Exploration(net of " + std::to_string(self.found.net.size()) + " members, " +
               std::to_string(self.found.lcps) + " LCPs, " + self.found.stopped + ")";
      });
  module.def("explore", &find, "problem"_a.none(), "options"_a, "output"_a.none(), "force"_a,
             "progress"_a.none());
  module.def("read_exploration", &read_file, "path"_a.none());
  module.def(
      "is_exploration", [](nb::object path) { return is_exploration(path_of("path", path)); },
      "path"_a.none());
}

}  // namespace carom::python
