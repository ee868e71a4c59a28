#include "python/bindings/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "carom/error.hpp"
#include "carom/law.hpp"
#include "carom/numbers.hpp"
#include "carom/options.hpp"
#include "carom/roll.hpp"
#include "python/bindings/arrays.hpp"
#include "python/bindings/long_call.hpp"

namespace carom::python {
namespace {

std::string repr_of(nb::handle value) { return nb::cast<std::string>(nb::repr(value)); }

/// Keyword arguments, of which None is as good as none.
class Arguments {
 public:
  explicit Arguments(nb::dict arguments) : arguments_(std::move(arguments)) {}

  bool has(const std::string& name) const {
    return arguments_.contains(name.c_str()) && !arguments_[name.c_str()].is_none();
  }
  nb::object get(const std::string& name) const { return arguments_[name.c_str()]; }

 private:
  nb::dict arguments_;
};

/// An integer as text. A string is none, even if its letters are digits: its quotes make the parser
/// say so.
std::string integer_text(nb::handle value) {
  return nb::isinstance<nb::str>(value) ? repr_of(value) : nb::cast<std::string>(nb::str(value));
}

/// Whether the value is one of the words that an option has beside its numbers.
bool has_word(const OptionDescription& option, nb::handle value) {
  return nb::isinstance<nb::str>(value) &&
         std::find(option.words.begin(), option.words.end(), nb::cast<std::string>(value)) !=
             option.words.end();
}

/// Numbers, distributions as dicts, True or False, or a sequence of them, as set_law_option() reads
/// them.
std::string law_text(nb::handle value) {
  if (nb::isinstance<nb::dict>(value)) {
    std::string text;
    for (const auto& [key, number] : nb::cast<nb::dict>(value)) {
      text +=
          fmt::format("{}{} = {}", text.empty() ? "" : ", ", nb::cast<std::string>(nb::str(key)),
                      nb::cast<std::string>(nb::str(number)));
    }
    return "{" + text + "}";
  }
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value) ? "true" : "false";
  if (nb::isinstance<nb::str>(value) || !nb::hasattr(value, "__len__")) {
    return nb::cast<std::string>(nb::str(value));
  }
  std::string text;
  for (const nb::handle entry : nb::iter(value)) {
    text += (text.empty() ? "" : ",") + law_text(entry);
  }
  return text;
}

/// The value of an option as set_option() reads it.
std::string text_of(const OptionDescription& option, nb::handle value) {
  switch (option.kind) {
    case OptionKind::integer:
      if (has_word(option, value)) return nb::cast<std::string>(value);
      return integer_text(value);
    case OptionKind::number:
      if (has_word(option, value)) return nb::cast<std::string>(value);
      if (nb::isinstance<nb::dict>(value)) return law_text(value);
      return fmt::format("{}", read_real(option.name.c_str(), value));
    case OptionKind::truth:
      if (!nb::isinstance<nb::bool_>(value)) {
        throw InputError(
            fmt::format("{} is {} (must be True or False)", option.name, repr_of(value)));
      }
      return nb::cast<bool>(value) ? "true" : "false";
    case OptionKind::text:
      if (nb::isinstance<nb::str>(value)) break;
      if (option.group == OptionDescription::Group::law && nb::hasattr(value, "__len__")) {
        return law_text(value);
      }
      if (!nb::hasattr(value, "__len__")) {  // a number is what the option makes of its text
        if (PyNumber_Check(value.ptr()) == 0) break;
        return law_text(value);
      }
      const Eigen::VectorXd numbers = read_vector(option.name.c_str(), value);
      return fmt::format("{}", fmt::join(numbers.begin(), numbers.end(), ","));
  }
  return read_text(option.name.c_str(), value);
}

/// law_options, each of which may be a keyword instead.
nb::dict law_options_of(const Arguments& given) {
  if (!given.has("law_options")) return {};
  const nb::object value = given.get("law_options");
  if (!nb::isinstance<nb::dict>(value)) {
    throw InputError(fmt::format("law_options is {} (must be a dict)", repr_of(value)));
  }
  nb::dict own = nb::cast<nb::dict>(value);
  for (const auto& [key, ignored] : own) {
    const std::string name = nb::cast<std::string>(nb::str(key));
    if (!given.has(name)) continue;
    throw InputError(fmt::format("{} is in law_options, too (must be in one of the two)", name));
  }
  return own;
}

void set_options(const Arguments& given, Scenario& scenario) {
  const nb::dict own = law_options_of(given);
  for (const OptionDescription& option : options()) {
    if (given.has(option.name)) {
      set_option(scenario, option.name, text_of(option, given.get(option.name)), option.name);
    }
    if (option.name != "law") continue;
    for (const auto& [key, value] : own) {
      const std::string name = nb::cast<std::string>(nb::str(key));
      set_law_option(scenario.sampling.law, name, law_text(value), name);
    }
  }
}

/// What says nothing in such a call.
void refuse_stray(const Arguments& given, const Scenario& scenario, bool has_output) {
  for (const OptionDescription& option : options()) {
    if (!given.has(option.name) || has_output) continue;
    if (option.group != OptionDescription::Group::storage) continue;
    throw InputError(
        fmt::format("{} is given (must be with output: it is of the file)", option.name));
  }
  if (scenario.evidence.miss > 0.0) return;
  for (const char* stray : {"max_trajectories", "max_seconds"}) {
    if (!given.has(stray)) continue;
    throw InputError(
        fmt::format("{} is given (must be with miss: it ends a run that grows)", stray));
  }
}

void add_row(nb::handle row, const std::string& name, Scenario& scenario) {
  const Eigen::VectorXd numbers = read_vector("directions", row);
  if (numbers.size() != scenario.problem.velocities()) {
    throw InputError(
        fmt::format("directions has a row \"{}\" of {} numbers (must have {}: one per velocity)",
                    name, numbers.size(), scenario.problem.velocities()));
  }
  add_output(numbers, name, scenario.evidence.outputs);
}

/// {name: row}; a row; or texts as of --direction and rows, which are called by their place.
void add_directions(nb::handle directions, Scenario& scenario) {
  if (nb::hasattr(directions, "items")) {
    for (const nb::handle item : nb::iter(directions.attr("items")())) {
      add_row(item[1], nb::cast<std::string>(nb::str(nb::handle(item[0]))), scenario);
    }
    return;
  }
  if (nb::isinstance<nb::str>(directions) || !nb::hasattr(directions, "__iter__")) {
    throw InputError(
        fmt::format("directions is {} (must be {{name: row}}, or a sequence of texts or of rows)",
                    repr_of(directions)));
  }
  int place = 0;
  for (const nb::handle entry : nb::iter(directions)) {
    ++place;
    if (!nb::hasattr(entry, "__iter__")) return add_row(directions, "direction 1", scenario);
    if (nb::isinstance<nb::str>(entry)) {
      add_direction(scenario.problem, nb::cast<std::string>(entry), "directions",
                    scenario.evidence.outputs);
    } else {
      add_row(entry, fmt::format("direction {}", place), scenario);
    }
  }
}

/// A question, or a sequence of them.
void add_questions(nb::handle ask, Scenario& scenario) {
  std::vector<std::string> questions;
  if (nb::isinstance<nb::str>(ask)) {
    questions = {nb::cast<std::string>(ask)};
  } else if (!nb::try_cast(ask, questions)) {
    throw InputError(
        fmt::format("ask is {} (must be a question, or a list of them)", repr_of(ask)));
  }
  for (const std::string& text : questions) {
    add_question(scenario.problem, text, scenario.evidence.outputs);
  }
}

}  // namespace

