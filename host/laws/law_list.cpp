#include "host/laws/law_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "carom/error.hpp"
#include "carom/solutions.hpp"
#include "host/base/field_error.hpp"
#include "host/base/nearest_name.hpp"
#include "host/options/option_text.hpp"
#include "host/problem/no_restitution.hpp"
#include "host/problem/step_lcp.hpp"

namespace carom {
namespace {

template <class... Laws>
std::vector<Law> list_laws(const std::variant<Laws...>*) {
  return {Law(Laws{})...};
}

std::vector<std::string> option_names(const Law& law) {
  std::vector<std::string> names;
  for_each_law_option(law,
                      [&](const OptionInfo& info, const auto&) { names.emplace_back(info.name); });
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The names of the laws that have an option, or "".
std::string laws_with_option(const std::string& option) {
  std::string laws;
  for (const Law& law : all_laws()) {
    if (!contains(option_names(law), option)) continue;
    laws += (laws.empty() ? "" : " and ") + std::string(law_name(law));
  }
  return laws;
}

}  // namespace

const std::vector<Law>& all_laws() {
  static const std::vector<Law> list = list_laws(static_cast<const Law*>(nullptr));
  return list;
}

const char* law_name(const Law& law) {
  return visit_law(law, [](auto entry, const auto&) { return decltype(entry)::name; });
}

Law law_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Law& law : all_laws()) {
    if (name == law_name(law)) return law;
    names.emplace_back(law_name(law));
  }
  throw InputError(fmt::format("law is \"{}\" (must be one of {}){}", name, fmt::join(names, ", "),
                               suggestion(name, names)));
}

const std::vector<std::string>& law_option_names() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> names;
    for (const Law& law : all_laws()) {
      for (const std::string& name : option_names(law)) {
        if (!contains(names, name)) names.push_back(name);
      }
    }
    return names;
  }();
  return list;
}

void set_law_option(Law& law, const std::string& option, const std::string& text,
                    const std::string& place) {
  bool found = false;
  for_each_law_option(law, [&](const OptionInfo& info, auto& member) {
    if (option != info.name) return;
    parse_option(info, text, place, member);
    found = true;
  });
  if (found) return;
  const std::vector<std::string> names = option_names(law);
  const std::string owners = laws_with_option(option);
  throw InputError(fmt::format("{} is not an option of law {}{}", place, law_name(law),
                               !owners.empty() ? fmt::format(" (it is one of law {})", owners)
                               : names.empty()
                                   ? std::string(" (which has none of its own)")
                                   : fmt::format(" (must be one of {}){}", fmt::join(names, ", "),
                                                 suggestion(option, names))));
}

std::vector<std::pair<std::string, std::string>> law_options(const Law& law) {
  std::vector<std::pair<std::string, std::string>> options;
  for_each_law_option(law, [&](const OptionInfo& info, const auto& member) {
    options.emplace_back(info.name, option_text(info, member));
  });
  return options;
}

std::string law_words(const Law& law, const std::string& impulse_step) {
  std::string words;
  if (!std::holds_alternative<law::SetValued>(law)) words = fmt::format("law {}", law_name(law));
  for (const auto& [name, text] : law_options(law)) {
    if (text == "0" || text == auto_word) continue;  // it has no effect
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", name, text);
  }
  return has_impulse_step(law) ? fmt::format("{}, h = {}", words, impulse_step) : words;
}

void choose(Law& law, int contacts) {
  visit_law(law, [&](auto entry, auto& its) { entry.choose(its, contacts); });
}

void choose_solutions_in_time(Law& law) {
  auto* const its = std::get_if<law::SetValued>(&law);
  if (its != nullptr) its->solutions.choose(LawEntry<law::SetValued>::solutions_in_time);
}

void validate(const Law& law, std::optional<int> contacts) {
  for_each_law_option(
      law, [](const OptionInfo& info, const auto& value) { check_range("law", info, value); });
  visit_law(law, [&](auto entry, const auto& its) { entry.check(its, contacts); });
}

void validate(const Law& law, const ImpactProblem& problem) {
  validate(law, problem.contacts());
  visit_law(law, [&]<class Entry>(Entry entry, const auto& its) {
    if (Entry::step != StepKind::impact) {
      require_lcp_capacity(problem, fmt::format("with law {}", Entry::name));
    }
    if (!Entry::restitution) {
      require_no_restitution(problem, fmt::format("with law {}, which has none", Entry::name));
    }
    entry.check_problem(its, problem);
  });
}

std::optional<double> default_restitution(const Law& law) {
  return visit_law(law, []<class Entry>(Entry, const auto&) -> std::optional<double> {
    return Entry::restitution;
  });
}

