#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <type_traits>

#include "carom/bounds.hpp"
#include "carom/error.hpp"
#include "carom/numbers.hpp"
#include "carom/options.hpp"
#include "host/base/nearest_name.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_list.hpp"
#include "host/options/option_text.hpp"
#include "host/sampling/default_sampling.hpp"

namespace carom {
namespace {

using Group = OptionDescription::Group;

/// Of the problem, not of its sampling: the flag changes all contacts.
constexpr const char* restitution_key = "restitution";

template <class Value>
constexpr OptionKind kind_of(const Value&) {
  return std::is_same_v<Value, bool>                                         ? OptionKind::truth
         : OptionInteger<Value>                                              ? OptionKind::integer
         : std::is_same_v<Value, double> || std::is_same_v<Value, Uncertain> ? OptionKind::number
                                                                             : OptionKind::text;
}
template <class Value>
constexpr OptionKind kind_of(const Choice<Value>&) {
  return kind_of(Value{});
}

template <class Value>
OptionDescription describe(const OptionInfo& info, const Value& default_value, Group group) {
  const OptionKind kind = kind_of(default_value);
  std::vector<std::string> words;
  if (is_choice<Value> && kind != OptionKind::text) words.emplace_back(auto_word);
  for (const OptionInfo::Word& word : info.words) {
    if (word.text != nullptr) words.emplace_back(word.text);
  }
  return {.name = info.name,
          .group = info.is_machine ? Group::machine : group,
          .kind = kind,
          .argument = info.argument,
          .words = words,
          .default_value = option_text(info, default_value),
          .help = info.help};
}

std::string names_of_laws() {
  std::string names;
  for (const Law& law : all_laws()) {
    names += (names.empty() ? "" : "|") + std::string(law_name(law));
  }
  return names;
}

std::vector<OptionDescription> make_options() {
  std::vector<OptionDescription> list;
  const auto add = [&](const auto& options, Group group) {
    for_each_option([&](const OptionInfo& info,
                        const auto& value) { list.push_back(describe(info, value, group)); },
                    options);
  };
  add(SamplingOptions{}, Group::sampling);
  list.push_back(
      describe({.name = "law", .argument = "", .help = "impact law"}, std::string(), Group::law));
  list.back().argument = names_of_laws();
  list.back().default_value = law_name(Law{});
  list.push_back(describe({.name = restitution_key,
                           .argument = "E,...",
                           .help = "coefficient of restitution, 0 to 1, for all or for each"},
                          std::string(), Group::law));
  list.back().default_value.clear();  // the problem's
  for (const Law& law : all_laws()) {
    for_each_law_option(law, [&](const OptionInfo& info, const auto& value) {
      const auto same = [&](const OptionDescription& other) { return other.name == info.name; };
      if (std::none_of(list.begin(), list.end(), same)) {
        list.push_back(describe(info, value, Group::law));
      }
    });
  }
  add(StorageOptions{}, Group::storage);
  add(EvidenceOptions{}, Group::evidence);
  add(ExploreOptions{}, Group::explore);
  add(BoundOptions{}, Group::bound);
  add(RollOptions{}, Group::roll);
  return list;
}

/// Calls visit(info, value) for the option of the lists that has this name; false if none has it.
template <class AnyScenario, class Visit>
bool visit_option(AnyScenario& scenario, const std::string& name, const Visit& visit) {
  bool found = false;
  const auto try_one = [&](const OptionInfo& info, auto& value) {
    if (name != info.name) return;
    visit(info, value);
    found = true;
  };
  for_each_option(try_one, scenario.sampling);
  for_each_option(try_one, scenario.storage);
  for_each_option(try_one, scenario.evidence);
  if (scenario.explore) for_each_option(try_one, *scenario.explore);
  if (scenario.evidence.bound) for_each_option(try_one, *scenario.evidence.bound);
  if (scenario.roll) for_each_option(try_one, *scenario.roll);
  return found;
}

[[noreturn]] void fail_unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const OptionDescription& option : options()) names.push_back(option.name);
  throw InputError(fmt::format("{} is no option{}", name, suggestion(name, names)));
}

bool is_law_option(const std::string& name) {
  const std::vector<std::string>& names = law_option_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// What states the table of an option that a scenario need not have; null for any other option.
const char* table_of(const std::string& name) {
  for (const OptionDescription& option : options()) {
    if (option.name != name) continue;
    if (option.group == Group::explore) return "an exploration: --explore or [explore]";
    if (option.group == Group::bound) return "a bound: --bound or [bound]";
    if (option.group == Group::roll) return "a motion: carom roll or [roll]";
  }
  return nullptr;
}

/// "0.8", one number per contact where they differ, "" where none is stated.
std::string restitution_text(const ImpactProblem& problem) {
  const Eigen::VectorXd& all = problem.restitution;
  if (all.size() == 0) return "";
  if ((all.array() == all(0)).all()) return fmt::format("{}", all(0));
  return fmt::format("{}", fmt::join(all.begin(), all.end(), ","));
}

void set_law(Law& law, const std::string& name, const std::string& place) {
  if (name == law_name(law)) return;  // keeps the law's own options
  if (const char* const drawn = drawn_option(law)) {
    throw InputError(
        fmt::format("{} is {} (must be {}, of which the scenario draws {}; with other "
                    "laws a family of problems may vary it)",
                    place, name, law_name(law), drawn));
  }
  try {
    law = law_named(name);
  } catch (const InputError& error) {  // "law is ..."
    throw InputError(place + std::string(error.what()).substr(std::string("law").size()));
  }
}

}  // namespace

