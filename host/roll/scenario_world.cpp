#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "carom/error.hpp"
#include "carom/planar_motion.hpp"
#include "carom/roll_io.hpp"
#include "carom/scenario.hpp"
#include "host/base/field_error.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_list.hpp"
#include "host/roll/compliant_arrays.hpp"
#include "host/roll/roll_plan.hpp"
#include "host/sampling/default_sampling.hpp"
#include "host/sampling/problem_notes.hpp"

namespace carom {
namespace {

/// The problem before [problem] changed it.
ImpactProblem unchanged(const Scenario& scenario) {
  for (const System& system : systems()) {
    if (system.name == scenario.system) return system.build(scenario.parameters);
  }
  return first_impact(*scenario.world, longest_wait, scenario.window);
}

/// @throws InputError if it differs between contacts
std::optional<double> one_restitution(const ImpactProblem& problem) {
  if (problem.restitution.size() == 0) return std::nullopt;
  if ((problem.restitution.array() != problem.restitution(0)).any()) {
    throw InputError(
        "restitution differs between contacts (must be one number in time, where any corner can "
        "touch)");
  }
  return problem.restitution(0);
}

/// @throws InputError if the scenario is the impact at its state
MujocoMotion mujoco_motion(const Scenario& scenario) {
  if (!std::filesystem::path(scenario.mujoco->model).is_absolute()) {
    throw FieldError(
        "roll",
        "[roll] is missing (must be stated, if only as an empty table, of a MuJoCo model "
        "in time: without it, the scenario is the impact at its state)");
  }
  MujocoMotion motion{*scenario.mujoco, one_restitution(scenario.problem), {}};
  const int k = scenario.problem.friction_directions;
  if (k != default_friction_directions(1)) motion.friction_directions = k;  // in space
  return motion;
}

/// @throws InputError if the scenario's problem is not the first impact of its model
void check_mujoco_motion(const Scenario& scenario) {
  constexpr double rounding = 1e-9;  // of the matrices of other machines
  const MujocoMotion motion = mujoco_motion(scenario);
  if (!scenario.no_impact.empty()) return;
  const ImpactProblem& problem = scenario.problem;
  const ImpactProblem its = first_impact(motion);
  if (its.friction.size() == problem.friction.size() && its.friction == problem.friction &&
      its.pre_impact_velocity.size() == problem.pre_impact_velocity.size() &&
      its.pre_impact_velocity.isApprox(problem.pre_impact_velocity, rounding) &&
      its.mass_matrix.isApprox(problem.mass_matrix, rounding)) {
    return;
  }
  throw InputError(fmt::format(
      "[problem] is not the first impact of {} from the state of [mujoco] (must be, in time: state "
      "friction in the model and velocities as qvel, and let the model be as it was; earlier "
      "versions of Carom searched in steps of 1 ms)",
      scenario.mujoco->model));
}

}  // namespace

SamplingOptions sampling_in_time(const Scenario& scenario) {
  SamplingOptions sampling = without_presets(scenario.sampling);
  choose_solutions_in_time(sampling.law);
  return sampling;
}

std::optional<double> restitution_in_time(const Scenario& scenario) {
  const std::optional<double> usual = default_restitution(scenario.sampling.law);
  if (scenario.compliant || !usual) return std::nullopt;
  return one_restitution(scenario.problem).value_or(*usual);
}

RollOptions roll_options_in_time(const Scenario& scenario) {
  const RollOptions options = scenario.roll.value_or(RollOptions{});
  if (scenario.compliant) return resolved(options, *scenario.compliant);
  if (scenario.mujoco) return resolved(options, mujoco_motion(scenario));
  return resolved(options, scenario.world ? *scenario.world : world_of(scenario));  // throws
}

RigidWorld world_of(const Scenario& scenario) {
  if (!scenario.world) {
    if (scenario.compliant) {
      throw InputError(
          fmt::format("system is \"{}\", whose contacts give way (must be one of rigid "
                      "bodies; carom roll moves both)",
                      scenario.system));
    }
    if (scenario.mujoco) {
      throw InputError(
          "system is \"mujoco\" (must be one of rigid bodies of Carom's own; carom roll moves "
          "both, "
          "and carom.mujoco.Worlds steps models)");
    }
    for (const System& system : systems()) {  // throws if the world breaks a rule
      if (system.name == scenario.system && system.world != nullptr) {
        system.world(scenario.parameters);
      }
    }
    throw InputError(fmt::format(
        "system is \"{}\", of which only the impact is known (must be \"planar\", \"spatial\" "
        "or another system with a motion: carom systems lists them)",
        scenario.system));
  }
  const ImpactProblem& problem = scenario.problem;
  const auto changes = [&](const ImpactProblem& its) {
    return its.friction != problem.friction ||
           its.pre_impact_velocity != problem.pre_impact_velocity;
  };
  if (has_impact(scenario) && changes(unchanged(scenario))) {
    throw InputError(
        "[problem] changes friction or pre_impact_velocity (must be set by [parameters] or "
        "[world], which describe the motion, too)");
  }
  RigidWorld world = *scenario.world;
  std::visit(
      [&](auto& rigid) {
        if (const auto one = one_restitution(problem)) rigid.restitution = one;
      },
      world);
  return world;
}

/// The unit of a coordinate that a user named: nothing where the name does not tell it.
std::string unit_named(const std::string& name) {
  const auto is_any_of = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, std::string_view(name)) != names.end();
  };
  if (is_any_of({"angle", "theta", "pitch", "roll", "yaw"}) || name.ends_with(".angle")) {
    return "rad";
  }
  return is_any_of({"x", "y", "z", "height"}) ? "m" : "";
}

