#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "carom/roll_io.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/notes.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

struct NamedRollouts {
  Rollouts rollouts;
  Scenario scenario;
  RolledSystem system;
  RollSummary summary;
};

NamedRollouts named(Rollouts rollouts, Scenario scenario) {
  RolledSystem system = rolled_system(scenario);
  RollSummary summary = summarise(system, *scenario.roll, rollouts);
  if (auto note = note_on_tube(summary, rollouts)) rollouts.notes.push_back(std::move(*note));
  return {std::move(rollouts), std::move(scenario), std::move(system), std::move(summary)};
}

NamedRollouts move_in_time(nb::handle problem, nb::dict arguments,
                           const std::optional<std::vector<std::string>>& ask, nb::handle start,
                           nb::object output, bool force, nb::handle progress) {
  Scenario scenario = read_motion(problem, start, std::move(arguments));
  if (ask) scenario.roll->ask = *ask;
  std::string file;
  if (!output.is_none()) {
    file = path_of("output", output);
    check_output(file, force, {"output", "force=True"});
  }
  const bool shown = shows_progress(progress);
  Rollouts found = long_call([&](const std::function<bool()>& stop) {
    return run_roll(scenario, file, {shown, stop});
  });
  return named(std::move(found), std::move(scenario));
}

NamedRollouts read_file(nb::object path) {
  const std::string file = path_of("path", path);
  RollResult result = read_rollouts(file);
  return named(std::move(result.rollouts), std::move(result.scenario));
}

nb::list roll_answers(const NamedRollouts& self) {
  nb::list list;
  for (const RollAnswer& answer : self.summary.answers) {
    nb::dict entry;
    entry["question"] = answer.question;
    entry["yes"] = answer.yes;
    entry["open"] = answer.open;
    entry["rollouts"] = answer.rollouts;
    entry["interval"] = nb::make_tuple(answer.interval.low, answer.interval.high);
    list.append(entry);
  }
  return list;
}

/// The nets of the states: time, epsilon and, of each time, members (rows), tested, missed,
/// miss_bound.
nb::object tube_of(const NamedRollouts& self) {
  const std::optional<Tube>& tube = self.summary.tube;
  if (!tube) return nb::none();
  nb::list nets;
  for (const TubeNet& net : tube->nets) {
    nb::dict entry;
    entry["members"] = own(std::vector<std::uint64_t>(net.members), {net.members.size()});
    entry["tested"] = net.tested;
    entry["missed"] = net.missed;
    entry["miss_bound"] = net.miss_bound;
    nets.append(entry);
  }
  nb::dict result;
  result["time"] = tube->time;
  result["epsilon"] = tube->epsilon;
  result["nets"] = nets;
  return result;
}

template <class T>
auto column_view(nb::handle owner, const RolloutColumnInfo& info, const RolloutShape& shape,
                 std::size_t rows, const std::vector<T>& column) {
  std::vector<std::size_t> sizes = {rows};
  for (int RolloutShape::*const member : {info.rows, info.columns}) {
    if (member != nullptr) sizes.push_back(static_cast<std::size_t>(shape.*member));
  }
  using Number = std::conditional_t<std::is_enum_v<T>, std::uint8_t, T>;
  return view_of(owner, reinterpret_cast<const Number*>(column.data()), sizes);
}

/// Quantiles (T, n, levels).
NumpyArray<double> quantiles(const NamedRollouts& self, const std::vector<double>& numbers, int n) {
  return own(std::vector<double>(numbers),
             {self.rollouts.time.size(), static_cast<std::size_t>(n), roll_level_count});
}

}  // namespace

