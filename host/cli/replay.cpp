#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "carom/error.hpp"
#include "carom/exploration_io.hpp"
#include "carom/outcome_modes.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/report_modes.hpp"
#include "host/cli/step_input.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

struct ReplayArguments {
  std::string file;
  std::string member;
  bool json = false;
};

/// An outcome of an exploration, and the steps that lead to it.
struct Path {
  const Scenario& scenario;
  FoundOutcome outcome;
  std::vector<ReplayedStep> steps;
  std::vector<ContactMode> modes;  ///< of the outcome

  const ImpactProblem& problem() const { return scenario.problem; }
};

Eigen::VectorXd vector_of(const std::vector<double>& numbers) {
  return Eigen::Map<const Eigen::VectorXd>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

/// Whether the steps have caps.
bool has_caps(const Path& path) { return !path.steps.front().caps.empty(); }

/// What a contact does in a step whose impulses are scaled by `impulse` and speeds by `speed`.
std::string state_of(const Path& path, const ReplayedStep& step, int contact, double impulse,
                     double speed) {
  constexpr double noise = 1e-9;
  const int d = path.problem().tangent_dimension();
  const double normal = step.impulse[static_cast<std::size_t>(contact * (1 + d))];
  if (normal <= noise * impulse) return "no impulse";
  if (path.problem().friction.maxCoeff() == 0.0 && !has_caps(path)) return "pushes";
  const Eigen::VectorXd slip =
      path.problem().tangent_jacobian.middleRows(contact * d, d) * vector_of(step.velocity);
  const bool at_cap = has_caps(path) && normal >= (1.0 - noise) *
                                                      step.caps[static_cast<std::size_t>(contact)] *
                                                      static_cast<double>(step.repeats);
  return fmt::format("{}{}", slip.norm() <= noise * speed ? "sticks" : "slides",
                     at_cap ? ", at its cap" : "");
}

std::string text_of(const Path& path) {
  const ImpactProblem& problem = path.problem();
  const int d = problem.tangent_dimension();
  std::vector<std::string> header = {"step", "contact"};
  if (has_caps(path)) header.emplace_back("cap");
  header.emplace_back("normal impulse");
  for (const auto& name : tangential_headers(problem, "tangential impulse")) header.push_back(name);
  header.push_back("normal speed");
  for (const auto& name : tangential_headers(problem, "tangential speed")) header.push_back(name);
  header.emplace_back("in the step");
  const Eigen::VectorXd& before = problem.pre_impact_velocity;
  const double speed = largest(problem.normal_jacobian * before, problem.tangent_jacobian * before);
  double impulse = 0.0;
  for (const ReplayedStep& step : path.steps) {
    impulse = std::max(impulse, vector_of(step.impulse).cwiseAbs().maxCoeff());
  }
  Table table(header);
  for (std::size_t s = 0; s < path.steps.size(); ++s) {
    const ReplayedStep& step = path.steps[s];
    const Eigen::VectorXd velocity = vector_of(step.velocity);
    const Eigen::VectorXd normal = problem.normal_jacobian * velocity;
    const Eigen::VectorXd tangential = problem.tangent_jacobian * velocity;
    const std::string times = step.repeats > 1 ? fmt::format(" x {}", step.repeats) : "";
    for (int i = 0; i < problem.contacts(); ++i) {
      const auto contact = static_cast<std::size_t>(i);
      std::vector<std::string> row = {i == 0 ? fmt::format("{}{}", s + 1, times) : "",
                                      contact_label(problem, i)};
      if (has_caps(path)) row.push_back(number(step.caps[contact]));
      for (int a = 0; a <= d; ++a) {
        row.push_back(number(step.impulse[static_cast<std::size_t>(i * (1 + d) + a)], impulse));
      }
      row.push_back(number(normal(i), speed));
      add_tangential(row, problem, i, tangential, speed);
      row.push_back(state_of(path, step, i, impulse, speed));
      table.add(std::move(row));
    }
  }
  return Ink(STDOUT_FILENO)
             .bold(fmt::format("Path to {} of {}", path.outcome.name, title(path.scenario))) +
         "\n" + line("outcome", mode_text(path.modes, problem.contact_names)) +
         line("velocity", list_text(vector_of(path.steps.back().velocity), before.norm())) +
         (has_caps(path) ? "\nCaps and impulses" : "\nImpulses") +
         ", N·s; speeds after the step, m/s\n" + table.text();
}

nlohmann::ordered_json json_of(const Path& path) {
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  for (const ReplayedStep& step : path.steps) {
    steps.push_back({{"repeats", step.repeats},
                     {"caps", step.caps},
                     {"impulse", step.impulse},
                     {"velocity", step.velocity}});
  }
  return {{"name", title(path.scenario)},
          {"member", path.outcome.member ? nlohmann::ordered_json(*path.outcome.member)
                                         : nlohmann::ordered_json()},
          {"end", path.outcome.member ? nlohmann::ordered_json()
                                      : nlohmann::ordered_json(path.outcome.name)},
          {"contact_names", path.problem().contact_names},
          {"outcome", contact_modes_json(path.modes)},
          {"steps", std::move(steps)}};
}

int run_replay(const ReplayArguments& arguments) {
  const ExplorationResult result = read_exploration(arguments.file);
  const Exploration& found = result.found;
  const Scenario& scenario = result.scenario;
  if (found.net.size() == 0) {
    throw InputError(arguments.file + " has no members (must have, to replay one)");
  }
  const FoundOutcome outcome =
      found_outcome(arguments.member, scenario.problem, scenario.evidence.outputs, found);
  Path path{scenario,
            outcome,
            replay(scenario.problem, scenario.sampling, found.script(outcome.origin)),
            {}};
  const Eigen::VectorXd& wanted = outcome.velocity;
  if (path.steps.empty() || vector_of(path.steps.back().velocity) != wanted) {
    throw RunError(
        fmt::format("the steps of {} do not lead to {}: another version of Carom "
                    "wrote the file ({})",
                    arguments.file, outcome.name, result.version));
  }
  path.modes = OutcomeModes(scenario.problem).classify(wanted.data());
  if (arguments.json) {
    print(json_of(path));
  } else {
    print(text_of(path));
  }
  return exit_success;
}

}  // namespace

void add_replay_command(CommandLine& line) {
  auto arguments = std::make_shared<ReplayArguments>();
  Command command =
      line.add("replay",
               "Show the steps that lead to a member of an exploration: caps, if the "
               "law has them, impulses, speeds and what each contact does",
               "replay explored.h5 0", [arguments] { return run_replay(*arguments); });
  command.argument("FILE", arguments->file, "file of 'carom sample --explore'");
  command.argument("MEMBER", arguments->member,
                   "number of the member, from 0 on, or the name of an end: \"A normal high\"");
  add_json_flag(command, arguments->json);
}

}  // namespace carom::cli
