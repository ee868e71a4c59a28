#include "carom/sample_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "carom/error.hpp"
#include "carom/progress_bar.hpp"
#include "carom/sampler.hpp"
#include "carom/version.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/columns.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

SampleSet sample_problems(const std::vector<ImpactProblem>& problems,
                          const SamplingOptions& options, nb::handle progress) {
  const bool shown = shows_progress(progress);
  return long_call([&](const std::function<bool()>& stop) {
    std::optional<ProgressBar> bar;
    return sample(problems, options, [&](std::uint64_t done, std::uint64_t total) {
      if (!bar && done > 0) bar.emplace(0, total, shown);  // 0: a pilot
      if (bar) bar->update(done, done);
      return !stop();
    });
  });
}

SampleSet sample_any(nb::object problems, nb::dict options, nb::object progress) {
  const Subjects subjects = read_subjects(problems, options);
  return sample_problems(subjects.problems, subjects.sampling, progress);
}

nb::dict status_counts(const SampleSet& samples) {
  std::array<std::size_t, status_count + 1> counts{};
  for (const Status status : samples.status) ++counts.at(static_cast<std::size_t>(status));
  nb::dict named;
  for (std::size_t status = 0; status < counts.size(); ++status) {
    if (counts[status] > 0) named[status_name(static_cast<Status>(status))] = counts[status];
  }
  return named;
}

/// For pickle: version, size, first row, numbers of the shape, and columns.
nb::tuple state_of(const SampleSet& samples) {
  nb::list columns;
  for_each_column(
      [&](const ColumnInfo&, const auto& column) {
        columns.append(bytes_of(column));
      },
      samples);
  return nb::make_tuple(version(), samples.size(), samples.first,
                        nb::make_tuple(samples.velocities, samples.contacts,
                                       samples.tangent_dimension, samples.counts_solutions,
                                       static_cast<int>(samples.step)),
                        columns);
}

void restore(SampleSet* place, const nb::tuple& state) {
  if (state.size() != 5 || nb::cast<std::string>(state[0]) != version()) {
    throw InputError("pickled samples are those of another version of Carom");
  }
  SampleSet samples;
  const auto shape = nb::cast<nb::tuple>(state[3]);
  const RowShape rows{.velocities = nb::cast<int>(shape[0]),
                      .contacts = nb::cast<int>(shape[1]),
                      .tangent_dimension = nb::cast<int>(shape[2]),
                      .counts_solutions = nb::cast<bool>(shape[3]),
                      .step = static_cast<StepKind>(nb::cast<int>(shape[4]))};
  samples.resize(rows, nb::cast<std::size_t>(state[1]));
  samples.first = nb::cast<std::uint64_t>(state[2]);
  const auto columns = nb::cast<nb::list>(state[4]);
  std::size_t next = 0;
  for_each_column(
      [&](const ColumnInfo&, auto& column) {
        const std::size_t wanted = column.size();
        read_bytes(nb::cast<nb::bytes>(columns[next++]), column);
        if (column.size() != wanted) throw InputError("pickled samples are damaged");
      },
      samples);
  new (place) SampleSet(std::move(samples));
}

constexpr const char* samples_doc =
    R"(Trajectories of a run, one row each; of several problems, problem by problem.

The arrays are views of this object's memory, without copies and writable: they are the caller's to
change, and keep the memory alive. `len(samples)` is the number of rows.)";

}  // namespace

void bind_sample_set(nb::module_& module) {
  nb::class_<SampleSet> type(module, "SampleSet", samples_doc);
  bind_columns(
      type, [](SampleSet& samples) -> SampleSet& { return samples; },
      [](const SampleSet& samples) -> const RowShape& { return samples; },
      [](nb::handle self, auto* numbers, const auto& shape) {
        return nb::cast(view_of(self, numbers, shape));
      });
  type.def("__len__", &SampleSet::size)
      .def_ro("first", &SampleSet::first, "index of the first row's trajectory")
      .def_ro("velocities", &SampleSet::velocities, "nv")
      .def_ro("contacts", &SampleSet::contacts, "m")
      .def_ro("tangent_dimension", &SampleSet::tangent_dimension, "d")
      .def_prop_ro("outcomes", [](const SampleSet& self) { return own(self.outcomes()); },
                   nb::rv_policy::move, "(outcomes, nv): the velocities with status 0, a copy")
      .def_prop_ro(
          "checksum",
          [](const SampleSet& self) {
            const nb::gil_scoped_release unlocked;
            return fmt::format("{:016x}", checksum(self));
          },
          "of all rows, 16 hexadecimal digits, as the command line prints it")
      .def_prop_ro("status_counts", &status_counts,
                   "rows by the name of their status; a name that no row has is left out")
      .def("__getstate__", &state_of)
      .def("__setstate__", &restore)
      .def("__repr__", [](const SampleSet& self) {
        const auto outcomes = std::count(self.status.begin(), self.status.end(), Status::separated);
        return fmt::format("SampleSet({} trajectories, {} outcomes, {} velocities, {} contacts)",
                           self.size(), outcomes, self.velocities, self.contacts);
      });
  module.def("sample", &sample_any, "problem"_a.none(), "options"_a, "progress"_a.none());
  nb::list names;
  for (int status = 0; status <= status_count; ++status) {  // with ImpactLaw's bad_input
    names.append(status_name(static_cast<Status>(status)));
  }
  module.attr("STATUS") = nb::tuple(names);
}

}  // namespace carom::python