const std::vector<OptionDescription>& options() {
  static const std::vector<OptionDescription> list = make_options();
  return list;
}

std::string option_value(const Scenario& scenario, const std::string& name) {
  std::string text;
  const bool found = visit_option(scenario, name, [&](const OptionInfo& info, const auto& value) {
    text = option_text(info, value);
  });
  if (found) return text;
  const Law& law = scenario.sampling.law;
  if (name == "law") return law_name(law);
  if (name == restitution_key) return restitution_text(scenario.problem);
  if (table_of(name) != nullptr) return text;
  if (!is_law_option(name)) fail_unknown(name);
  for (const auto& [own, value] : law_options(law)) {
    if (own == name) text = value;
  }
  return text;
}

void set_option(Scenario& scenario, const std::string& name, const std::string& text,
                const std::string& place) {
  const bool found = visit_option(scenario, name, [&](const OptionInfo& info, auto& value) {
    parse_option(info, text, place, value);
  });
  if (found) return;
  if (scenario.compliant && (name == "law" || name == restitution_key)) {
    throw InputError(
        fmt::format("{} is {} (must be left out of contacts that give way)", place, text));
  }
  if (name == "law") return set_law(scenario.sampling.law, text, place);
  if (name == restitution_key) {
    const std::vector<double> values = parse_reals(place, text);
    const bool none = !scenario.no_impact.empty();
    const auto contacts = none ? 1U : static_cast<std::size_t>(scenario.problem.contacts());
    if (values.size() != 1 && values.size() != contacts) {
      throw InputError(
          fmt::format("{} has {} numbers (must have 1 for all contacts, or {}: one per "
                      "contact)",
                      place, values.size(), contacts));
    }
    Eigen::VectorXd all(static_cast<Eigen::Index>(contacts));
    for (std::size_t i = 0; i < contacts; ++i) {
      const double value = values[values.size() == 1 ? 0 : i];
      if (!(value >= 0.0 && value <= 1.0)) {
        throw InputError(fmt::format("{} is {} (must be from 0 to 1)", place, value));
      }
      all(static_cast<Eigen::Index>(i)) = value;
    }
    scenario.problem.restitution = std::move(all);
    if (auto* const own = replacement_of(scenario.sampling.law, restitution_key)) own->clear();
    return;
  }
  if (const char* const table = table_of(name)) {
    throw InputError(fmt::format("{} is given (must be with {})", place, table));
  }
  if (!is_law_option(name)) fail_unknown(name);
  set_law_option(scenario.sampling.law, name, text, place);
}

void resolve(Scenario& scenario, const StageObserver& pilots) {
  if (!has_impact(scenario)) return;  // what is left to Carom is of impacts
  replace_in(scenario.problem, scenario.sampling.law);
  scenario.sampling =
      resolved(scenario.sampling, std::span<const ImpactProblem>(&scenario.problem, 1), pilots);
  scenario.evidence = resolved(scenario.evidence, scenario.sampling);
}

void settle_outputs(Scenario& scenario) {
  EvidenceOptions& evidence = scenario.evidence;
  require_own_names(evidence.outputs, scenario.problem);
  const bool asked = !evidence.outputs.questions.empty();
  if (asked && !evidence.bound && has_bound(scenario.problem, scenario.sampling.law)) {
    evidence.bound.emplace();
  }
}

Scenario matrices_scenario(ImpactProblem problem) {
  Scenario scenario;
  scenario.system = "matrices";
  scenario.problem = validated(std::move(problem));
  return scenario;
}

void validate_options(const Scenario& scenario) {
  const Law& law = scenario.sampling.law;
  validate(scenario.sampling);
  validate(law, scenario.problem.contacts());
  validate(scenario.evidence);
  validate(law, scenario.evidence);
  validate(scenario.evidence.outputs, scenario.problem);
  if (scenario.explore) validate(*scenario.explore);
  if (scenario.roll) validate(*scenario.roll);
  if (const auto& bound = scenario.evidence.bound) {
    for_each_option(
        [&](const OptionInfo& info, const auto& value) { check_range("bound", info, value); },
        *bound);
  }
}

}  // namespace carom
