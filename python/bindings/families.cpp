#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>

#include "carom/dataset.hpp"
#include "carom/error.hpp"
#include "carom/grid.hpp"
#include "carom/progress_bar.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/notes.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

/// Where and how fast: what changes no bit.
void apply_machine(nb::dict arguments, FamilySpec& spec) {
  Scenario scenario = spec.family.base();
  scenario.sampling = spec.sampling;
  apply_stated(arguments, scenario);
  spec.sampling = scenario.sampling;
}

/// A specification, read by `read`; its pilots end at Ctrl-C.
template <class Spec>
Spec read_spec(Spec (*read)(const std::filesystem::path&, const StageObserver&), nb::object file) {
  const std::string place = path_of("spec", file);
  return long_call([&](const std::function<bool()>& stop) {
    return read(place, [&](const std::string&, std::uint64_t, std::uint64_t) { return !stop(); });
  });
}

nb::dict generate(nb::object file, nb::object folder, nb::dict arguments, nb::object progress) {
  DatasetSpec spec = read_spec(&read_dataset_spec, file);
  apply_machine(arguments, spec);
  const std::string place = path_of("folder", folder);
  const bool shown = shows_progress(progress);
  const DatasetSummary summary = long_call([&](const std::function<bool()>& stop) {
    std::unique_ptr<ProgressBar> bar;
    return generate_dataset(spec, place, [&](const DatasetProgress& now) {
      if (!bar) bar = std::make_unique<ProgressBar>(now.members, now.total, shown, "problems");
      bar->update(now.members, 0);
      return !stop();
    });
  });
  nb::dict result;
  result["shards"] = summary.shards;
  result["shards_found"] = summary.found;
  result["shards_damaged"] = summary.damaged;
  result["problems"] = summary.problems;
  result["skipped"] = summary.skipped;
  result["outcomes"] = summary.outcomes;
  result["short_problems"] = summary.short_problems;
  result["train"] = summary.train;
  result["validation"] = summary.validation;
  result["test"] = summary.test;
  nb::dict ends;
  for (const auto& [name, count] : summary.ends) ends[name.c_str()] = count;
  result[spec.rolled ? "rollouts" : "trajectories"] = ends;
  result["bytes"] = summary.bytes;
  result["notes"] = note_dicts(summary.notes, spec.family);
  return result;
}

template <class T, class Get>
NumpyArray<T> column(const GridResult& grid, Get&& get) {
  std::vector<T> numbers;
  for (const GridState& state : grid.states) numbers.push_back(static_cast<T>(get(state)));
  const std::size_t size = numbers.size();
  return own(std::move(numbers), {size});
}

nb::dict modes_of(const GridSpec& spec, const GridResult& grid) {
  std::map<std::vector<ContactMode>, std::vector<std::uint64_t>> counts;
  for (std::size_t i = 0; i < grid.states.size(); ++i) {
    for (const auto& [mode, count] : grid.states[i].modes) {
      counts.try_emplace(mode, grid.states.size(), 0).first->second[i] = count;
    }
  }
  nb::dict modes;
  for (auto& [mode, its] : counts) {
    const std::size_t size = its.size();
    modes[mode_text(mode, spec.family.base().problem.contact_names).c_str()] =
        nb::cast(own(std::move(its), {size}));
  }
  return modes;
}

/// The answers to each question, by state.
nb::list answers_of(const GridSpec& spec, const GridResult& grid) {
  nb::list list;
  for (std::size_t i = 0; i < spec.ask.size(); ++i) {
    nb::dict its;
    its["question"] = spec.ask[i];
    nb::list verdicts;
    for (const GridState& state : grid.states) {
      verdicts.append(state.valid() ? verdict_name(state.answers.at(i).verdict) : "");
    }
    its["answer"] = verdicts;
    for_each_answer_number([&](const char* name, double Answer::*number) {
      its[name] = nb::cast(column<double>(grid, [&](const GridState& state) {
        return state.valid() ? state.answers.at(i).*number
                             : std::numeric_limits<double>::quiet_NaN();
      }));
    });
    list.append(its);
  }
  return list;
}

nb::dict grid(nb::object file, nb::object output, nb::dict arguments, nb::object progress) {
  GridSpec spec = read_spec(&read_grid_spec, file);
  apply_machine(arguments, spec);
  const std::string place = output.is_none() ? "" : path_of("output", output);
  const bool shown = shows_progress(progress);
  const GridResult found = long_call([&](const std::function<bool()>& stop) {
    GridResult result;
    if (!place.empty() && std::filesystem::exists(place)) result = read_grid(place, spec);
    ProgressBar bar(result.states.size(), spec.family.size(), shown, "states");
    continue_grid(spec, result, [&](const GridResult& so_far) {
      bar.update(so_far.states.size(), 0);
      return !stop();
    });
    if (!place.empty()) write_grid(place, spec, result);
    return result;
  });
  std::vector<double> values;
  for (std::uint64_t member = 0; member < spec.family.size(); ++member) {
    const std::vector<double> its = spec.family.values(member);
    values.insert(values.end(), its.begin(), its.end());
  }
  nb::dict result;
  result["shape"] = nb::tuple(nb::cast(spec.family.grid()));
  result["names"] = nb::cast(spec.family.names());
  result["values"] =
      nb::cast(own(std::move(values), {spec.family.size(), spec.family.names().size()}));
  result["valid"] =
      nb::cast(column<std::uint8_t>(found, [](const GridState& state) { return state.valid(); }));
  result["outcomes"] = nb::cast(
      column<std::uint64_t>(found, [](const GridState& state) { return state.outcomes(); }));
  for_each_grid_column([&]<class T>(const char* name, T GridState::*member) {
    result[name] =
        nb::cast(column<T>(found, [&](const GridState& state) { return state.*member; }));
  });
  result["modes"] = modes_of(spec, found);
  result["answers"] = answers_of(spec, found);
  result["notes"] = note_dicts(notes(spec, found), spec.family);
  return result;
}

}  // namespace

void bind_families(nb::module_& module) {
  using namespace nb::literals;
  module.def("generate", generate, "spec"_a.none(), "folder"_a.none(), "options"_a, "progress"_a.none());
  module.def("grid", grid, "spec"_a.none(), "output"_a.none(), "options"_a, "progress"_a.none());
}

}  // namespace carom::python
