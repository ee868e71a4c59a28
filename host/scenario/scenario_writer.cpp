#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "carom/scenario.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_list.hpp"
#include "host/options/option_text.hpp"
#include "host/roll/biped_numbers.hpp"
#include "host/scenario/world_keys.hpp"

namespace carom {
namespace {

/// The shortest decimal that reads back as the same bits, as a TOML float.
std::string number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string quoted(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + quoted(text);
  return "[" + list + "]";
}

template <class Vector>
std::string row(const Vector& values) {
  std::string text = "[";
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += number(values(i));
  }
  return text + "]";
}

std::string rows(const Eigen::MatrixXd& matrix) {
  std::string text = "[\n";
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) text += "  " + row(matrix.row(i)) + ",\n";
  return text + "]";
}

/// The problem of a scenario's system and parameters; none if its matrices differ from the
/// scenario's, which then must be written.
std::optional<ImpactProblem> rebuilt(const Scenario& scenario) {
  for (const System& system : systems()) {
    if (system.name != scenario.system) continue;
    ImpactProblem built = system.build(scenario.parameters);
    const ImpactProblem& problem = scenario.problem;
    const bool same = built.mass_matrix == problem.mass_matrix &&
                      built.normal_jacobian == problem.normal_jacobian &&
                      built.tangent_jacobian == problem.tangent_jacobian &&
                      built.contact_names == problem.contact_names;
    if (same) return built;
  }
  return std::nullopt;
}

std::string restitution_toml(const ImpactProblem& problem) {
  if (problem.restitution.size() == 0) return "";
  return fmt::format("restitution = {}\n", row(problem.restitution));
}

/// Of a motion without impact.
std::string directions_toml(const ImpactProblem& problem) {
  if (problem.friction_directions == ImpactProblem{}.friction_directions) return "";
  return fmt::format("friction_directions = {}\n", problem.friction_directions);
}

std::string system_toml(const Scenario& scenario, const ImpactProblem& built) {
  std::string text = fmt::format("system = {}\n\n[parameters]\n", quoted(scenario.system));
  for (const auto& [name, value] : scenario.parameters) {
    text += fmt::format("{} = {}\n", name, number(value));
  }
  const ImpactProblem& problem = scenario.problem;
  std::string changed;
  if (row(problem.friction) != row(built.friction)) {
    changed += fmt::format("friction = {}\n", row(problem.friction));
  }
  if (row(problem.pre_impact_velocity) != row(built.pre_impact_velocity)) {
    changed += fmt::format("pre_impact_velocity = {}\n", row(problem.pre_impact_velocity));
  }
  changed += restitution_toml(problem);
  return changed.empty() ? text : text + "\n[problem]\n" + changed;
}

std::string quoted_geoms(const MujocoGeoms& geoms) {
  if (geoms.other.empty()) return quoted(geoms.geom);
  return fmt::format("[{}, {}]", quoted(geoms.geom), quoted(geoms.other));
}

/// The origin of the matrices that follow.
std::string mujoco_toml(const MujocoOptions& options) {
  std::string text =
      fmt::format("system = \"mujoco\"\n\n[mujoco]\nmodel = {}\n", quoted(options.model));
  if (!options.keyframe.empty()) text += fmt::format("keyframe = {}\n", quoted(options.keyframe));
  if (options.qpos.size() > 0) text += fmt::format("qpos = {}\n", row(options.qpos));
  if (options.qvel.size() > 0) text += fmt::format("qvel = {}\n", row(options.qvel));
  std::string geoms;
  for (const MujocoGeoms& entry : options.geoms) {
    geoms += (geoms.empty() ? "" : ", ") + quoted_geoms(entry);
  }
  if (!geoms.empty()) text += fmt::format("geoms = [{}]\n", geoms);
  text += fmt::format("distance = {}\n", number(options.distance));
  if (options.merge == 1) text += "merge = true\n";
  if (options.merge > 1) text += fmt::format("merge = {}\n", options.merge);
  return text + fmt::format("limits = {}\n", options.limits);
}

template <class Vector>
std::string places(const std::vector<Vector>& all) {
  std::string text = "[\n";
  for (const Vector& place : all) text += "  " + row(place) + ",\n";
  return text + "]";
}

