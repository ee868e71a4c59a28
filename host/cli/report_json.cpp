#include <fmt/core.h>

#include <type_traits>

#include "carom/version.hpp"
#include "host/base/note_json.hpp"
#include "host/cli/report.hpp"
#include "host/cli/report_answers.hpp"
#include "host/cli/report_bound.hpp"
#include "host/cli/report_comparison.hpp"
#include "host/cli/report_evidence.hpp"
#include "host/cli/report_modes.hpp"
#include "host/cli/report_solutions.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_list.hpp"
#include "host/options/option_text.hpp"
#include "host/options/uncertain_text.hpp"

namespace carom::cli {
namespace {

using nlohmann::ordered_json;

/// Null if nothing was counted: JSON has no NaN.
ordered_json ratio_json(double part, double whole) {
  if (!(whole > 0.0)) return nullptr;
  return part / whole;
}

ordered_json status_json(const Summary& summary) {
  ordered_json counts = ordered_json::object();
  for (int s = 0; s < status_count; ++s) {
    counts[status_name(static_cast<Status>(s))] =
        summary.status_counts[static_cast<std::size_t>(s)];
  }
  return counts;
}

ordered_json steps_json(const Summary& summary, StepKind kind) {
  const auto trajectories = static_cast<double>(summary.trajectories);
  ordered_json json = {{"total", summary.lcps},
                       {"mean", ratio_json(static_cast<double>(summary.lcps), trajectories)},
                       {"max", summary.max_lcps},
                       {"histogram", summary.lcp_histogram}};
  if (kind != StepKind::lcp) return json;
  const auto solves = static_cast<double>(summary.lcps + summary.final_steps);
  json["pivots"] = summary.pivots;
  json["pivots_per_lcp"] = ratio_json(static_cast<double>(summary.pivots), solves);
  json["double_double"] = summary.retries;
  return json;
}

ordered_json table_json(const PostImpactSet& set) {
  if (set.table.bases == 0) return nullptr;
  return {{"bases", set.table.bases},
          {"pilot_trajectories", set.table.pilot_trajectories},
          {"hits", set.summary.table_hits},
          {"hit_rate", set.summary.table_hit_rate()}};
}

/// @param reached by all outcomes; the mean is of the trajectories
ordered_json energy_json(const Summary& summary, const Range& reached) {
  const auto outcomes = static_cast<double>(summary.outcomes());
  return {{"before", summary.energy_before},
          {"after", range_json(reached)},
          {"mean_after", ratio_json(summary.energy_sum, outcomes)}};
}

template <class T>
ordered_json value_json(const OptionInfo& info, const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return value;
  } else if constexpr (std::is_same_v<T, Uncertain>) {
    if (!value.is_drawn()) return value.first();
    const auto [first, second] = keys_of(value.kind());
    return {{first, value.first()}, {second, value.second()}};
  } else if constexpr (std::is_same_v<T, std::vector<Uncertain>>) {
    if (value.empty()) return option_text(info, value);
    ordered_json list = ordered_json::array();
    for (const Uncertain& one : value) list.push_back(value_json(info, one));
    return list;
  } else if constexpr (std::is_same_v<T, std::vector<double>>) {
    if (value.empty()) return option_text(info, value);
    return value;
  } else {
    return option_text(info, value);
  }
}

template <class T>
void add_option(ordered_json& json, const OptionInfo& info, const T& value) {
  json[info.name] = value_json(info, value);
}
/// An option that may be left to Carom: its value, and what was asked for.
template <class T>
void add_option(ordered_json& json, const OptionInfo& info, const Choice<T>& value) {
  json[info.name] = value.has_value() ? value_json(info, *value) : ordered_json(auto_word);
  json[std::string(info.name) + asked_suffix] = value.is_preset()   ? ordered_json(preset_word)
                                                : value.is_stated() ? value_json(info, *value)
                                                                    : ordered_json(auto_word);
}

}  // namespace

ordered_json range_json(const Range& range) {
  if (range.empty()) return nullptr;
  return {range.least, range.greatest};
}

