#include "python/bindings/post_impact_set.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <utility>

#include "carom/result_io.hpp"
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

nb::dict status_of(const Summary& summary) {
  nb::dict counts;
  for (int status = 0; status < status_count; ++status) {
    counts[status_name(static_cast<Status>(status))] =
        summary.status_counts[static_cast<std::size_t>(status)];
  }
  return counts;
}

void bind_summary(nb::module_& module) {
  nb::class_<Summary> summary(module, "Summary",
                              "Everything counted over a run. Ranges are of its trajectories.");
  def_ranges(summary, [](const Summary& self) -> const OutcomeRanges& { return self; }, "the outcomes");
  summary
      .def_ro("trajectories", &Summary::trajectories)
      .def_prop_ro("outcomes", &Summary::outcomes)
      .def_prop_ro("status", &status_of, nb::sig("def status(self) -> dict[str, int]"),
                   "trajectories by how they ended")
      .def_ro("final_steps", &Summary::final_steps)
      .def_ro("lcps", &Summary::lcps, "of Algorithm 1, all trajectories")
      .def_ro("max_lcps", &Summary::max_lcps, "of one trajectory")
      .def_prop_ro("mean_lcps", &Summary::mean_lcps, "per trajectory")
      .def_ro("lcp_histogram", &Summary::lcp_histogram, "trajectories with 0, 1, ... LCPs")
      .def_ro("pivots", &Summary::pivots)
      .def_ro("retries", &Summary::retries, "LCPs that double precision could not decide")
      .def_ro("table_hits", &Summary::table_hits, "LCPs that a table served")
      .def_ro("energy_before", &Summary::energy_before, "J")
      .def_prop_ro("mean_energy", &Summary::mean_energy, "of the outcomes, J")
      .def_prop_ro("checksum",
                   [](const Summary& self) { return fmt::format("{:016x}", self.checksum); },
                   "of all rows, as the command line prints it")
      .def_ro("seconds", &Summary::seconds, "spent sampling");
}

/// The search of a set, with the modes that only its outcomes have.
struct NamedSearch {
  NetSearch search;
  int velocities;
  std::vector<CountedMode> modes;
};

void bind_search(nb::module_& module) {
  nb::class_<NamedSearch>(module, "NetSearch",
                          "What an exploration after the trajectories found beyond them.")
      .def_prop_ro("lcps", [](const NamedSearch& self) { return self.search.lcps; })
      .def_prop_ro("outcomes", [](const NamedSearch& self) { return self.search.outcomes; },
                   "its trajectories that were separated")
      .def_prop_ro("members", [](const NamedSearch& self) { return self.search.members; },
                   "of its outcomes that joined the net")
      .def_prop_ro("farthest", [](const NamedSearch& self) { return self.search.farthest; },
                   "greatest distance of its outcomes to the net before it")
      .def_prop_ro("islands_apart", [](const NamedSearch& self) { return self.search.islands_apart; },
                   "greatest distance of an outcome that half of the search found to all others")
      .def_prop_ro("settled", [](const NamedSearch& self) { return self.search.settled; },
                   "whether an exploration would end here")
      .def_prop_ro("velocity",
                   [](const NamedSearch& self) {
                     const auto nv = static_cast<std::size_t>(self.velocities);
                     return own(std::vector<double>(self.search.velocity),
                                {self.search.velocity.size() / nv, nv});
                   },
                   nb::rv_policy::move,
                   "(rows, nv): its outcomes outside the net before, and at ends of contact speeds "
                   "and directions beyond all others")
      .def_ro("modes", &NamedSearch::modes,
              "contact modes that only its outcomes have; counts are of rows")
      .def("__repr__", [](const NamedSearch& self) {
        return fmt::format("NetSearch({} members, {} LCPs)", self.search.members, self.search.lcps);
      });
}

NamedSet run(nb::object problem, nb::dict arguments, nb::object output, bool force,
             nb::object progress) {
  Scenario scenario = read_subject(problem);
  scenario.explore.reset();  // this call samples
  const bool has_output = !output.is_none();
  apply(arguments, scenario, has_output);
  settle_outputs(scenario);
  const bool shown = shows_progress(progress);
  std::string file;
  if (has_output) {
    file = path_of("output", output);
    check_output(file, force, {"output", "force=True"});
  }
  return long_call([&](const std::function<bool()>& stop) {
    std::optional<ResultWriter> writer;
    if (!file.empty()) writer.emplace(file, scenario);
    PostImpactSet set =
        run_sampling(scenario, std::nullopt, writer ? &*writer : nullptr, {shown, stop});
    return NamedSet{std::move(scenario), std::move(set)};
  });
}

/// A file as it is: its rows are read when they are asked for.
struct ResultFile {
  std::string path;
  NamedSet named;
  std::string version;
};

ResultFile read(nb::object path) {
  std::string file = path_of("path", path);
  const nb::gil_scoped_release unlocked;
  Result result = read_result(file);
  return {std::move(file),
          NamedSet{std::move(result.scenario), std::move(result.set)},
          std::move(result.version)};
}

SampleSet read_rows(const ResultFile& file) {
  const nb::gil_scoped_release unlocked;
  const std::uint64_t stored =
      std::min(file.named.set.summary.trajectories, file.named.scenario.storage.samples);
  return read_samples(file.path, 0, stored);
}