std::string body_toml(const PlanarBody& body) {
  std::string text;
  if (body.corners.empty()) text += fmt::format("radius = {}\n", number(body.radius));
  if (!body.is_disc()) {
    text += fmt::format("{} = {}\n", body.points ? "points" : "corners",
                        places(body.points ? *body.points : body.corners));
  }
  if (body.hinge) {
    text += fmt::format("hinge = {{on = {}, at = {}, own = {}}}\n", quoted(body.hinge->on),
                        row(body.hinge->at), row(body.hinge->own));
  }
  if (!body.exclude.empty()) text += fmt::format("exclude = {}\n", quoted(body.exclude));
  const Eigen::Index parts = body.hinge ? 1 : 3;
  return text + fmt::format("mass = {}\ninertia = {}\nposition = {}\nvelocity = {}\n",
                            number(body.mass), number(*body.inertia),
                            row(body.position.tail(parts)), row(body.velocity.tail(parts)));
}

std::string body_toml(const SpatialBody& body) {
  std::string text;
  if (body.size) text += fmt::format("size = {}\n", row(*body.size));
  if (!body.points.empty()) text += fmt::format("points = {}\n", places(body.points));
  if (!body.size) text += fmt::format("radius = {}\n", number(body.radius));
  const Eigen::Quaterniond& turn = body.orientation;
  return text + fmt::format(
                    "mass = {}\ninertia = {}\nposition = {}\nquaternion = {}\nvelocity = {}\n"
                    "angular_velocity = {}\n",
                    number(body.mass), rows(*body.inertia), row(body.position),
                    row(Eigen::Vector4d(turn.w(), turn.x(), turn.y(), turn.z())),
                    row(body.velocity), row(body.angular_velocity));
}

std::string directions_toml(const PlanarWorld& /*world*/) { return ""; }
std::string directions_toml(const SpatialWorld& world) {
  return fmt::format("friction_directions = {}\n", world.friction_directions);
}

template <class World>
std::string world_toml(const Scenario& scenario, const World& world) {
  std::string text = fmt::format("system = \"{}\"\n\n[world]\ngravity = {}\nfriction = {}\n",
                                 scenario.system, row(world.gravity), number(world.friction));
  for (const auto& body : world.bodies) {
    text += fmt::format("\n[[body]]\nname = {}\n", quoted(body.name)) + body_toml(body);
  }
  for (const auto& floor : world.floors) {
    text += fmt::format("\n[[floor]]\nname = {}\npoint = {}\nnormal = {}\nfriction = {}\n",
                        quoted(floor.name), row(floor.point), row(floor.normal),
                        number(*floor.friction));
  }
  const std::string problem = directions_toml(world) + restitution_toml(scenario.problem);
  return problem.empty() ? text : text + "\n[problem]\n" + problem;
}

std::string outputs_toml(const Outputs& outputs) {
  if (outputs.size() == 0) return "";
  std::vector<std::string> questions;
  for (const Question& question : outputs.questions) questions.push_back(question.text);
  const std::string asked = questions.empty() ? "" : fmt::format("ask = {}\n", quoted(questions));
  return fmt::format("\n[outputs]\nnames = {}\nmatrix = {}\n{}", quoted(outputs.names),
                     rows(outputs.matrix), asked);
}

std::string matrices_toml(const ImpactProblem& problem) {
  const auto texts = [](const char* key, const std::vector<std::string>& its) {
    return its.empty() ? "" : fmt::format("{} = {}\n", key, quoted(its));
  };
  return fmt::format(
      "\n[problem]\nmass_matrix = {}\nnormal_jacobian = {}\n"
      "tangent_jacobian = {}\nfriction = {}\npre_impact_velocity = {}\n{}{}"
      "friction_directions = {}\n{}{}",
      rows(problem.mass_matrix), rows(problem.normal_jacobian), rows(problem.tangent_jacobian),
      row(problem.friction), row(problem.pre_impact_velocity),
      texts("contact_names", problem.contact_names), texts("speed_units", problem.speed_units),
      problem.friction_directions, restitution_toml(problem),
      problem.merged_contacts == 0
          ? ""
          : fmt::format("merged_contacts = {}\n", problem.merged_contacts));
}

