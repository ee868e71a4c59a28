#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "host/base/note_json.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/report_coupling.hpp"
#include "host/cli/report_solutions.hpp"
#include "host/cli/report_verdict.hpp"
#include "host/cli/shown_stages.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/theory.hpp"
#include "host/families/unique_by.hpp"
#include "host/problem/decompositions.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/problem/default_steps.hpp"

namespace carom::cli {
namespace {

/// Properties of a problem that do not need its whole run.
struct Description {
  const Scenario& scenario;
  Eigen::VectorXd mass_eigenvalues;      ///< ascending
  Eigen::VectorXd delassus_eigenvalues;  ///< of normals and tangents, descending, m/s per N·s
  int delassus_rank;
  std::optional<Eigen::VectorXd> cone_support;
  double psi;
  double final_cap;
  double stopping_impulse;
  double energy;
  Theory theory;
  Coupling coupled;
  std::optional<PropagativeVerdict> propagative;  ///< of a problem without friction
};

Description describe(const Scenario& scenario) {
  const ImpactProblem& problem = scenario.problem;
  Eigen::MatrixXd jacobian(problem.normal_jacobian.rows() + problem.tangent_jacobian.rows(),
                           problem.velocities());
  jacobian << problem.normal_jacobian, problem.tangent_jacobian;
  // G = J M^-1 J' = X' X with X = L^-1 J' and M = L L': singular values keep twice the digits.
  const Eigen::MatrixXd root = Cholesky(problem.mass_matrix).solve_lower(jacobian.transpose());
  const Eigen::VectorXd singular = singular_values(root);
  // Rounding leaves singular values of a rank-deficient matrix this far from zero.
  const double floor = singular.maxCoeff() * std::numeric_limits<double>::epsilon() *
                       static_cast<double>(std::max(root.rows(), root.cols()));
  Eigen::VectorXd delassus = Eigen::VectorXd::Zero(jacobian.rows());
  delassus.head(singular.size()) = singular.cwiseAbs2();
  const double scale = psi(problem, scenario.sampling.norm);
  return {
      scenario,
      eigenvalues(problem.mass_matrix),
      delassus,
      static_cast<int>((singular.array() > floor).count()),
      friction_cone_support(problem),
      scale,
      final_cap(*scenario.sampling.epsilon, scale),
      stopping_impulse(problem),
      kinetic_energy(problem, problem.pre_impact_velocity),
      examine_theory(scenario),
      coupling(problem),
      problem.friction.isZero(0.0) ? std::optional(propagative_verdict(problem)) : std::nullopt};
}

double condition(const Eigen::VectorXd& ascending) {
  return ascending(ascending.size() - 1) / ascending(0);
}

std::string contact_table(const ImpactProblem& problem) {
  std::vector<std::string> header = {"contact", "friction", "normal velocity"};
  for (const auto& name : tangential_headers(problem, "tangential velocity")) {
    header.push_back(name);
  }
  Table table(std::move(header));
  const Eigen::VectorXd normal = problem.normal_jacobian * problem.pre_impact_velocity;
  const Eigen::VectorXd tangential = problem.tangent_jacobian * problem.pre_impact_velocity;
  const double scale = std::max(normal.cwiseAbs().maxCoeff(), tangential.cwiseAbs().maxCoeff());
  const int d = problem.tangent_dimension();
  for (int i = 0; i < problem.contacts(); ++i) {
    std::vector<std::string> row = {contact_label(problem, i), number(problem.friction(i)),
                                    number(normal(i), scale)};
    for (int t = 0; t < d; ++t) row.push_back(number(tangential(i * d + t), scale));
    table.add(std::move(row));
  }
  return "Contact velocities before the impact, m/s\n" + table.text();
}

std::string parameter_table(const std::map<std::string, double>& parameters) {
  if (parameters.empty()) return "";
  Table table({"parameter", "value"});
  for (const auto& [name, value] : parameters) table.add({name, fmt::format("{:.8g}", value)});
  return "\n" + table.text();
}

/// The model and state from which a problem was read.
std::string model_line(const Scenario& scenario) {
  const std::optional<MujocoOptions>& mujoco = scenario.mujoco;
  if (!mujoco) return "";
  std::string text = mujoco->model;
  const auto& doubts = scenario.problem.doubts;
  if (std::ranges::find(doubts, "model_not_read", &Note::code) != doubts.end()) {
    return line("model", text + ", which was not read: [problem] states the matrices");
  }
  if (!mujoco->keyframe.empty()) text += fmt::format(", keyframe {}", mujoco->keyframe);
  if (mujoco->qpos.size() > 0) text += ", qpos given";
  if (mujoco->qvel.size() > 0) text += ", qvel given";
  text += fmt::format(", contacts within {} m", number(mujoco->distance));
  if (mujoco->merge == 1) text += ", merged to corners";
  if (mujoco->merge > 1) text += fmt::format(", merged to {} corners", mujoco->merge);
  return line("model", text + (mujoco->limits ? "" : ", without limits"));
}

nlohmann::ordered_json model_json(const std::optional<MujocoOptions>& mujoco) {
  if (!mujoco) return nullptr;
  return {{"model", mujoco->model},
          {"keyframe", mujoco->keyframe},
          {"qpos", vector_json(mujoco->qpos)},
          {"qvel", vector_json(mujoco->qvel)},
          {"distance", mujoco->distance},
          {"merge", mujoco->merge > 1 ? nlohmann::ordered_json(mujoco->merge)
                                      : nlohmann::ordered_json(mujoco->merge == 1)},
          {"limits", mujoco->limits}};
}

std::string describe_text(const Description& found) {
  const Scenario& scenario = found.scenario;
  const SamplingOptions& options = scenario.sampling;
  std::string spectrum;
  for (const double value : found.delassus_eigenvalues.head(found.delassus_rank)) {
    spectrum += (spectrum.empty() ? "" : ", ") + number(value);
  }
  std::string text = Ink(STDOUT_FILENO).bold(title(scenario)) + "\n";
  const Eigen::VectorXd& mass = found.mass_eigenvalues;
  text += model_line(scenario);
  text += line("size", size_text(scenario.problem));
  text += line("mass matrix",
               fmt::format("condition {}, eigenvalues {} ... {}", number(condition(mass)),
                           number(mass(0)), number(mass(mass.size() - 1))));
  text += line("Delassus matrix",
               fmt::format("rank {} of {}, eigenvalues {} m/s per N·s", found.delassus_rank,
                           found.delassus_eigenvalues.size(), spectrum));
  text += line("friction cone", found.cone_support
                                    ? "pointed, |r| = " + number(found.cone_support->norm())
                                    : "not pointed: termination is not guaranteed");
  text += step_solutions_text(scenario.problem);
  text += coupling_text(scenario.problem, found.coupled);
  if (found.propagative) text += verdict_text(*found.propagative);
  text += line("psi", number(found.psi));
  text += line("final cap", number(found.final_cap) + " N·s");
  text += line("stopping impulse", number(found.stopping_impulse) + " N·s");
  text += line("kinetic energy", number(found.energy) + " J before the impact");
  text += line("sampling",
               fmt::format("{} trajector{}, {}", options.trajectories,
                           options.trajectories == 1 ? "y" : "ies", sampling_text(options)));
  text += chosen_text(scenario);
  text += line("net", fmt::format("epsilon = {} ({} norm)", number(*options.epsilon),
                                  norm_name(options.norm)));
  text += line("termination",
               fmt::format("separated within {} m/s", number(options.termination_tolerance)));
  text += "\n" + theory_text(scenario, found.theory);
  text += "\n" + contact_table(scenario.problem);
  text += parameter_table(scenario.parameters);
  return text + note_lines(notes(scenario.problem, options), STDOUT_FILENO);
}

nlohmann::ordered_json contact_speeds_json(const ImpactProblem& problem) {
  auto contacts = nlohmann::ordered_json::array();
  const Eigen::VectorXd normal = problem.normal_jacobian * problem.pre_impact_velocity;
  const Eigen::VectorXd tangential = problem.tangent_jacobian * problem.pre_impact_velocity;
  const int d = problem.tangent_dimension();
  for (int i = 0; i < problem.contacts(); ++i) {
    contacts.push_back({{"name", problem.contact_names[static_cast<std::size_t>(i)]},
                        {"unit", speed_unit(problem, i)},
                        {"friction", problem.friction(i)},
                        {"normal_velocity", normal(i)},
                        {"tangential_velocity", vector_json(tangential.segment(i * d, d))}});
  }
  return contacts;
}

nlohmann::ordered_json describe_json(const Description& found) {
  const Scenario& scenario = found.scenario;
  const Eigen::VectorXd& mass = found.mass_eigenvalues;
  const bool pointed = found.cone_support.has_value();
  nlohmann::ordered_json cone = {{"pointed", pointed}, {"support", nullptr}};
  if (pointed) cone["support"] = vector_json(*found.cone_support);
  cone["support_norm"] =
      pointed ? nlohmann::ordered_json(found.cone_support->norm()) : nlohmann::ordered_json();
  return {
      {"system", scenario.system},
      {"parameters", scenario.parameters},
      {"mujoco", model_json(scenario.mujoco)},
      {"size", size_json(scenario.problem)},
      {"contacts", contact_speeds_json(scenario.problem)},
      {"mass_matrix", {{"condition", condition(mass)}, {"eigenvalues", vector_json(mass)}}},
      {"delassus",
       {{"rank", found.delassus_rank}, {"eigenvalues", vector_json(found.delassus_eigenvalues)}}},
      {"friction_cone", cone},
      {"step_solutions", step_solutions_json(scenario.problem)},
      {"coupling", coupling_json(found.coupled)},
      {"propagative",
       found.propagative ? verdict_json(*found.propagative) : nlohmann::ordered_json()},
      {"psi", found.psi},
      {"final_cap", found.final_cap},
      {"stopping_impulse", found.stopping_impulse},
      {"energy", found.energy},
      {"theory", theory_json(found.theory)},
      {"sampling", sampling_json(scenario.sampling)},
      {"notes", notes_json(notes(scenario.problem, scenario.sampling))}};
}

std::string pair_text(const UniqueBy& found, const std::pair<int, int>& pair) {
  return fmt::format("{}, {}", found.contact_names[static_cast<std::size_t>(pair.first)],
                     found.contact_names[static_cast<std::size_t>(pair.second)]);
}

std::string unique_text(const UniqueBy& found) {
  std::string text =
      "\nValues at which normals are orthogonal in the kinetic metric, so that impacts there "
      "commute\n";
  if (found.values.empty()) return text + "  none in the interval\n";
  Table table({found.path, "contacts", ""}, false);
  for (const OrthogonalValue& one : found.values) {
    std::string pairs;
    for (const auto& pair : one.pairs) {
      pairs += fmt::format("{}{}", pairs.empty() ? "" : "; ", pair_text(found, pair));
    }
    table.add({fmt::format("{:.15g}", one.value), pairs,
               one.all ? "all pairs: one outcome in any order, without friction" : ""});
  }
  return text + table.text();
}

nlohmann::ordered_json unique_json(const UniqueBy& found) {
  auto values = nlohmann::ordered_json::array();
  for (const OrthogonalValue& one : found.values) {
    values.push_back({{"value", one.value}, {"pairs", one.pairs}, {"all", one.all}});
  }
  return {{"path", found.path}, {"values", std::move(values)}};
}

struct DescribeArguments {
  std::string scenario;
  std::optional<std::string> unique_by, from, to;
  OptionFlags sampling;
  bool json = false;
};

std::optional<UniqueBy> find_unique(const DescribeArguments& arguments) {
  const bool interval = arguments.from && arguments.to;
  if (arguments.unique_by.has_value() != interval ||
      arguments.from.has_value() != arguments.to.has_value()) {
    throw InputError("--unique-by, --from and --to go together (must be all given, or none)");
  }
  if (!arguments.unique_by) return std::nullopt;
  return unique_by(arguments.scenario, *arguments.unique_by, parse_real("--from", *arguments.from),
                   parse_real("--to", *arguments.to));
}

int run_describe(const DescribeArguments& arguments) {
  Scenario scenario = load_scenario(arguments.scenario);
  apply(arguments.sampling, scenario);
  resolve(scenario, shown_stages(false));
  const Description found = describe(scenario);
  const std::optional<UniqueBy> unique = find_unique(arguments);
  if (arguments.json) {
    nlohmann::ordered_json document = describe_json(found);
    if (unique) document["unique_by"] = unique_json(*unique);
    print(document);
  } else {
    print(describe_text(found) + (unique ? unique_text(*unique) : ""));
  }
  return exit_success;
}

}  // namespace

void add_describe_command(CommandLine& line) {
  auto arguments = std::make_shared<DescribeArguments>();
  Command command =
      line.add("describe",
               "Tell sizes, spectra and scales of a scenario's problem, and what "
               "theory says about sampling it",
               "describe rocking_block", [arguments] { return run_describe(*arguments); });
  add_scenario_argument(command, arguments->scenario);
  command.option("--epsilon", arguments->sampling.text["epsilon"], "EPS",
                 "resolution wanted of the net, < h");
  command.option("--unique-by", arguments->unique_by, "PARAMETER",
                 "values of a number of the scenario at which impacts in turn commute");
  command.option("--from", arguments->from, "X", "least value of --unique-by");
  command.option("--to", arguments->to, "X", "greatest value of --unique-by");
  add_json_flag(command, arguments->json);
}

}  // namespace carom::cli
