#include "python/bindings/options.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "host/base/field_error.hpp"
#include "host/laws/law_list.hpp"
#include "host/base/numbers.hpp"
#include "host/base/option_words.hpp"
#include "host/sampling/default_sampling.hpp"

namespace carom::python {
namespace {

constexpr std::uint64_t any_count = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t any_word = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t any_int = std::numeric_limits<int>::max();

/// Keyword arguments, of which None is as good as none.
class Arguments {
 public:
  explicit Arguments(nb::dict arguments) : arguments_(std::move(arguments)) {}

  bool has(const char* name) const {
    return arguments_.contains(name) && !arguments_[name].is_none();
  }

  template <class Integer>
  void integer(const char* name, Integer& target, std::uint64_t least,
               std::uint64_t greatest) const {
    if (has(name)) target = static_cast<Integer>(read_integer(name, get(name), least, greatest));
  }

  void real(const char* name, double& target) const {
    if (has(name)) target = read_real(name, get(name));
  }

  /// A word or distribution, read by `parse`.
  template <class Value, class Parse>
  void text(const char* name, Value& target, const Parse& parse) const {
    if (has(name)) target = parse(read_text(name, get(name)));
  }

  void flag(const char* name, bool& target) const {
    if (!has(name)) return;
    if (!nb::isinstance<nb::bool_>(get(name))) {
      throw InputError(fmt::format("{} is {} (must be True or False)", name, repr(get(name))));
    }
    target = nb::cast<bool>(get(name));
  }

  nb::object get(const char* name) const { return arguments_[name]; }

  static std::string repr(nb::handle value) { return nb::cast<std::string>(nb::repr(value)); }