ordered_json contacts_json(const ImpactProblem& problem, const OutcomeRanges& reached) {
  ordered_json contacts = ordered_json::array();
  const auto d = static_cast<std::size_t>(problem.tangent_dimension());
  for (std::size_t i = 0; i < reached.normal_velocity.size(); ++i) {
    ordered_json tangential = ordered_json::array();
    for (std::size_t t = 0; t < d; ++t) {
      tangential.push_back(range_json(reached.tangential_velocity[i * d + t]));
    }
    contacts.push_back({{"name", problem.contact_names[i]},
                        {"unit", speed_unit(problem, static_cast<int>(i))},
                        {"normal_velocity", range_json(reached.normal_velocity[i])},
                        {"tangential_velocity", tangential}});
  }
  return contacts;
}

std::string steps_key(StepKind kind) {
  std::string key = step_name(kind);
  for (char& letter : key) letter = static_cast<char>(std::tolower(letter));
  return key + "s";
}

ordered_json report_json(const RunReport& report) {
  const auto& [scenario, set, file] = report;
  const Summary& summary = set.summary;
  ordered_json document;
  document["version"] = version();
  document["name"] = title(scenario);
  document["system"] = scenario.system;
  document["complete"] = set.complete;
  document["size"] = size_json(scenario.problem);
  document["law"] = law_json(scenario.sampling.law);
  const auto restitution = restitution_of(scenario.problem, scenario.sampling.law);
  document["restitution"] = restitution ? vector_json(*restitution) : ordered_json();
  document["sampling"] = sampling_json(scenario.sampling);
  document["backend"] = backend_name(set.backend);
  document["device"] = set.device;
  document["trajectories"] = summary.trajectories;
  document["outcomes"] = summary.outcomes();
  document["status"] = status_json(summary);
  const StepKind steps = step_kind(scenario.sampling.law);
  if (steps == StepKind::lcp) document["final_steps"] = summary.final_steps;
  document[steps_key(steps)] = steps_json(summary, steps);
  document["table"] = table_json(set);
  document["solutions"] = solutions_json(scenario, set);
  const OutcomeRanges reached = ranges_of(scenario.problem, set);
  document["energy"] = energy_json(summary, reached.energy);
  document["contacts"] = contacts_json(scenario.problem, reached);
  document["bound"] = set.bound ? bound_json(scenario.problem, *set.bound) : ordered_json();
  document["directions"] = directions_json(output_ends(scenario.evidence.outputs, set));
  document["answers"] = answers_json(answers(scenario.problem, scenario.evidence.outputs, set,
                                             scenario.sampling.termination_tolerance));
  document["net"] = {{"size", set.net.size()},
                     {"epsilon", set.net.epsilon()},
                     {"norm", norm_name(scenario.sampling.norm)}};
  document["modes"] = modes_json(scenario.problem, set.modes);
  document["comparison"] = comparison_json(scenario.problem, set.comparison, set.net.epsilon());
  document["evidence"] = evidence_json(scenario, set);
  document["psi"] = set.psi;
  document["final_cap"] = set.final_cap;
  document["checksum"] = fmt::format("{:016x}", summary.checksum);
  document["seconds"] = summary.seconds;
  document["seconds_in_all"] = seconds_in_all();
  document["trajectories_per_second"] =
      ratio_json(static_cast<double>(summary.trajectories), summary.seconds);
  document[steps_key(steps) + "_per_second"] =
      ratio_json(static_cast<double>(summary.lcps), summary.seconds);
  document["file"] = file.empty() ? ordered_json(nullptr) : ordered_json(file.string());
  document["notes"] = notes_json(set.notes);
  return document;
}

ordered_json size_json(const ImpactProblem& problem) {
  return {{"n", (3 + problem.friction_directions) * problem.contacts()},
          {"m", problem.contacts()},
          {"nv", problem.velocities()},
          {"d", problem.tangent_dimension()},
          {"k", problem.friction_directions}};
}

ordered_json sampling_json(const SamplingOptions& options) {
  ordered_json json;
  const auto add = [&](const OptionInfo& info, const auto& value) {
    if (!info.is_machine) add_option(json, info, value);
  };
  for_each_option(add, options);
  for_each_law_option(options.law, add);
  return json;
}

ordered_json roll_options_json(const RollOptions& options) {
  ordered_json json;
  for_each_option([&](const OptionInfo& info, const auto& value) { add_option(json, info, value); },
                  options);
  return json;
}

ordered_json law_json(const Law& law) {
  ordered_json json = {{"name", law_name(law)}};
  for_each_law_option(
      law, [&](const OptionInfo& info, const auto& value) { add_option(json, info, value); });
  return json;
}

}  // namespace carom::cli