void bind_roll(nb::module_& module) {
  nb::list names;
  for (int s = 0; s < rollout_status_count; ++s) {
    names.append(rollout_status_name(static_cast<RolloutStatus>(s)));
  }
  module.attr("ROLLOUT_STATUS") = nb::tuple(names);
  nb::list whole;
  for (int s = 0; s < rollout_status_count; ++s) {
    if (is_whole(static_cast<RolloutStatus>(s))) whole.append(s);
  }
  module.attr("WHOLE_ROLLOUTS") = nb::tuple(whole);
  auto type = nb::class_<NamedRollouts>(module, "RollResult",
                                        "Motions in time (docs/time.md), one row each. Columns are "
                                        "NumPy arrays without a copy.");
  for_each_rollout_column([&](const RolloutColumnInfo& info) {
    const std::string wanted = info.name;
    type.def_prop_ro(
        flat_name(info).c_str(),
        [wanted](nb::handle self) {
          const auto& its = nb::cast<const NamedRollouts&>(self);
          nb::object found = nb::none();
          for_each_rollout_column(
              [&](const RolloutColumnInfo& column_info, const auto& column) {
                if (wanted != column_info.name) return;
                if (column_info.compliant && column_info.numbers(its.rollouts) == 0) return;
                found = nb::cast(column_view(self, column_info, its.rollouts, its.rollouts.size(),
                                             column));
              },
              its.rollouts);
          return found;
        },
        nb::sig(("def " + flat_name(info) + "(self) -> numpy.ndarray" +
                 (info.compliant ? " | None" : ""))
                    .c_str()),
        info.text);
  });
  type.def_ro("scenario", &NamedRollouts::scenario)
      .def_prop_ro("time", [](nb::handle self) {
        const auto& its = nb::cast<const NamedRollouts&>(self);
        return view_of(self, its.rollouts.time.data(), {its.rollouts.time.size()});
      }, "of the states (T,), s")
      .def_prop_ro("coordinates",
                   [](const NamedRollouts& self) { return self.system.coordinates; },
                   "names of the coordinates (nq)")
      .def_prop_ro("velocities",
                   [](const NamedRollouts& self) { return self.system.velocities; },
                   "names of the velocities (nv): those of coordinates whose rate they are")
      .def_prop_ro("pairs",
                   [](const NamedRollouts& self) { return self.system.contacts; },
                   "names of the pairs that can touch")
      .def_prop_ro("answers", &roll_answers,
                   "of each question: question, yes, open (rollouts that failed before they answered), "
                   "rollouts (all) and interval, Wilson's of 95 % with no ... yes to all that are "
                   "open")
      .def_prop_ro("tube", &tube_of,
                   "nets of the states, where tube_time is stated: time, epsilon and, of each time, "
                   "members (rows of the rollouts), tested, missed and miss_bound (95 %)")
      .def_prop_ro("levels", [](const NamedRollouts&) {
        return std::vector<double>(std::begin(roll_levels), std::end(roll_levels));
      }, "shares of the whole rollouts, of the quantiles")
      .def_prop_ro("position_quantiles",
                   [](const NamedRollouts& self) { return quantiles(self, self.summary.position, self.rollouts.coordinates);
                   },
                   nb::rv_policy::move, "(T, nq, levels)")
      .def_prop_ro("velocity_quantiles",
                   [](const NamedRollouts& self) { return quantiles(self, self.summary.velocity, self.rollouts.velocities);
                   },
                   nb::rv_policy::move, "(T, nv, levels)")
      .def_prop_ro("complete", [](const NamedRollouts& self) { return self.rollouts.complete; },
                   "false if the run was interrupted")
      .def_prop_ro("notes",
                   [](const NamedRollouts& self) { return note_dicts(self.rollouts.notes); },
                   nb::sig("def notes(self) -> list[dict[str, str]]"),
                   "what to know beside the numbers: code, severity and text of each note")
      .def("__len__", [](const NamedRollouts& self) { return self.rollouts.size(); })
      .def("__repr__", [](const NamedRollouts& self) {
        return "RollResult(" + std::to_string(self.rollouts.size()) + " of " +
               std::to_string(self.rollouts.coordinates) + " coordinates at " +
               std::to_string(self.rollouts.time.size()) + " times" +
               (self.rollouts.complete ? ")" : ", incomplete)");
      });
  module.def("roll", &move_in_time, "problem"_a.none(), "arguments"_a, "ask"_a.none(), "start"_a.none(), "output"_a.none(),
             "force"_a, "progress"_a.none());
  module.def("read_rollouts", &read_file, "path"_a.none());
  module.def("is_rollouts", [](nb::object path) { return is_rollouts(path_of("path", path)); },
             "path"_a.none());
}

}  // namespace carom::python
