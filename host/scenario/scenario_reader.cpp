#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "carom/options.hpp"
#include "carom/roll.hpp"
#include "host/base/field_error.hpp"
#include "host/base/nearest_name.hpp"
#include "host/base/note_list.hpp"
#include "host/files/input_files.hpp"
#include "host/laws/law_list.hpp"
#include "host/sampling/default_sampling.hpp"
#include "host/scenario/compliant_keys.hpp"
#include "host/scenario/mujoco_keys.hpp"
#include "host/scenario/scenario_document.hpp"
#include "host/scenario/scenario_keys.hpp"
#include "host/scenario/scenario_reader.hpp"
#include "host/scenario/uncertain_keys.hpp"
#include "host/scenario/world_keys.hpp"

namespace carom {
namespace {

constexpr const char* matrices = "matrices";
constexpr const char* mujoco = "mujoco";

/// Adds a line to errors of the validation.
template <class Function>
auto with_place(const ScenarioDocument& document, Function&& function) {
  try {
    return function();
  } catch (const FieldError& error) {
    document.fail_at(error.path(), error.what());
  }
}

std::vector<std::string> system_names() {
  std::vector<std::string> names = {matrices, mujoco, planar_system, spatial_system};
  for (const System& system : systems()) names.push_back(system.name);
  names.insert(names.end(), std::begin(compliant_systems), std::end(compliant_systems));
  return names;
}

const System* find_system(const ScenarioDocument& document, const toml::node& node,
                          const std::string& name) {
  for (const System& system : systems()) {
    if (system.name == name) return &system;
  }
  const bool has_world = name == planar_system || name == spatial_system;
  if (name == matrices || name == mujoco || has_world || is_compliant(name)) return nullptr;
  const std::vector<std::string> names = system_names();
  document.fail(node.source(), fmt::format("system is \"{}\" (must be one of {}){}", name,
                                           fmt::join(names, ", "), suggestion(name, names)));
}

/// The system to which a file's tables belong; empty if they do not tell.
std::string likely_system(const toml::table& root) {
  const toml::node_view<const toml::node> problem = root["problem"];
  if (root.contains(mujoco)) return mujoco;
  if (problem["contact_stiffness"]) return "springs";
  if (problem["mass_matrix"]) return matrices;
  const toml::node_view<const toml::node> position = root["body"][0]["position"];
  if (!position.is_array()) return "";
  const bool turns = root["body"][0]["rotation_deg"] || root["body"][0]["quaternion"];
  const bool has_depth =
      root["body"][0]["size"].is_array() && root["body"][0]["size"].as_array()->size() == 3;
  return turns || has_depth ? spatial_system : planar_system;
}

/// One number for all contacts, or one each.
Eigen::VectorXd read_coefficients(const ScenarioDocument& document, const char* key,
                                  const toml::node& node, Eigen::Index contacts) {
  return read_middles(document, key, node, contacts, true);
}

Eigen::VectorXd read_velocity(const ScenarioDocument& document, const toml::node& node) {
  return read_middles(document, "pre_impact_velocity", node, 0, false);
}

int read_friction_directions(const ScenarioDocument& document, const toml::node& node) {
  return static_cast<int>(document.integer("friction_directions", node, 2, INT_MAX));
}

const toml::node& required(const ScenarioDocument& document, const toml::table& table,
                           const char* key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    document.fail(table.source(),
                  fmt::format("{} is missing in [problem] ({})", key,
                              document.table(mujoco) == nullptr
                                  ? "system \"matrices\" needs it"
                                  : "without mass_matrix the model of [mujoco] gives it"));
  }
  return *node;
}

ImpactProblem read_matrices(const ScenarioDocument& document) {
  const toml::table* table = document.table("problem");
  if (table == nullptr) {
    document.fail({}, "[problem] is missing (system \"matrices\" needs it)");
  }
  check_keys(document, *table, "[problem]", problem_keys());
  const auto matrix = [&](const char* key) {
    return document.matrix(key, required(document, *table, key));
  };
  ImpactProblem problem;
  problem.mass_matrix = matrix("mass_matrix");
  problem.normal_jacobian = matrix("normal_jacobian");
  const Eigen::Index contacts = problem.normal_jacobian.rows();
  const bool has_tangents = table->contains("tangent_jacobian");
  problem.friction = Eigen::VectorXd::Zero(contacts);
  if (has_tangents || table->contains("friction")) {
    problem.friction =
        read_coefficients(document, "friction", required(document, *table, "friction"), contacts);
  }
  if (has_tangents || !problem.friction.isZero(0.0)) {
    problem.tangent_jacobian = matrix("tangent_jacobian");
  }
  if (const toml::node* restitution = table->get("restitution")) {
    problem.restitution = read_coefficients(document, "restitution", *restitution, contacts);
  }
  problem.pre_impact_velocity =
      read_velocity(document, required(document, *table, "pre_impact_velocity"));
  if (const toml::node* names = table->get("contact_names")) {
    problem.contact_names = document.texts("contact_names", *names);
  }
  if (const toml::node* units = table->get("speed_units")) {
    problem.speed_units = document.texts("speed_units", *units);
  }
  problem.friction_directions = default_friction_directions(problem.tangent_dimension());
  if (const toml::node* directions = table->get("friction_directions")) {
    problem.friction_directions = read_friction_directions(document, *directions);
  }
  if (const toml::node* merged = table->get("merged_contacts")) {
    problem.merged_contacts =
        static_cast<int>(document.integer("merged_contacts", *merged, 0, INT_MAX));
  }
  return problem;
}

std::map<std::string, double> read_parameters(const ScenarioDocument& document,
                                              const System& system) {
  std::map<std::string, double> values;
  std::vector<std::string> names;
  for (const SystemParameter& parameter : system.parameters) {
    values[parameter.name] = parameter.value;
    names.push_back(parameter.name);
  }
  const toml::table* table = document.table("parameters");
  if (table == nullptr) return values;
  check_keys(document, *table, "[parameters]", names);
  for (const auto& [key, node] : *table) {
    values[std::string(key.str())] =
        document.number("[parameters] " + std::string(key.str()), node);
  }
  return values;
}

/// Applies the changes that [problem] may make to the problem of `system`, read from `source`.
void read_overrides(const ScenarioDocument& document, const std::string& system, const char* source,
                    ImpactProblem& problem) {
  const toml::table* table = document.table("problem");
  if (table == nullptr) return;
  check_keys(document, *table, "[problem]", problem_keys());
  for (const auto& [key, node] : *table) {
    if (key == "friction") {
      problem.friction = read_coefficients(document, "friction", node, problem.contacts());
    } else if (key == "restitution") {
      problem.restitution = read_coefficients(document, "restitution", node, problem.contacts());
    } else if (key == "pre_impact_velocity") {
      problem.pre_impact_velocity = read_velocity(document, node);
    } else if (key == "friction_directions") {
      problem.friction_directions = read_friction_directions(document, node);
    } else {
      document.fail(key.source(),
                    fmt::format("{} is only for system \"matrices\" (system \"{}\" derives it from "
                                "{})",
                                key.str(), system, source));
    }
  }
}

/// Of a motion without impact, [problem] can state restitution and directions of friction.
void read_restitution_alone(const ScenarioDocument& document, Scenario& scenario) {
  const toml::table* table = document.table("problem");
  if (table == nullptr) return;
  std::vector<std::string> known = problem_keys();
  known.emplace_back(no_impact_key);
  check_keys(document, *table, "[problem]", known);
  for (const auto& [key, node] : *table) {
    if (key == "restitution") {
      scenario.problem.restitution = read_coefficients(document, "restitution", node, 1);
    } else if (key == no_impact_key) {
      scenario.no_impact = document.text(no_impact_key, node);
    } else if (key == "friction_directions") {
      scenario.problem.friction_directions = read_friction_directions(document, node);
    } else {
      document.fail(key.source(),
                    fmt::format("{} is stated, but {}", key.str(), scenario.no_impact));
    }
  }
}

/// The first impact of a motion, as [problem] changes it; if there is none, why, and the
/// restitution of [problem].
template <class Find>
void read_first_impact(const ScenarioDocument& document, const char* source, const Find& find,
                       Scenario& scenario) {
  bool is_none = false;
  try {
    scenario.problem = with_place(document, [&] {
      try {
        return find();
      } catch (const NoImpact&) {
        is_none = true;
        throw;
      }
    });
    read_overrides(document, scenario.system, source, scenario.problem);
  } catch (const InputError& error) {
    if (!is_none) throw;
    scenario.no_impact = error.what();
    read_restitution_alone(document, scenario);
  }
}

/// The problem of [mujoco]'s model: with [roll], its first impact in time. If [problem] has the
/// matrices of an earlier reading, these are used: a result file can then be read without model and
/// MuJoCo.
void read_mujoco_problem(const ScenarioDocument& document, Scenario& scenario) {
  scenario.mujoco = read_mujoco(document);
  std::string& model = scenario.mujoco->model;
  // Rollouts read the model again, and so do those that continue them elsewhere.
  if (scenario.roll) model = std::filesystem::absolute(document.folder() / model).string();
  const toml::table* table = document.table("problem");
  if (table != nullptr && table->contains("mass_matrix")) {
    scenario.problem = read_matrices(document);
    return;
  }
  if (table != nullptr && table->contains(no_impact_key)) {
    read_restitution_alone(document, scenario);
    return;
  }
  MujocoOptions options = *scenario.mujoco;
  options.model = (document.folder() / options.model).string();
  note_input(options.model);
  if (scenario.roll) {
    read_first_impact(
        document, "the model of [mujoco]", [&] { return first_impact(MujocoMotion{options}); },
        scenario);
    return;
  }
  // Set before the check whether a contact approaches.
  const toml::node* velocity = table == nullptr ? nullptr : table->get("pre_impact_velocity");
  if (velocity != nullptr) options.qvel = read_velocity(document, *velocity);
  scenario.problem = with_place(document, [&] { return impact_problem_from_mujoco(options); });
  const Eigen::VectorXd friction = scenario.problem.friction;
  read_overrides(document, mujoco, "the model of [mujoco]", scenario.problem);
  keep_limits_smooth(friction, scenario.problem);
}

/// The name that the text states, else that of the file that it is from. A byte that a line of TOML
/// or UTF-8 may not have is replaced.
std::string read_name(const ScenarioDocument& document) {
  constexpr unsigned char first_printable = 0x20;
  constexpr unsigned char first_unprintable = 0x7f;
  const toml::node* node = document.root().get("name");
  const std::filesystem::path file = document.name();
  std::string name;
  if (node != nullptr) {
    name = document.text("name", *node);
  } else if (file.extension() == ".toml") {
    name = file.stem().string();
  }
  std::ranges::replace_if(
      name,
      [&](unsigned char byte) {
        const bool beyond_ascii = byte > first_unprintable;
        return byte < first_printable || byte == first_unprintable ||
               (beyond_ascii && node == nullptr);
      },
      '_');
  return name;
}

/// The system in time; none if it has no motion, or none with extreme parameters, which still may
/// have an impact: world_of() then says why.
std::optional<PlanarWorld> motion_of(const System& system,
                                     const std::map<std::string, double>& parameters) {
  if (system.world == nullptr) return std::nullopt;
  try {
    return system.world(parameters);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// [parameters] and [mujoco] each belong to some systems only.
void refuse_table(const ScenarioDocument& document, const char* name, const std::string& system) {
  if (const toml::node* table = document.root().get(name)) {
    document.fail(table->source(), fmt::format("[{}] is not for system \"{}\"", name, system));
  }
}

/// Whether a problem is the impact of the system's own parameters, up to rounding and restitution.
bool is_own_impact(const System& system, const ImpactProblem& problem) {
  constexpr double rounding = 1e-9;
  const ImpactProblem own = system.build({});
  return problem.mass_matrix.isApprox(own.mass_matrix, rounding) &&
         problem.normal_jacobian.isApprox(own.normal_jacobian, rounding) &&
         problem.tangent_jacobian.isApprox(own.tangent_jacobian, rounding) &&
         problem.friction.isApprox(own.friction, rounding) &&
         problem.pre_impact_velocity.isApprox(own.pre_impact_velocity, rounding);
}

}  // namespace

Scenario read_document(const ScenarioDocument& document) {
  check_keys(document, document.root(), "", top_keys());
  const toml::node* system_node = document.root().get("system");
  if (system_node == nullptr) {
    const std::string likely = likely_system(document.root());
    document.fail(
        {}, fmt::format("system is missing (must be one of {}){}", fmt::join(system_names(), ", "),
                        likely.empty() ? ""
                                       : fmt::format("; these tables are of system = "
                                                     "\"{}\"",
                                                     likely)));
  }
  Scenario scenario;
  scenario.name = read_name(document);
  scenario.system = document.text("system", *system_node);
  const System* system = find_system(document, *system_node, scenario.system);
  if (scenario.system != mujoco) refuse_table(document, mujoco, scenario.system);
  if (system == nullptr) refuse_table(document, "parameters", scenario.system);
  const bool states_world = scenario.system == planar_system || scenario.system == spatial_system;
  if (!states_world) {
    for (const char* name : {"world", "body", "floor"}) {
      refuse_table(document, name, scenario.system);
    }
  }
  read_roll(document, scenario.roll);
  if (scenario.roll) with_place(document, [&] { validate(*scenario.roll); });
  if (is_compliant(scenario.system)) {
    scenario.compliant =
        with_place(document, [&] { return read_compliant(document, scenario.system); });
  } else if (scenario.system == mujoco) {
    read_mujoco_problem(document, scenario);
  } else if (states_world) {
    scenario.world = with_place(document, [&] { return read_world(document, scenario.system); });
    if (scenario.roll) scenario.window = scenario.roll->window;
    read_first_impact(
        document, "[world], [[body]] and [[floor]]",
        [&] { return first_impact(*scenario.world, longest_wait, scenario.window); }, scenario);
  } else if (system == nullptr) {
    scenario.problem = read_matrices(document);
  } else {
    scenario.parameters = read_parameters(document, *system);
    scenario.problem = with_place(document, [&] { return system->build(scenario.parameters); });
    read_overrides(document, system->name, "[parameters]", scenario.problem);
    scenario.sampling = is_own_impact(*system, scenario.problem)
                            ? system->sampling
                            : without_presets(system->sampling);
    scenario.world = motion_of(*system, scenario.parameters);
  }
  if (has_impact(scenario)) {
    scenario.problem = with_place(document, [&] { return validated(std::move(scenario.problem)); });
  }
  read_sampling(document, scenario);
  share_draws(document, scenario);
  read_evidence(document, scenario.evidence);
  read_explore(document, scenario.explore);
  read_start(document, scenario.compliant ? &*scenario.compliant : nullptr, scenario.roll);
  if (has_impact(scenario) && scenario.roll && !scenario.roll->start.empty()) {
    scenario.problem.doubts.push_back(make_note("start_not_drawn",
                                                "[start] draws where rollouts start: this is the "
                                                "impact from the one start that the scenario "
                                                "states"));
  }
  if (scenario.roll && (scenario.world || scenario.compliant)) {
    with_place(document, [&] { return roll_options_in_time(scenario); });
  }
  check_names_in_time(document, scenario);
  read_bound(document, scenario.evidence.bound);
  read_outputs(document, scenario.problem, scenario.evidence.outputs);
  with_place(document, [&] { validate_options(scenario); });
  return scenario;
}

Scenario parse_scenario(const std::string& text, const std::string& name,
                        const std::filesystem::path& folder) {
  return read_document(ScenarioDocument(text, name, folder));
}

}  // namespace carom