std::uint64_t read_integer(const char* name, nb::handle value, std::uint64_t least,
                           std::uint64_t greatest) {
  return parse_integer(name, integer_text(value), least, greatest);
}

double read_real(const char* name, nb::handle value) {
  const double number = nb::isinstance<nb::str>(value) ? -1.0 : PyFloat_AsDouble(value.ptr());
  if (nb::isinstance<nb::str>(value) || PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw InputError(fmt::format("{} is {} (must be a number)", name, repr_of(value)));
  }
  return parse_real(name, fmt::format("{}", number));
}

std::string read_text(const char* name, nb::handle value) {
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  throw InputError(fmt::format("{} is {} (must be a string)", name, repr_of(value)));
}

std::string path_of(const char* name, nb::handle path) {
  const nb::object text =
      nb::hasattr(path, "__fspath__") ? path.attr("__fspath__")() : nb::borrow(path);
  if (nb::isinstance<nb::str>(text)) return nb::cast<std::string>(text);
  throw InputError(fmt::format("{} is {} (must be a path)", name, repr_of(path)));
}

void apply(nb::dict arguments, Scenario& scenario, bool has_output) {
  apply_stated(std::move(arguments), scenario, has_output);
  long_call([&](const std::function<bool()>& stop) {
    resolve(scenario, [&](const std::string&, std::uint64_t, std::uint64_t) { return !stop(); });
    return true;
  });
}

void apply_stated(nb::dict arguments, Scenario& scenario, bool has_output) {
  const Arguments given(std::move(arguments));
  if (given.has("bound") && nb::cast<bool>(given.get("bound")) && !scenario.evidence.bound) {
    scenario.evidence.bound.emplace();
  }
  set_options(given, scenario);
  if (given.has("directions")) add_directions(given.get("directions"), scenario);
  if (given.has("ask")) add_questions(given.get("ask"), scenario);
  refuse_stray(given, scenario, has_output);
  validate_options(scenario);
}