void bind_result(nb::module_& module) {
  nb::class_<ResultFile>(module, "Result", "A result file; see read().")
      .def_ro("path", &ResultFile::path)
      .def_prop_ro("scenario", [](const ResultFile& self) { return self.named.scenario; })
      .def_prop_ro("set", [](const ResultFile& self) -> const NamedSet& { return self.named; },
                   nb::rv_policy::reference_internal)
      .def_prop_ro("samples", &read_rows, "the rows that the file keeps, read anew each time")
      .def_prop_ro("sampled", [](nb::handle self) { return sampled(self, "of_result"); },
                   nb::sig("def sampled(self) -> carom.sets.SampledSet"),
                   "every outcome that the file holds, its rows among them, as a SampledSet")
      .def_ro("version", &ResultFile::version, "of Carom that wrote it")
      .def("__repr__", [](const ResultFile& self) {
        return fmt::format("Result(\"{}\", system=\"{}\")", self.path, self.named.scenario.system);
      });
  module.def("read", &read, "path"_a.none());
}

std::vector<Answer> answers_of(const NamedSet& self) {
  return answers(self.scenario.problem, self.scenario.evidence.outputs, self.set,
                 self.scenario.sampling.termination_tolerance);
}

}  // namespace

void bind_post_impact_set(nb::module_& module) {
  bind_summary(module);
  bind_search(module);
  nb::class_<NamedSet> set(module, "PostImpactSet", "The approximate post-impact set of a problem.");
  def_ranges(
      set, [](const NamedSet& self) { return ranges_of(self.scenario.problem, self.set); },
      "all outcomes, also those of searches");
  def_geometry(set, "of_set");
  set.def_ro("scenario", &NamedSet::scenario)
      .def_prop_ro("net", [](const NamedSet& self) -> const EpsilonNet& { return self.set.net; },
                   nb::rv_policy::reference_internal)
      .def_prop_ro("summary", [](const NamedSet& self) -> const Summary& { return self.set.summary; },
                   nb::rv_policy::reference_internal)
      .def_prop_ro("modes",
                   [](const NamedSet& self) {
                     return counted_modes(self.scenario.problem, self.set.modes, true);
                   },
                   "the most frequent first")
      .def_prop_ro("notes", [](const NamedSet& self) { return note_dicts(self.set.notes); },
                   nb::sig("def notes(self) -> list[dict[str, str]]"),
                   "what to know beside the numbers: code, severity and text of each note")
      .def_prop_ro("certificate", [](const NamedSet& self) { return self.set.certificate; },
                   "None where no test was asked for")
      .def_prop_ro("audit", [](const NamedSet& self) { return self.set.audit; },
                   "of steps whose solutions were found along lines; None for other methods")
      .def_prop_ro("comparison", [](const NamedSet& self) { return self.set.comparison.outcomes; },
                   "outcomes of the simultaneous and the sequential law")
      .def_prop_ro("comparison_note", [](const NamedSet& self) { return self.set.comparison.note; },
                   "what the comparison did not find, if anything")
      .def_prop_ro("sought", [](const NamedSet& self) { return self.set.sought; })
      .def_prop_ro("search",
                   [](const NamedSet& self) -> std::optional<NamedSearch> {
                     if (!self.set.search || self.set.search->lcps == 0) return std::nullopt;
                     const ImpactProblem& problem = self.scenario.problem;
                     return NamedSearch{*self.set.search, problem.velocities(),
                                        counted_modes(problem, searched_modes(problem, self.set), false)};
                   },
                   "what an exploration found beyond the trajectories; None where there was none")
      .def_prop_ro("answers",
                   [](const NamedSet& self) {
                     return answer_dicts(answers_of(self));
                   },
                   nb::sig(answers_sig), answers_doc)
      .def_prop_ro("directions",
                   [](const NamedSet& self) {
                     return direction_dicts(
                         output_ends(self.scenario.evidence.outputs, self.set));
                   },
                   nb::sig("def directions(self) -> list[dict[str, typing.Any]]"),
                   "of each direction that was asked for: name, direction (nv,), and the least and the "
                   "greatest value found, found_low and found_high")
      .def_prop_ro("bound",
                   [](const NamedSet& self) { return named(self.set.bound, self.scenario.problem, answers_of(self)); },
                   "what can not happen, beside what did; None where it was not asked for")
      .def_prop_ro("selection", [](const NamedSet& self) { return self.set.selection; })
      .def_prop_ro("net_check", [](const NamedSet& self) { return self.set.net_check; })
      .def_prop_ro("complete", [](const NamedSet& self) { return self.set.complete; })
      .def_prop_ro("psi", [](const NamedSet& self) { return self.set.psi; })
      .def_prop_ro("final_cap", [](const NamedSet& self) { return self.set.final_cap; }, "N·s")
      .def_prop_ro("backend", [](const NamedSet& self) { return backend_name(self.set.backend); })
      .def_prop_ro("device", [](const NamedSet& self) { return self.set.device; })
      .def("__repr__", [](const NamedSet& self) {
        return fmt::format("PostImpactSet({} outcomes of {} trajectories, net of {} members{})",
                           self.set.summary.outcomes(), self.set.summary.trajectories,
                           self.set.net.size(), self.set.complete ? "" : ", incomplete");
      });
  module.def("post_impact_set", &run, "problem"_a.none(), "options"_a, "output"_a.none(),
             "force"_a, "progress"_a.none());
  bind_result(module);
}

}  // namespace carom::python
