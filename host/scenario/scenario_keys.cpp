#include "host/scenario/scenario_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "host/laws/law_list.hpp"
#include "host/options/option_list.hpp"
#include "host/options/option_text.hpp"
#include "host/scenario/mujoco_keys.hpp"
#include "host/scenario/uncertain_keys.hpp"

namespace carom {
namespace {

using Document = ScenarioDocument;
using Node = toml::node;

// Reads an option of the lists; validate() checks ranges beyond those of the type.

void read_option(const Document& document, const OptionInfo& info, const Node& node,
                 double& value) {
  value = document.number(info.name, node);
}

void read_option(const Document& document, const OptionInfo& info, const Node& node, bool& value) {
  value = document.truth(info.name, node);
}

void read_option(const Document& document, const OptionInfo& info, const Node& node,
                 OptionChoice auto& value) {
  using Choice = std::remove_reference_t<decltype(value)>;
  value = static_cast<Choice>(document.choice(info.name, node, words_of(value)));
}

void read_option(const Document& document, const OptionInfo& info, const Node& node,
                 OptionInteger auto& value) {
  using Integer = std::remove_reference_t<decltype(value)>;
  if (info.words[0].text != nullptr && !node.is_number()) {
    std::vector<std::string> words;
    for (const OptionInfo::Word& word : info.words) {
      if (word.text != nullptr) words.emplace_back(word.text);
    }
    if (!node.is_string()) {
      document.fail_type(info.name, node,
                         fmt::format("\"{}\" or an integer", fmt::join(words, "\", \"")));
    }
    value = static_cast<Integer>(info.words[document.choice(info.name, node, words)].number);
    return;
  }
  constexpr auto greatest = std::numeric_limits<Integer>::max();
  value = static_cast<Integer>(document.integer(
      info.name, node, std::numeric_limits<Integer>::min(),
      std::in_range<std::int64_t>(greatest) ? static_cast<std::int64_t>(greatest) : INT64_MAX));
}

void read_option(const Document& document, const OptionInfo& info, const Node& node,
                 std::vector<double>& value) {
  if (node.is_string() && node.value<std::string>() == auto_word) {
    value.clear();
  } else {
    value = node.is_number() ? std::vector<double>{document.number(info.name, node)}
                             : document.numbers(info.name, node);
  }
}

void read_option(const Document& document, const OptionInfo& info, const Node& node,
                 Uncertain& value) {
  value = read_uncertain(document, info.name, node);
}

void read_option(const Document& document, const OptionInfo& info, const Node& node,
                 std::vector<Uncertain>& value) {
  value = read_uncertain_list(document, info.name, node);
}

template <class T>
void read_option(const Document& document, const OptionInfo& info, const Node& node,
                 Choice<T>& value) {
  value = {};
  if (node.is_string() && node.value<std::string>() == auto_word) return;
  T stated{};
  read_option(document, info, node, stated);
  value = std::move(stated);
}

std::string asked_key(const OptionInfo& info) { return std::string(info.name) + asked_suffix; }

/// Reads whose a value is that no user stated.
template <class T>
void read_asked(const Document&, const toml::table&, const OptionInfo&, const T&) {}
template <class T>
void read_asked(const Document& document, const toml::table& table, const OptionInfo& info,
                Choice<T>& value) {
  const std::string key = asked_key(info);
  const Node* const asked = table.get(key);
  if (asked == nullptr) return;
  const std::string whose = document.text(key, *asked);
  if ((whose != auto_word && whose != preset_word) || !value.has_value()) {
    document.fail(asked->source(), fmt::format("{} must be \"{}\" or \"{}\", beside a value of {}",
                                               key, auto_word, preset_word, info.name));
  }
  if (whose == preset_word) {
    value = Choice<T>::preset(*value);
  } else {
    value.mark_chosen();
  }
}

/// Reads the keys of `table` that are options of the list of `options`.
template <class Options>
void read_options(const Document& document, const toml::table& table, Options& options) {
  for_each_option(
      [&](const OptionInfo& info, auto& value) {
        if (const Node* node = table.get(info.name)) read_option(document, info, *node, value);
        read_asked(document, table, info, value);
      },
      options);
}

template <class T>
void add_key(const OptionInfo& info, const T&, std::vector<std::string>& keys) {
  if (std::ranges::find(keys, info.name) != keys.end()) return;  // two laws have it
  keys.emplace_back(info.name);
  if constexpr (is_choice<T>) keys.push_back(asked_key(info));
}

template <class Options>
void add_names(const Options& options, std::vector<std::string>& names) {
  for_each_option([&](const OptionInfo& info, const auto& value) { add_key(info, value, names); },
                  options);
}

/// The keys of a table that holds one list of options.
template <class Options>
const std::vector<std::string>& names_of() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    add_names(Options{}, list);
    return list;
  }();
  return names;
}