RolledSystem rolled_system(const CompliantSystem& stated) {
  const CompliantSystem system = validated(stated);
  RolledSystem rolled{.coordinates = system.coordinates,
                      .units = {},
                      .velocities = {},
                      .contacts = system.contacts,
                      .mass_matrix = {}};
  const bool has_velocities = system.velocity_count() > 0;
  if (has_velocities) rolled.velocities = system.coordinates;
  for (const std::string& name : system.coordinates) {
    std::string unit = has_velocities ? unit_named(name) : "";
    // What is no angle of a plate or a biped is a length.
    const bool is_built_in = has_velocities && !std::holds_alternative<Springs>(system.motion);
    if (unit.empty() && is_built_in) unit = "m";
    rolled.units.push_back(unit);
  }
  if (const auto* const springs = std::get_if<Springs>(&system.motion)) {
    rolled.mass_matrix = springs->mass_matrix;
  } else if (const auto* const plate = std::get_if<SpringPlate>(&system.motion)) {
    rolled.mass_matrix =
        Eigen::Vector3d(plate->mass, plate->mass, plate->inertia).asDiagonal().toDenseMatrix();
  } else if (const auto* const biped = std::get_if<SpringBiped>(&system.motion)) {
    const double body = biped->body_mass;
    const double foot = biped->foot_mass;
    Eigen::VectorXd masses(7);
    masses << body, foot, foot, body, foot, foot, biped->inertia;
    rolled.mass_matrix = masses.asDiagonal();
  }
  return rolled;
}

RolledSystem rolled_system(const Scenario& scenario) {
  return scenario.compliant ? rolled_system(*scenario.compliant)
         : scenario.mujoco  ? rolled_system(mujoco_motion(scenario))
         : scenario.world   ? rolled_system(*scenario.world)
                            : rolled_system(world_of(scenario));  // throws
}

RolloutShape rollout_shape(const Scenario& scenario) {
  const RollOptions options = scenario.roll.value_or(RollOptions{});
  const int times = static_cast<int>(times_of(options).size());
  if (scenario.compliant) return shape_of(*scenario.compliant, options, times);
  const RolledSystem system = rolled_system(scenario);
  return {times, static_cast<int>(system.coordinates.size()),
          static_cast<int>(system.velocities.size()), options.events};
}