std::optional<Eigen::VectorXd> restitution_of(const ImpactProblem& problem, const Law& law) {
  const std::optional<double> usual = default_restitution(law);
  if (!usual) return std::nullopt;
  if (problem.restitution.size() > 0) return problem.restitution;
  return Eigen::VectorXd::Constant(problem.contacts(), *usual);
}

bool rebounds(const ImpactProblem& problem, const Law& law) {
  const auto restitution = restitution_of(problem, law);
  return has_restitution(problem) || (restitution && restitution->maxCoeff() > 0.0);
}

const char* drawn_option(const Law& law) {
  const char* drawn = nullptr;
  const auto note = [&](const OptionInfo& info, const Uncertain& value) {
    if (value.is_drawn()) drawn = info.name;
  };
  for_each_law_option(law, [&]<class T>(const OptionInfo& info, const T& value) {
    if constexpr (std::is_same_v<T, Uncertain>) {
      note(info, value);
    } else if constexpr (std::is_same_v<T, std::vector<Uncertain>>) {
      for (const Uncertain& one : value) note(info, one);
    }
  });
  return drawn;
}

std::vector<Uncertain>* replacement_of(Law& law, std::string_view field) {
  std::vector<Uncertain>* found = nullptr;
  for_each_law_option(law, [&]<class T>(const OptionInfo& info, T& value) {
    if constexpr (std::is_same_v<T, std::vector<Uncertain>>) {
      if (field == info.replaces) found = &value;
    }
  });
  return found;
}

bool draws_velocity(const Law& law) {
  Law own = law;
  const std::vector<Uncertain>* const stated = replacement_of(own, "pre_impact_velocity");
  return stated != nullptr && std::ranges::any_of(*stated, &Uncertain::is_drawn);
}

void replace_in(ImpactProblem& problem, Law law) {
  const auto replace = [&](const char* field, Eigen::VectorXd& own, Eigen::Index size) {
    const std::vector<Uncertain>* const stated = replacement_of(law, field);
    if (stated == nullptr) return;
    const auto count = static_cast<Eigen::Index>(stated->size());
    if (count != size && (count != 1 || &own == &problem.pre_impact_velocity)) return;
    own.resize(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      own(i) = (*stated)[static_cast<std::size_t>(count == 1 ? 0 : i)].middle();
    }
  };
  replace("friction", problem.friction, problem.contacts());
  replace("restitution", problem.restitution, problem.contacts());
  replace("pre_impact_velocity", problem.pre_impact_velocity, problem.velocities());
}

bool has_impulse_step(const Law& law) {
  return visit_law(law, [](auto entry, const auto&) { return decltype(entry)::has_impulse_step; });
}

int default_max_steps(const Law& law) {
  return visit_law(law, [](auto entry, const auto&) { return decltype(entry)::max_steps; });
}

int generous_max_steps(const Law& law) {
  constexpr int factor = 10;  // of LCPs: the other laws' defaults are generous
  const int more = default_max_steps(law) * (step_kind(law) == StepKind::lcp ? factor : 1);
  return std::min(more, max_step_limit);
}

StepKind step_kind(const Law& law) {
  return visit_law(law, [](auto entry, const auto&) { return decltype(entry)::step; });
}

bool steps_by_cones(const Law& law) {
  return visit_law(law, [](auto entry, const auto&) { return decltype(entry)::steps_by_cones; });
}

void validate(const Law& law, const EvidenceOptions& evidence) {
  const bool has_scripts =
      visit_law(law, [](auto entry, const auto&) { return decltype(entry)::has_scripts; });
  if (has_scripts || evidence.seek_extremes < 0) return;
  throw FieldError("evidence.seek_extremes",
                   fmt::format("seek_extremes is {} (must be off with law {}: the search varies "
                               "the caps of set_valued)",
                               evidence.seek_extremes, law_name(law)));
}

std::optional<SolutionMethod> all_solutions_by(const Law& law, const ImpactProblem& problem) {
  return visit_law(law, [&](auto entry, const auto& its) -> std::optional<SolutionMethod> {
    if (!entry.counts_solutions(its)) return std::nullopt;
    const ImpactProblem valid = validated(problem);
    return entry.solution_method(std::span(&valid, 1));
  });
}

bool finds_solutions_by_lines(const ImpactProblem& problem, const Law& law) {
  return all_solutions_by(law, problem) == SolutionMethod::lines;
}

Law of_contacts(const Law& law, std::span<const int> contacts) {
  return visit_law(
      law, [&](auto entry, const auto& its) { return Law(entry.of_contacts(its, contacts)); });
}

Law independent(const Law& law) {
  return visit_law(law, [](auto entry, const auto& its) { return Law(entry.independent(its)); });
}

}  // namespace carom