const std::vector<std::string>& law_keys() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list = {"name"};
    for (const Law& law : all_laws()) {
      for_each_law_option(
          law, [&](const OptionInfo& info, const auto& value) { add_key(info, value, list); });
    }
    return list;
  }();
  return names;
}

/// Reads an own option of the law that is a number, numbers or a boolean; false if the node or the
/// option is none.
bool read_law_number(const Document& document, const std::string& option, const Node& node,
                     Law& law) {
  bool read = false;
  for_each_law_option(law, [&]<class T>(const OptionInfo& info, T& value) {
    constexpr bool is_list = std::is_same_v<T, std::vector<Uncertain>>;
    constexpr bool is_drawn = is_list || std::is_same_v<T, Uncertain>;
    if constexpr (is_drawn || std::is_arithmetic_v<T>) {
      if (option != info.name) return;
      const bool fits = std::is_same_v<T, bool> ? !node.is_table()
                                                : node.is_number() ||
                                                      (is_list && node.is_array()) ||
                                                      (is_drawn && node.is_table());
      if (!fits) return;
      read_option(document, info, node, value);
      read = true;
    }
  });
  if (!read && node.is_table()) {
    document.fail(node.source(), fmt::format("{} is a distribution (must be a value: law {} does "
                                             "not draw it; a family of problems may vary it)",
                                             option, law_name(law)));
  }
  return read;
}

/// Sets the law and its own options, from [law] and from [sampling].
void read_law(const Document& document, Law& law) {
  const toml::table* own = document.table("law");
  const toml::table* sampling = document.table("sampling");
  if (own != nullptr) {
    check_keys(document, *own, "[law]", law_keys());
    if (const Node* name = own->get("name")) {
      const std::string wanted = document.text("name", *name);
      try {
        if (wanted != law_name(law)) law = law_named(wanted);
      } catch (const InputError& error) {
        document.fail(name->source(), error.what());
      }
    }
  }
  for (const std::string& option : law_option_names()) {
    const Node* here = own == nullptr ? nullptr : own->get(option);
    const Node* there = sampling == nullptr ? nullptr : sampling->get(option);
    if (here != nullptr && there != nullptr) {
      document.fail(there->source(),
                    option + " is in [law], too (must be in one of [law] and [sampling])");
    }
    const Node* node = here != nullptr ? here : there;
    if (node == nullptr) continue;
    if (read_law_number(document, option, *node, law)) continue;
    try {
      set_law_option(law, option, document.text(option, *node), option);
    } catch (const InputError& error) {
      document.fail(node->source(), error.what());
    }
  }
  if (own == nullptr) return;
  for_each_law_option(
      law, [&](const OptionInfo& info, auto& value) { read_asked(document, *own, info, value); });
}

const std::vector<std::string>& sampling_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    add_names(SamplingOptions{}, list);
    add_names(StorageOptions{}, list);
    for (const std::string& option : law_option_names()) list.push_back(option);
    return list;
  }();
  return names;
}

const std::vector<std::string>& output_keys() {
  static const std::vector<std::string> names = {"matrix", "names", "directions", "ask"};
  return names;
}

/// "; it belongs in [sampling]" for a key that another table knows.
std::string home_of(const std::string& key) {
  const auto has = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), key) != names.end();
  };
  if (has(law_option_names())) return "; it belongs in [law]";
  if (has(sampling_names())) return "; it belongs in [sampling]";
  if (has(problem_keys())) return "; it belongs in [problem]";
  if (has(names_of<EvidenceOptions>())) return "; it belongs in [evidence]";
  if (has(names_of<ExploreOptions>())) return "; it belongs in [explore]";
  if (has(names_of<BoundOptions>())) return "; it belongs in [bound]";
  if (has(names_of<RollOptions>())) return "; it belongs in [roll]";
  if (has(mujoco_keys())) return "; it belongs in [mujoco]";
  if (has(output_keys())) return "; it belongs in [outputs]";
  if (key == "name" || key == "system") return "; it belongs at the top, before any [table]";
  if (has(top_keys())) return fmt::format("; [{}] is a table of its own", key);
  return "";
}

}  // namespace

const std::vector<std::string>& top_keys() {
  static const std::vector<std::string> names = {
      "name",    "system",  "parameters", "mujoco", "problem", "law",   "sampling", "evidence",
      "outputs", "explore", "bound",      "world",  "body",    "floor", "roll",     "start"};
  return names;
}

