#include "host/scenario/scenario_keys.hpp"

#include <algorithm>
#include <climits>

#include "host/laws/law_list.hpp"
#include "host/scenario/evidence_keys.hpp"
#include "host/scenario/mujoco_keys.hpp"

namespace carom {
namespace {

using Document = ScenarioDocument;
using Node = toml::node;

/// One key of [sampling]: its name, and how its value enters a scenario.
struct SamplingKey {
  const char* name;
  void (*read)(const Document& document, const Node& node, Scenario& scenario);
};

int read_int(const Document& document, const char* key, const Node& node) {
  return static_cast<int>(document.integer(key, node, INT_MIN, INT_MAX));
}

std::uint32_t read_word(const Document& document, const char* key, const Node& node) {
  return static_cast<std::uint32_t>(document.integer(key, node, 0, UINT32_MAX));
}

std::uint64_t read_samples(const Document& document, const Node& node) {
  if (node.is_integer()) return static_cast<std::uint64_t>(document.integer("samples", node, 0));
  if (!node.is_string()) document.fail_type("samples", node, "\"all\", \"none\" or an integer");
  return document.choice("samples", node, {"all", "none"}) == 0 ? UINT64_MAX : 0;
}

// Ranges that concern more than the type are left to validate(SamplingOptions).
constexpr SamplingKey sampling_keys[] = {
    {"trajectories",
     [](const Document& d, const Node& n, Scenario& s) {
       s.sampling.trajectories = static_cast<std::uint64_t>(d.integer("trajectories", n, 1));
     }},
    {"max_steps", [](const Document& d, const Node& n,
                     Scenario& s) { s.sampling.max_steps = read_int(d, "max_steps", n); }},
    {"impulse_step", [](const Document& d, const Node& n,
                        Scenario& s) { s.sampling.impulse_step = d.number("impulse_step", n); }},
    {"epsilon", [](const Document& d, const Node& n,
                   Scenario& s) { s.sampling.epsilon = d.number("epsilon", n); }},
    {"norm",
     [](const Document& d, const Node& n, Scenario& s) {
       const auto choice = d.choice("norm", n, {"euclidean", "kinetic"});
       s.sampling.norm = choice == 0 ? Norm::euclidean : Norm::kinetic;
     }},
    {"termination_tolerance",
     [](const Document& d, const Node& n, Scenario& s) {
       s.sampling.termination_tolerance = d.number("termination_tolerance", n);
     }},
    {"seed", [](const Document& d, const Node& n,
                Scenario& s) { s.sampling.seed = read_word(d, "seed", n); }},
    {"problem_id", [](const Document& d, const Node& n,
                      Scenario& s) { s.sampling.problem_id = read_word(d, "problem_id", n); }},
    {"backend",
     [](const Document& d, const Node& n, Scenario& s) {
       constexpr Backend backends[] = {Backend::automatic, Backend::cpu, Backend::cuda};
       s.sampling.backend = backends[d.choice("backend", n, {"auto", "cpu", "cuda"})];
     }},
    {"threads", [](const Document& d, const Node& n,
                   Scenario& s) { s.sampling.threads = read_int(d, "threads", n); }},
    {"device", [](const Document& d, const Node& n,
                  Scenario& s) { s.sampling.device = read_int(d, "device", n); }},
    {"chunk",
     [](const Document& d, const Node& n, Scenario& s) {
       s.sampling.chunk = static_cast<std::uint64_t>(d.integer("chunk", n, 0));
     }},
    {"samples",
     [](const Document& d, const Node& n, Scenario& s) { s.storage.samples = read_samples(d, n); }},
    {"paths",
     [](const Document& d, const Node& n, Scenario& s) {
       s.storage.paths = static_cast<std::uint64_t>(d.integer("paths", n, 0));
     }},
    {"shard_rows",
     [](const Document& d, const Node& n, Scenario& s) {
       s.storage.shard_rows = static_cast<std::uint64_t>(d.integer("shard_rows", n, 0));
     }},
};

const std::vector<std::string>& law_keys() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list = law_option_names();
    list.emplace_back("name");
    return list;
  }();
  return names;
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
    try {
      set_law_option(law, option, document.text(option, *node), option);
    } catch (const InputError& error) {
      document.fail(node->source(), error.what());
    }
  }
}

const std::vector<std::string>& sampling_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const SamplingKey& key : sampling_keys) list.emplace_back(key.name);
    for (const std::string& option : law_option_names()) list.push_back(option);
    return list;
  }();
  return names;
}

/// ` (it belongs in [sampling])` for a key that another table knows.
std::string home_of(const std::string& key) {
  const auto has = [&](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), key) != names.end();
  };
  if (has(law_option_names())) return "; it belongs in [law]";
  if (has(sampling_names())) return "; it belongs in [sampling]";
  if (has(problem_keys())) return "; it belongs in [problem]";
  if (has(evidence_keys())) return "; it belongs in [evidence]";
  if (has(mujoco_keys())) return "; it belongs in [mujoco]";
  if (has(top_keys())) return "; it belongs at the top, before any [table]";
  return "";
}

}  // namespace

const std::vector<std::string>& top_keys() {
  static const std::vector<std::string> names = {"system", "parameters", "mujoco",  "problem",
                                                 "law",    "sampling",   "evidence"};
  return names;
}

const std::vector<std::string>& problem_keys() {
  static const std::vector<std::string> names = {
      "mass_matrix",         "normal_jacobian", "tangent_jacobian",   "friction",
      "pre_impact_velocity", "contact_names",   "friction_directions"};
  return names;
}

void check_keys(const ScenarioDocument& document, const toml::table& table,
                const std::string& place, const std::vector<std::string>& known) {
  document.check_keys(table, place, known, home_of);
}

StatedSampling read_sampling(const ScenarioDocument& document, Scenario& scenario) {
  const toml::table* table = document.table("sampling");
  if (table != nullptr) check_keys(document, *table, "[sampling]", sampling_names());
  read_law(document, scenario.sampling.law);
  if (table == nullptr) return {};
  for (const SamplingKey& key : sampling_keys) {
    const toml::node* node = table->get(key.name);
    if (node != nullptr) key.read(document, *node, scenario);
  }
  return {table->contains("impulse_step"), table->contains("epsilon")};
}

}  // namespace carom