std::string problem_toml(const Springs& its) {
  return fmt::format(
      "mass_matrix = {}\nforce = {}\nnormal_jacobian = {}\ngap_offset = {}\n"
      "contact_stiffness = {}\ncontact_damping = {}\ncontact_preload = {}\nstiffness = {}\n"
      "damping = {}\n",
      rows(its.mass_matrix), row(its.force), rows(its.normal_jacobian), row(its.gap_offset),
      row(its.contact_stiffness), row(its.contact_damping), row(its.contact_preload),
      rows(its.stiffness), rows(its.damping));
}

std::string problem_toml(const SpringPlate& its) {
  return fmt::format(
      "positions = {}\nheight = {}\nmass = {}\ninertia = {}\nstiffness = {}\ndamping = {}\n"
      "gravity = {}\nsteepest = {}\n",
      row(its.positions), number(its.height), number(its.mass), number(its.inertia),
      number(its.stiffness), number(its.damping), number(its.gravity), number(its.steepest));
}

std::string problem_toml(const PiecewiseAffine& its) {
  return fmt::format("guards = {}\nguard_offset = {}\n", rows(its.guards), row(its.guard_offset));
}

std::string problem_toml(const SpringBiped& its) {
  std::string text;
  for_each_biped_number(
      [&](const char* name, NumberRule, double value) {
        text += fmt::format("{} = {}\n", name, number(value));
      },
      its);
  return text;
}

/// Bounds of the coordinates, if there are any.
std::string bounds_toml(const CompliantSystem& system) {
  if (system.lowest.size() == 0) return "";
  return fmt::format("lowest = {}\nhighest = {}\n", row(system.lowest), row(system.highest));
}

/// The tables of a system's [problem], which come after its keys.
std::string modes_toml(const CompliantSystem& system) {
  const auto* const affine = std::get_if<PiecewiseAffine>(&system.motion);
  std::string text;
  for (std::size_t s = 0; affine != nullptr && s < affine->matrices.size(); ++s) {
    std::string bits;
    for (Eigen::Index k = 0; k < affine->guards.rows(); ++k) bits += (s >> k & 1) != 0 ? '1' : '0';
    text += fmt::format("\n[[problem.mode]]\nbits = \"{}\"\nmatrix = {}\nvector = {}\n", bits,
                        rows(affine->matrices[s]), row(affine->vectors[s]));
  }
  return text;
}

std::string compliant_toml(const CompliantSystem& system) {
  return fmt::format("system = \"{}\"\n\n[problem]\ncoordinate_names = {}\ncontact_names = {}\n",
                     kind_name(system), quoted(system.coordinates), quoted(system.contacts)) +
         std::visit([](const auto& motion) { return problem_toml(motion); }, system.motion) +
         bounds_toml(system) + modes_toml(system);
}

/// An option's value in TOML.
std::string toml_value(const OptionInfo&, double value) { return number(value); }
std::string toml_value(const OptionInfo& info, bool value) { return option_text(info, value); }
std::string toml_value(const OptionInfo& info, OptionChoice auto choice) {
  return quoted(option_text(info, choice));
}
std::string toml_value(const OptionInfo& info, OptionInteger auto value) {
  if (word_of(info, static_cast<std::int64_t>(value)) != nullptr) {
    return quoted(option_text(info, value));
  }
  // TOML integers end at INT64_MAX; for options with a larger range, this value means all.
  return std::to_string(std::cmp_greater(value, INT64_MAX) ? INT64_MAX
                                                           : static_cast<std::int64_t>(value));
}

std::string toml_value(const OptionInfo& info, const CapsDistribution& caps) {
  return quoted(option_text(info, caps));
}

std::string toml_value(const OptionInfo& info, const std::vector<double>& numbers) {
  if (numbers.empty()) return quoted(option_text(info, numbers));
  return row(Eigen::Map<const Eigen::RowVectorXd>(numbers.data(),
                                                  static_cast<Eigen::Index>(numbers.size())));
}