 private:
  nb::dict arguments_;
};

template <class Options>
void apply_law(const Arguments& given, Options& options) {
  given.integer("max_steps", options.max_steps, 1, any_int);
  given.integer("seed", options.seed, 0, any_word);
  given.integer("problem_id", options.problem_id, 0, any_word);
  given.integer("threads", options.threads, 0, any_int);
  given.text("norm", options.norm, [](const auto& text) { return parse_norm(text); });
  given.real("termination_tolerance", options.termination_tolerance);
}

/// The law and its own options, from `law_options` and from keywords of their names.
void choose_law(const Arguments& given, Law& law) {
  if (given.has("law")) {
    const std::string name = read_text("law", given.get("law"));
    if (name != law_name(law)) law = law_named(name);
  }
  const auto set = [&](const std::string& option, nb::handle value) {
    const std::string text = nb::isinstance<nb::str>(value) ? nb::cast<std::string>(value)
                                                            : nb::cast<std::string>(nb::str(value));
    set_law_option(law, option, text, option);
  };
  nb::dict own;
  if (given.has("law_options")) {
    if (!nb::isinstance<nb::dict>(given.get("law_options"))) {
      throw InputError(fmt::format("law_options is {} (must be a dict)",
                                   Arguments::repr(given.get("law_options"))));
    }
    own = nb::cast<nb::dict>(given.get("law_options"));
  }
  for (const auto& [option, value] : own) {
    const std::string name = nb::cast<std::string>(nb::str(option));
    if (given.has(name.c_str())) {
      throw InputError(fmt::format("{} is in law_options, too (must be in one of the two)", name));
    }
    set(name, value);
  }
  for (const Law& any : all_laws()) {
    for (const auto& [name, text] : law_options(any)) {
      if (given.has(name.c_str())) set(name, given.get(name.c_str()));
    }
  }
}

void apply_sampling(const Arguments& given, bool is_bare, SamplingOptions& options) {
  apply_law(given, options);
  choose_law(given, options.law);
  given.integer("trajectories", options.trajectories, 1, any_count);
  given.integer("device", options.device, 0, any_int);
  given.integer("chunk", options.chunk, 0, any_count);
  given.text("backend", options.backend, [](const auto& text) { return parse_backend(text); });
  given.real("impulse_step", options.impulse_step);
  given.real("epsilon", options.epsilon);
  if (!given.has("impulse_step") || given.has("epsilon")) return;
  // Of a problem without options of its own, epsilon has followed h so far and goes on so.
  if (is_bare) {
    options.epsilon = SamplingOptions{}.epsilon;
    options.epsilon = default_epsilon(options);
  } else if (options.impulse_step > 0.0 && options.epsilon >= options.impulse_step) {
    throw InputError(fmt::format("impulse_step is {} (must be above epsilon = {})",
                                 options.impulse_step, options.epsilon));
  }
}

void apply_evidence(const Arguments& given, EvidenceOptions& options) {
  given.integer("hold_out", options.hold_out, 0, any_count);
  given.integer("max_trajectories", options.max_trajectories, 0, any_count);
  given.integer("net_size", options.net_size, 0, any_count);
  given.integer("seek_extremes", options.seek_extremes, 0, any_int);
  given.real("confidence", options.confidence);
  given.real("miss", options.miss);
  given.real("max_seconds", options.max_seconds);
  given.flag("verify_net", options.verify_net);
  given.flag("comparison", options.comparison);
  if (options.miss > 0.0) return;
  for (const char* stray : {"max_trajectories", "max_seconds"}) {
    if (!given.has(stray)) continue;
    throw InputError(
        fmt::format("{} is given (must be with miss: it ends a run that grows)", stray));
  }
}

/// What a result file keeps.
void apply_storage(const Arguments& given, bool has_output, StorageOptions& options) {
  for (const char* name : {"samples", "paths", "shard_rows"}) {
    if (!given.has(name) || has_output) continue;
    throw InputError(fmt::format("{} is given (must be with output: it is of the file)", name));
  }
  given.integer("samples", options.samples, 0, any_count);
  given.integer("paths", options.paths, 0, any_count);
  given.integer("shard_rows", options.shard_rows, 0, INT64_MAX);
}

}  // namespace

std::uint64_t read_integer(const char* name, nb::handle value, std::uint64_t least,
                           std::uint64_t greatest) {
  // A text is none, even if its letters are digits: its quotes make the parser say so.
  const std::string text = nb::isinstance<nb::str>(value) ? Arguments::repr(value)
                                                          : nb::cast<std::string>(nb::str(value));
  return parse_integer(name, text, least, greatest);
}

double read_real(const char* name, nb::handle value) {
  const double number = nb::isinstance<nb::str>(value) ? -1.0 : PyFloat_AsDouble(value.ptr());
  if (nb::isinstance<nb::str>(value) || PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw InputError(fmt::format("{} is {} (must be a number)", name, Arguments::repr(value)));
  }
  return parse_real(name, fmt::format("{}", number));
}

std::string read_text(const char* name, nb::handle value) {
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  throw InputError(fmt::format("{} is {} (must be a string)", name, Arguments::repr(value)));
}

void apply(nb::dict arguments, Subject& subject, bool has_output) {
  const Arguments given(std::move(arguments));
  Scenario& scenario = subject.scenario;
  apply_sampling(given, subject.is_bare, scenario.sampling);
  apply_evidence(given, scenario.evidence);
  apply_storage(given, has_output, scenario.storage);
  validate(scenario.sampling);
  validate(scenario.sampling.law, scenario.problem.contacts());
  validate(scenario.evidence);
  validate(scenario.sampling.law, scenario.evidence);
}

Subjects read_subjects(nb::handle problems, nb::dict arguments) {
  Subjects subjects;
  Subject first;
  const auto add = [&](nb::handle problem) {
    Subject subject = read_subject(problem);
    if (subjects.problems.empty()) first = subject;
    subjects.problems.push_back(std::move(subject.scenario.problem));
  };
  if (nb::isinstance<nb::list>(problems) || nb::isinstance<nb::tuple>(problems)) {
    for (const nb::handle problem : problems) add(problem);
  } else {
    add(problems);
  }
  if (subjects.problems.empty()) {
    throw InputError("problems is empty (must hold at least one problem)");
  }
  apply(arguments, first);
  subjects.sampling = first.scenario.sampling;
  return subjects;
}

ImpactLawOptions impact_law_options(nb::dict arguments) {
  const Arguments given(std::move(arguments));
  ImpactLawOptions options;
  apply_law(given, options);
  given.text("caps", options.caps, parse_caps);
  given.text("solutions", options.solutions,
             [](const auto& text) { return parse_solutions(text); });
  if (given.has("epsilon")) options.epsilon = read_real("epsilon", given.get("epsilon"));
  return options;
}

Subject read_subject(nb::handle problem) {
  if (nb::isinstance<Scenario>(problem)) return {nb::cast<Scenario>(problem)};
  if (nb::isinstance<ImpactProblem>(problem)) {
    return {matrices_scenario(nb::cast<ImpactProblem>(problem)), true};
  }
  if (nb::isinstance<nb::str>(problem) || nb::hasattr(problem, "__fspath__")) {
    const nb::object path = nb::module_::import_("os").attr("fspath")(problem);
    return {load_scenario(nb::cast<std::string>(path))};
  }
  throw InputError(fmt::format(
      "problem is {} (must be an ImpactProblem, a Scenario, a path or the name of a system)",
      Arguments::repr(problem)));
}

}  // namespace carom::python
