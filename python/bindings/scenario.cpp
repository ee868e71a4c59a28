#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "carom/options.hpp"
#include "carom/scenario.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/law.hpp"
#include "python/bindings/notes.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

/// An option's value as what its kind is in Python; None where the law does not have the option.
nb::object value_of(const OptionDescription& option, const std::string& text) {
  if (text.empty()) return nb::none();
  if (option.kind == OptionKind::truth) return nb::bool_(text == "true");
  const bool is_word =
      std::find(option.words.begin(), option.words.end(), text) != option.words.end();
  const bool is_number = !is_word && !text.starts_with('{');  // no distribution
  if (option.kind == OptionKind::number && is_number) return nb::float_(std::stod(text));
  if (option.kind == OptionKind::integer && !is_word) return nb::int_(nb::str(text.c_str()));
  return nb::str(text.c_str());
}

nb::list list_options() {
  constexpr const char* groups[] = {"sampling", "law",   "storage", "evidence",
                                    "explore",  "bound", "roll",    "machine"};
  constexpr const char* types[] = {"int", "float", "bool", "str"};
  nb::list list;
  for (const OptionDescription& option : options()) {
    const bool is_free = option.kind != OptionKind::text && option.words.empty();
    nb::dict entry;
    entry["name"] = option.name;
    entry["group"] = groups[static_cast<int>(option.group)];
    entry["type"] = types[static_cast<int>(option.kind)];
    entry["choices"] = is_free ? std::string() : option.argument;
    entry["default"] = value_of(option, option.default_value);
    entry["help"] = option.help;
    list.append(entry);
  }
  return list;
}

void bind_sampling_options(nb::module_& module) {
  nb::class_<SamplingOptions> type(
      module, "SamplingOptions",
      "How a scenario is sampled; the names are those of sample()'s arguments.");
  for (const OptionDescription& option : options()) {
    using Group = OptionDescription::Group;
    const bool is_own = option.group == Group::sampling || option.group == Group::law ||
                        option.group == Group::machine;
    if (!is_own) continue;
    type.def_prop_ro(
        option.name.c_str(),
        [option](const SamplingOptions& self) {
          Scenario scenario;
          scenario.sampling = self;
          return value_of(option, option_value(scenario, option.name));
        },
        option.help.c_str());
  }
  type.def_prop_ro(
      "law_options", [](const SamplingOptions& self) { return own_options(self.law); },
      "The law's own options.");
  module.def("options", &list_options, "Every option: name, group, type, choices, default, help.");
}

}  // namespace

void bind_scenario(nb::module_& module) {
  bind_sampling_options(module);
  nb::class_<Scenario>(module, "Scenario", "A problem and how to sample it; see load_scenario().")
      .def_prop_ro("title", &title, "its name, else its MuJoCo model or its system")
      .def_ro("system", &Scenario::system, "name of a built-in system, or \"matrices\"")
      .def_ro("parameters", &Scenario::parameters, "of a built-in system, defaults included")
      .def_ro("problem", &Scenario::problem)
      .def_ro("sampling", &Scenario::sampling)
      .def_prop_ro(
          "outputs",
          [](const Scenario& self) {
            const Outputs& outputs = self.evidence.outputs;
            nb::dict entry;
            entry["names"] = outputs.names;
            entry["matrix"] = own(RowMatrix(outputs.matrix));
            std::vector<std::string> asked;
            for (const Question& question : outputs.questions) asked.push_back(question.text);
            entry["ask"] = asked;
            return entry;
          },
          nb::sig("def outputs(self) -> dict[str, typing.Any]"),
          "directions of interest: their names, and their matrix (p, nv); ask: questions about them")
      .def(
          "notes",
          [](const Scenario& self) { return note_dicts(notes(self.problem, self.sampling)); },
          nb::sig("def notes(self) -> list[dict[str, str]]"),
          "What is known before a run: code, severity and text of each note.")
      .def("__getstate__", &to_toml)
      .def("__setstate__",
           [](Scenario* self, const std::string& text) { new (self) Scenario(parse_scenario(text)); })
      .def("to_toml", &to_toml,
           "The scenario as a file's text, complete with every default and matrix.")
      .def("__repr__", [](const Scenario& self) {
        return fmt::format("Scenario(system=\"{}\", contacts={}, velocities={})", self.system,
                           self.problem.contacts(), self.problem.velocities());
      });
  module.def(
      "load_scenario", [](nb::object path) { return read_any(path); }, "path"_a.none());
  module.def(
      "parse_scenario", [](const std::string& text) { return parse_scenario(text); }, "text"_a);
  module.def(
      "systems",
      [] {
        std::vector<std::string> names;
        for (const System& system : systems()) names.push_back(system.name);
        return names;
      },
      "Names of the built-in systems.");
}

}  // namespace carom::python