std::string toml_value(const OptionInfo& info, const Uncertain& value) {
  return value.is_drawn() ? option_text(info, value) : number(value.first());
}

std::string toml_value(const OptionInfo& info, const std::vector<Uncertain>& values) {
  if (values.empty()) return quoted(option_text(info, values));
  std::string list;
  for (const Uncertain& one : values) list += (list.empty() ? "" : ", ") + toml_value(info, one);
  return "[" + list + "]";
}

/// An option's line.
template <class T>
std::string option_toml(const OptionInfo& info, const T& value) {
  return fmt::format("{} = {}\n", info.name, toml_value(info, value));
}
/// No line if nothing is stated or chosen; a second one says that no user stated it.
template <class T>
std::string option_toml(const OptionInfo& info, const Choice<T>& value) {
  if (!value.has_value()) return "";
  const std::string line = option_toml(info, *value);
  if (value.is_stated() && !value.is_preset()) return line;
  return line + fmt::format("{}{} = \"{}\"\n", info.name, asked_suffix,
                            value.is_preset() ? preset_word : auto_word);
}

std::string law_toml(const Law& law) {
  std::string text = fmt::format("\n[law]\nname = \"{}\"\n", law_name(law));
  for_each_law_option(
      law, [&](const OptionInfo& info, const auto& value) { text += option_toml(info, value); });
  return text;
}

template <class Options>
std::string options_toml(const Options& options) {
  std::string text;
  for_each_option(
      [&](const OptionInfo& info, const auto& value) { text += option_toml(info, value); },
      options);
  return text;
}

/// A table that a scenario need not have.
template <class Options>
std::string table_toml(const char* name, const std::optional<Options>& options) {
  return options ? fmt::format("\n[{}]\n", name) + options_toml(*options) : "";
}

std::string roll_toml(const RollOptions& options) {
  std::string text = "\n[roll]\n" + options_toml(options);
  if (!options.ask.empty()) text += fmt::format("ask = {}\n", quoted(options.ask));
  for (const bool of_velocity : {false, true}) {
    std::string ranges;
    for (const StartRange& range : options.start) {
      if (range.of_velocity != of_velocity) continue;
      ranges += fmt::format("{} = {{min = {}, max = {}}}\n", quoted(range.coordinate),
                            number(range.least), number(range.greatest));
    }
    if (ranges.empty()) continue;
    text += fmt::format("\n[start.{}]\n", of_velocity ? "velocity" : "position") + ranges;
  }
  return text;
}

}  // namespace

std::string to_toml(const Scenario& scenario) {
  SamplingOptions sampling = scenario.sampling;
  if (scenario.explore) sampling.trajectories = {};  // none are random
  const std::optional<ImpactProblem> built = rebuilt(scenario);
  const bool has_world = scenario.system == planar_system || scenario.system == spatial_system;
  const auto stated_world = [&](const auto& world) { return world_toml(scenario, world); };
  const std::string system = scenario.compliant ? compliant_toml(*scenario.compliant)
                             : built            ? system_toml(scenario, *built)
                             : has_world        ? std::visit(stated_world, *scenario.world)
                             : scenario.mujoco  ? mujoco_toml(*scenario.mujoco)
                                                : "system = \"matrices\"\n";
  const std::string name =
      scenario.name.empty() ? "" : fmt::format("name = {}\n", quoted(scenario.name));
  return name + system +
         (built || has_world || scenario.compliant ? ""
          : !scenario.no_impact.empty()
              ? fmt::format("\n[problem]\nno_impact = {}\n", quoted(scenario.no_impact)) +
                    directions_toml(scenario.problem) + restitution_toml(scenario.problem)
              : matrices_toml(scenario.problem)) +
         law_toml(sampling.law) + "\n[sampling]\n" + options_toml(sampling) +
         options_toml(scenario.storage) +
         (scenario.explore ? "" : "\n[evidence]\n" + options_toml(scenario.evidence)) +
         outputs_toml(scenario.evidence.outputs) + table_toml("explore", scenario.explore) +
         table_toml("bound", scenario.evidence.bound) +
         (scenario.roll ? roll_toml(*scenario.roll) : "");
}

}  // namespace carom