Rollouts roll(const Scenario& scenario, const RollOptions& options, const SampleObserver& observer,
              std::uint64_t first) {
  check_motion(scenario);
  const SamplingOptions sampling = sampling_in_time(scenario);
  if (scenario.compliant) return roll(*scenario.compliant, sampling, options, observer, first);
  if (scenario.mujoco) return roll(mujoco_motion(scenario), sampling, options, observer, first);
  return roll(world_of(scenario), sampling, options, observer, first);
}

std::vector<Note> notes_on_rollouts(const Scenario& scenario, const Rollouts& rollouts) {
  const SamplingOptions sampling = sampling_in_time(scenario);
  const RollOptions options = scenario.roll.value_or(RollOptions{});
  if (scenario.compliant) {
    return notes_on_rollouts(*scenario.compliant, sampling, options, rollouts);
  }
  if (scenario.world) return notes_on_rollouts(*scenario.world, sampling, options, rollouts);
  std::vector<Note> notes = notes_on_rollouts(mujoco_motion(scenario), sampling, rollouts);
  const ImpactProblem& first = scenario.problem;
  const auto of_normals = std::ranges::find(first.doubts, "doubtful_normals", &Note::code);
  if (of_normals != first.doubts.end()) notes.insert(notes.begin(), *of_normals);
  if (first.contacts() > 0 && first.tangent_dimension() == 2) {
    if (auto note =
            note_on_pyramid(first.friction_directions, first.friction.maxCoeff(), sampling.law)) {
      notes.push_back(std::move(*note));
    }
  }
  return notes;
}

std::optional<StartedMotion> started_motion(const Scenario& scenario, std::optional<double> end) {
  const bool is_planar = scenario.world && std::holds_alternative<PlanarWorld>(*scenario.world);
  if (!end && !(is_planar && scenario.roll)) return std::nullopt;
  if (!is_planar) {
    throw InputError(
        fmt::format("system is \"{}\" (must be of bodies in the plane: the derivative of their "
                    "motion alone is known)",
                    scenario.system));
  }
  RollOptions options = scenario.roll.value_or(RollOptions{});
  options.duration = end.value_or(options.duration);
  return started_motion(std::get<PlanarWorld>(world_of(scenario)), options);
}

void check_rigid(const RollOptions& options, const std::string& what) {
  const auto refuse = [&](const char* option, const char* value, const char* rule) {
    throw FieldError(std::string("roll.") + option,
                     fmt::format("{} is {} (must be {}: the contacts of {} are rigid; those of "
                                 "\"springs\" and \"plate\" give way)",
                                 option, value, rule, what));
  };
  if (options.contact.value_or(ContactKind::rigid) != ContactKind::rigid) {
    refuse("contact", "compliant", "rigid");
  }
  if (options.derivative) refuse("derivative", "true", "false");
  refuse_options(options, {"crossing", "graze_speed", "event_limit"},
                 "of rigid contacts: those that give way have it");
}

void refuse_options(const RollOptions& options, std::initializer_list<std::string_view> names,
                    const std::string& of_what) {
  const RollOptions presets;
  for_each_option(
      [&](const OptionInfo& info, const auto& value, const auto& preset) {
        const auto named = std::ranges::find(names, std::string_view(info.name));
        if (value == preset || named == names.end()) return;
        throw FieldError(fmt::format("roll.{}", info.name),
                         fmt::format("{} is stated (must be left out {})", info.name, of_what));
      },
      options, presets);
}

void check_motion(const Scenario& scenario) {
  if (scenario.compliant) return;
  if (scenario.mujoco) {
    check_mujoco_motion(scenario);
  } else {
    world_of(scenario);
  }
}

}  // namespace carom