const std::vector<std::string>& problem_keys() {
  static const std::vector<std::string> names = {
      "mass_matrix",         "normal_jacobian", "tangent_jacobian", "friction",
      "pre_impact_velocity", "contact_names",   "speed_units",      "friction_directions",
      "restitution",         "merged_contacts"};
  return names;
}

void check_keys(const ScenarioDocument& document, const toml::table& table,
                const std::string& place, const std::vector<std::string>& known) {
  document.check_keys(table, place, known, home_of);
}

void read_sampling(const ScenarioDocument& document, Scenario& scenario) {
  const toml::table* table = document.table("sampling");
  if (table != nullptr) check_keys(document, *table, "[sampling]", sampling_names());
  read_law(document, scenario.sampling.law);
  if (table == nullptr) return;
  read_options(document, *table, scenario.sampling);
  read_options(document, *table, scenario.storage);
}

void read_evidence(const ScenarioDocument& document, EvidenceOptions& options) {
  const toml::table* table = document.table("evidence");
  if (table == nullptr) return;
  check_keys(document, *table, "[evidence]", names_of<EvidenceOptions>());
  read_options(document, *table, options);
}

void read_bound(const ScenarioDocument& document, std::optional<BoundOptions>& options) {
  const toml::table* table = document.table("bound");
  if (table == nullptr) return;
  check_keys(document, *table, "[bound]", names_of<BoundOptions>());
  read_options(document, *table, options.emplace());
}

void read_roll(const ScenarioDocument& document, std::optional<RollOptions>& options) {
  const toml::table* table = document.table("roll");
  if (table == nullptr) return;
  std::vector<std::string> names = names_of<RollOptions>();
  names.emplace_back("ask");
  check_keys(document, *table, "[roll]", names);
  read_options(document, *table, options.emplace());
  if (const Node* ask = table->get("ask")) options->ask = document.texts("ask", *ask);
}

void read_explore(const ScenarioDocument& document, std::optional<ExploreOptions>& options) {
  const toml::table* table = document.table("explore");
  if (table == nullptr) return;
  check_keys(document, *table, "[explore]", names_of<ExploreOptions>());
  read_options(document, *table, options.emplace());
  const auto refuse = [&](const Node& node, const std::string& key, const char* its_table) {
    document.fail(node.source(),
                  fmt::format("{} is in [{}] (must be without [explore], which draws "
                              "no random trajectories)",
                              key, its_table));
  };
  const toml::table* sampling = document.table("sampling");
  const Node* trajectories = sampling == nullptr ? nullptr : sampling->get("trajectories");
  if (trajectories != nullptr) refuse(*trajectories, "trajectories", "sampling");
  const toml::table* evidence = document.table("evidence");
  if (evidence == nullptr || evidence->empty()) return;
  if (evidence->contains("hold_out_asked")) return;  // of a file that an earlier version wrote
  const auto first = evidence->begin();
  refuse(first->second, std::string(first->first.str()), "evidence");
}

void read_outputs(const ScenarioDocument& document, const ImpactProblem& problem,
                  Outputs& outputs) {
  const toml::table* table = document.table("outputs");
  if (table == nullptr) return;
  check_keys(document, *table, "[outputs]", output_keys());
  const Node* const names = table->get("names");
  if (const Node* matrix = table->get("matrix")) {
    outputs.matrix = document.matrix("matrix", *matrix);
    if (names != nullptr) {
      outputs.names = document.texts("names", *names);
    } else {
      for (Eigen::Index i = 0; i < outputs.matrix.rows(); ++i) {
        outputs.names.push_back(fmt::format("output {}", i + 1));
      }
    }
    try {
      validate(outputs, problem);
    } catch (const InputError& error) {
      document.fail(matrix->source(), error.what());
    }
  } else if (names != nullptr) {
    document.fail(names->source(), "names is in [outputs] (must be with matrix: one per row)");
  }
  const auto add_texts = [&](const char* key, const auto& add) {
    const Node* const texts = table->get(key);
    if (texts == nullptr) return;
    const std::vector<std::string> stated = document.texts(key, *texts);
    try {
      for (const std::string& text : stated) add(text);
      validate(outputs, problem);
    } catch (const InputError& error) {
      document.fail(texts->source(), error.what());
    }
  };
  add_texts("directions", [&](const std::string& text) {
    add_direction(problem, text, "an entry of directions", outputs);
  });
  add_texts("ask", [&](const std::string& text) { add_question(problem, text, outputs); });
}

}  // namespace carom
