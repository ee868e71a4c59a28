#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "carom/scenario.hpp"
#include "host/base/option_words.hpp"
#include "host/laws/law_list.hpp"

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

/// The problem that a scenario's system and parameters give; none where they give no problem with
/// these matrices, which then must be written themselves.
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
  return changed.empty() ? text : text + "\n[problem]\n" + changed;
}

std::string quoted_geoms(const MujocoGeoms& geoms) {
  if (geoms.other.empty()) return quoted(geoms.geom);
  return fmt::format("[{}, {}]", quoted(geoms.geom), quoted(geoms.other));
}

/// Where the matrices that follow are from.
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
  return text + fmt::format("distance = {}\n", number(options.distance));
}

std::string matrices_toml(const ImpactProblem& problem) {
  std::string names;
  for (const std::string& name : problem.contact_names) {
    names += (names.empty() ? "" : ", ") + quoted(name);
  }
  return fmt::format(
      "\n[problem]\nmass_matrix = {}\nnormal_jacobian = {}\n"
      "tangent_jacobian = {}\nfriction = {}\npre_impact_velocity = {}\n{}"
      "friction_directions = {}\n",
      rows(problem.mass_matrix), rows(problem.normal_jacobian), rows(problem.tangent_jacobian),
      row(problem.friction), row(problem.pre_impact_velocity),
      names.empty() ? "" : fmt::format("contact_names = [{}]\n", names),
      problem.friction_directions);
}

std::string count(std::uint64_t value) {
  if (value == 0) return "\"none\"";
  // TOML integers end at INT64_MAX, which is as good as all.
  return value > INT64_MAX ? "\"all\"" : std::to_string(value);
}

std::string law_toml(const Law& law) {
  std::string text = fmt::format("\n[law]\nname = \"{}\"\n", law_name(law));
  for (const auto& [name, value] : law_options(law)) {
    text += fmt::format("{} = {}\n", name, quoted(value));
  }
  return text;
}

std::string sampling_toml(const SamplingOptions& options, const StorageOptions& storage) {
  const std::string shard_rows =  // none where rows are in FILE
      storage.shard_rows == 0 ? ""
                              : fmt::format("shard_rows = {}\n",
                                            std::min<std::uint64_t>(storage.shard_rows, INT64_MAX));
  return fmt::format(
      "\n[sampling]\ntrajectories = {}\nmax_steps = {}\nimpulse_step = {}\nepsilon = {}\n"
      "norm = \"{}\"\ntermination_tolerance = {}\n"
      "seed = {}\nproblem_id = {}\nbackend = \"{}\"\n"
      "threads = {}\ndevice = {}\nchunk = {}\nsamples = {}\npaths = {}\n{}",
      options.trajectories, options.max_steps, number(options.impulse_step),
      number(options.epsilon), norm_name(options.norm), number(options.termination_tolerance),
      options.seed, options.problem_id, backend_name(options.backend), options.threads,
      options.device, options.chunk, count(storage.samples),
      std::min<std::uint64_t>(storage.paths, INT64_MAX), shard_rows);
}

std::string evidence_toml(const EvidenceOptions& options) {
  return fmt::format(
      "\n[evidence]\nhold_out = {}\nconfidence = {}\nmiss = {}\nmax_trajectories = {}\n"
      "max_seconds = {}\nnet_size = {}\nseek_extremes = {}\nverify_net = {}\ncomparison = {}\n",
      options.hold_out, number(options.confidence), number(options.miss), options.max_trajectories,
      number(options.max_seconds), options.net_size, options.seek_extremes, options.verify_net,
      options.comparison);
}

}  // namespace

std::string to_toml(const Scenario& scenario) {
  const std::optional<ImpactProblem> built = rebuilt(scenario);
  const std::string system = built             ? system_toml(scenario, *built)
                             : scenario.mujoco ? mujoco_toml(*scenario.mujoco)
                                               : "system = \"matrices\"\n";
  return system + (built ? "" : matrices_toml(scenario.problem)) + law_toml(scenario.sampling.law) +
         sampling_toml(scenario.sampling, scenario.storage) + evidence_toml(scenario.evidence);
}

}  // namespace carom
