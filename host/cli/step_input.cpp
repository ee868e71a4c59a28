#include "host/cli/step_input.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "carom/error.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

Eigen::VectorXd read_vector(const std::string& flag, const std::optional<std::string>& text,
                            const Eigen::VectorXd& otherwise) {
  if (!text) return otherwise;
  const std::vector<double> numbers = parse_reals(flag, *text);
  if (static_cast<Eigen::Index>(numbers.size()) != otherwise.size()) {
    throw InputError(
        fmt::format("{} has {} numbers (must have {})", flag, numbers.size(), otherwise.size()));
  }
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(), otherwise.size());
}

}  // namespace

void add_step_arguments(Command& command, StepArguments& arguments) {
  add_scenario_argument(command, arguments.scenario);
  command.option("--velocity", arguments.velocity, "v1,v2,...",
                 "generalised velocity before the step; default: pre-impact velocity");
  command.option("--caps", arguments.caps, "c1,c2,...",
                 "caps of the normal impulses, N·s; default: impulse_step for each contact");
  add_json_flag(command, arguments.json);
}

StepInput read_step(const StepArguments& arguments) {
  StepInput step{load_scenario(arguments.scenario), {}, {}};
  const ImpactProblem& problem = step.problem();
  step.velocity = read_vector("--velocity", arguments.velocity, problem.pre_impact_velocity);
  step.caps = read_vector(
      "--caps", arguments.caps,
      Eigen::VectorXd::Constant(problem.contacts(), step.scenario.sampling.impulse_step.value_or(
                                                        default_impulse_step(problem))));
  for (const double cap : step.caps) {
    if (cap < 0.0) throw InputError(fmt::format("--caps has {} (must be >= 0)", cap));
  }
  return step;
}

std::vector<std::string> step_notes(const Scenario& scenario) {
  std::vector<std::string> notes;
  const Law& law = scenario.sampling.law;
  if (!std::holds_alternative<law::SetValued>(law)) {
    notes.push_back(
        fmt::format("the scenario's law is {}; this step is one of set_valued", law_name(law)));
  }
  if (has_restitution(scenario.problem)) {
    notes.push_back("the scenario has restitution; this step has none");
  }
  return notes;
}

double largest(const Eigen::VectorXd& one, const Eigen::VectorXd& other) {
  return std::max(one.cwiseAbs().maxCoeff(), other.cwiseAbs().maxCoeff());
}

std::string list_text(const Eigen::VectorXd& values, double scale) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + number(value, scale);
  return text;
}

void add_tangential(std::vector<std::string>& row, const ImpactProblem& problem, int contact,
                    const Eigen::VectorXd& values, double scale) {
  const int d = problem.tangent_dimension();
  for (int t = 0; t < d; ++t) row.push_back(number(values(contact * d + t), scale));
}

}  // namespace carom::cli