namespace {

/// Adds ranges of coordinates, or of their velocities.
void read_ranges(const std::string& name, nb::handle given, bool of_velocity,
                 std::vector<StartRange>& ranges) {
  nb::dict entries;
  if (!nb::try_cast(given, entries)) {
    throw InputError(name + " is no dict (must be {coordinate: (least, greatest)})");
  }
  for (const auto& [key, value] : entries) {
    std::string coordinate;
    if (!nb::try_cast(key, coordinate)) throw InputError(name + " has a key that is no text");
    const Eigen::VectorXd ends = read_vector((name + "[\"" + coordinate + "\"]").c_str(), value);
    if (ends.size() != 2) {
      throw InputError(fmt::format("{}[\"{}\"] has {} numbers (must be least and greatest)", name,
                                   coordinate, ends.size()));
    }
    ranges.push_back({coordinate, of_velocity, ends(0), ends(1)});
  }
}

}  // namespace

Scenario read_motion(nb::handle problem, nb::handle start, nb::dict arguments) {
  Scenario scenario = read_any(problem);
  if (!scenario.roll) scenario.roll.emplace();
  if (!start.is_none()) {
    nb::dict parts;
    if (!nb::try_cast(start, parts)) {
      throw InputError("start is no dict (must be {\"position\": {...}, \"velocity\": {...}})");
    }
    scenario.roll->start.clear();
    for (const auto& [key, value] : parts) {
      std::string name;
      if (!nb::try_cast(key, name) || (name != "position" && name != "velocity")) {
        throw InputError(fmt::format("start has the key {} (must be \"position\" or \"velocity\")",
                                     repr_of(key)));
      }
      read_ranges("start[\"" + name + "\"]", value, name == "velocity", scenario.roll->start);
    }
  }
  apply_stated(std::move(arguments), scenario);
  scenario.sampling = sampling_in_time(scenario);
  scenario.roll = roll_options_in_time(scenario);
  return scenario;
}

Subjects read_subjects(nb::handle problems, nb::dict arguments) {
  Subjects subjects;
  Scenario first;
  const auto add = [&](nb::handle problem) {
    Scenario scenario = read_subject(problem);
    if (subjects.problems.empty()) first = scenario;
    subjects.problems.push_back(std::move(scenario.problem));
  };
  if (nb::isinstance<nb::list>(problems) || nb::isinstance<nb::tuple>(problems)) {
    for (const nb::handle problem : problems) add(problem);
  } else {
    add(problems);
  }
  if (subjects.problems.empty()) {
    throw InputError("problems is empty (must hold at least one problem)");
  }
  apply_stated(arguments, first);
  if (arguments.contains("restitution")) {
    for (ImpactProblem& problem : subjects.problems) {  // another shape is refused later
      if (problem.contacts() != first.problem.contacts()) continue;
      problem.restitution = first.problem.restitution;
    }
  }
  subjects.sampling = first.sampling;
  return subjects;
}

ImpactLawOptions impact_law_options(nb::dict arguments) {
  ImpactLawOptions options;
  if (arguments.contains("strict")) {
    if (!nb::try_cast(arguments["strict"], options.strict)) {
      throw InputError("strict must be True or False");
    }
    nb::del(arguments["strict"]);
  }
  const Arguments given(std::move(arguments));
  Scenario scenario;
  set_options(given, scenario);
  const SamplingOptions& chosen = scenario.sampling;
  options.seed = chosen.seed;
  options.problem_id = chosen.problem_id;
  options.max_steps = chosen.max_steps;
  if (chosen.epsilon.has_value()) options.epsilon = *chosen.epsilon;
  options.norm = chosen.norm;
  options.termination_tolerance = chosen.termination_tolerance;
  options.law = chosen.law;
  options.threads = chosen.threads;
  return options;
}

Scenario read_subject(nb::handle problem) {
  Scenario scenario = read_any(problem);
  require_impact(scenario);
  return scenario;
}

Scenario read_any(nb::handle problem) {
  if (nb::isinstance<Scenario>(problem)) return nb::cast<Scenario>(problem);
  if (nb::isinstance<ImpactProblem>(problem)) {
    Scenario scenario = matrices_scenario(nb::cast<ImpactProblem>(problem));
    scenario.sampling = {};  // to be resolved when the arguments are known
    return scenario;
  }
  if (nb::isinstance<nb::str>(problem) || nb::hasattr(problem, "__fspath__")) {
    return load_motion(path_of("problem", problem));
  }
  throw InputError(fmt::format(
      "problem is {} (must be an ImpactProblem, a Scenario, a path or the name of a system)",
      repr_of(problem)));
}

}  // namespace carom::python
