#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "carom/error.hpp"
#include "carom/step.hpp"
#include "host/cli_commands.hpp"
#include "host/cli_report.hpp"
#include "host/cli_terminal.hpp"

namespace carom::cli {
namespace {

struct StepArguments {
  std::string scenario;
  std::optional<std::string> velocity;
  std::optional<std::string> caps;
  bool json = false;
};

/// What one step was asked for.
struct Step {
  const ImpactProblem& problem;
  Eigen::VectorXd velocity;
  Eigen::VectorXd caps;
  StepSolution solution;
};

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

const char* step_status(const StepSolution& solution) {
  return solution.status == Status::separated ? "solved" : status_name(solution.status);
}

/// What rounding noise is measured against.
double largest(const Eigen::VectorXd& one, const Eigen::VectorXd& other) {
  return std::max(one.cwiseAbs().maxCoeff(), other.cwiseAbs().maxCoeff());
}

/// Tangential values of contact i, one cell per tangent row.
void add_tangential(std::vector<std::string>& row, const ImpactProblem& problem, int contact,
                    const Eigen::VectorXd& values, double scale) {
  const int d = problem.tangent_dimension();
  for (int t = 0; t < d; ++t) row.push_back(number(values(contact * d + t), scale));
}

std::string velocity_table(const Step& step, double scale) {
  const ImpactProblem& problem = step.problem;
  std::vector<std::string> header = {"contact", "normal before", "after"};
  for (const auto& name : tangential_headers(problem, "tangential before")) header.push_back(name);
  for (const auto& name : tangential_headers(problem, "after")) header.push_back(name);
  Table table(std::move(header));
  const Eigen::VectorXd& after = step.solution.post_velocity;
  const Eigen::VectorXd normal_before = problem.normal_jacobian * step.velocity;
  const Eigen::VectorXd normal_after = problem.normal_jacobian * after;
  const Eigen::VectorXd tangential_before = problem.tangent_jacobian * step.velocity;
  const Eigen::VectorXd tangential_after = problem.tangent_jacobian * after;
  for (int i = 0; i < problem.contacts(); ++i) {
    std::vector<std::string> row = {problem.contact_names[static_cast<std::size_t>(i)],
                                    number(normal_before(i), scale),
                                    number(normal_after(i), scale)};
    add_tangential(row, problem, i, tangential_before, scale);
    add_tangential(row, problem, i, tangential_after, scale);
    table.add(std::move(row));
  }
  return "Contact velocities, m/s\n" + table.text();
}

std::string impulse_table(const Step& step, double speed) {
  const StepSolution& solution = step.solution;
  std::vector<std::string> header = {"contact", "cap", "normal"};
  for (const auto& name : tangential_headers(step.problem, "tangential")) header.push_back(name);
  header.insert(header.end(), {"cap slack", "slip speed"});
  Table table(std::move(header));
  const double scale = largest(solution.normal_impulse, solution.tangential_impulse);
  for (int i = 0; i < step.problem.contacts(); ++i) {
    std::vector<std::string> row = {step.problem.contact_names[static_cast<std::size_t>(i)],
                                    number(step.caps(i)),
                                    number(solution.normal_impulse(i), scale)};
    add_tangential(row, step.problem, i, solution.tangential_impulse, scale);
    row.push_back(number(solution.cap_slack(i), speed));
    row.push_back(number(solution.slip_speed(i), speed));
    table.add(std::move(row));
  }
  return "Impulses, N·s; speeds that the caps leave unstopped and slip speeds, m/s\n" +
         table.text();
}

std::string velocity_text(const Eigen::VectorXd& velocity, double scale) {
  std::string text;
  for (const double v : velocity) text += (text.empty() ? "" : ", ") + number(v, scale);
  return text;
}

std::string step_text(const Step& step, const std::string& system) {
  const StepSolution& solution = step.solution;
  const double energy = solution.energy_before;
  const double scale = largest(step.velocity, solution.post_velocity);
  const double speed = largest(step.problem.normal_jacobian * step.velocity,
                               step.problem.tangent_jacobian * step.velocity);
  std::string text = Ink(STDOUT_FILENO).bold("One step of " + system) + "\n";
  text += line("size", size_text(step.problem));
  text += line("status", fmt::format("{}, scaled residual {:.2g}, {} pivots{}",
                                     step_status(solution), solution.residual, solution.pivots,
                                     solution.retries > 0 ? ", in double-double precision" : ""));
  text += line("kinetic energy", fmt::format("{} J before, {} J after", number(energy),
                                             number(solution.energy_after, energy)));
  text += line("velocity before", velocity_text(step.velocity, scale));
  text += line("velocity after", velocity_text(solution.post_velocity, scale));
  return text + "\n" + velocity_table(step, speed) + "\n" + impulse_table(step, speed);
}

nlohmann::ordered_json step_json(const Step& step, const std::string& system) {
  const StepSolution& solution = step.solution;
  const ImpactProblem& problem = step.problem;
  const auto speeds = [](const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& velocity) {
    return vector_json(jacobian * velocity);
  };
  return {
      {"system", system},
      {"size", size_json(problem)},
      {"contact_names", problem.contact_names},
      {"status", step_status(solution)},
      {"residual", solution.residual},
      {"pivots", solution.pivots},
      {"retries", solution.retries},
      {"energy", {{"before", solution.energy_before}, {"after", solution.energy_after}}},
      {"velocity",
       {{"before", vector_json(step.velocity)}, {"after", vector_json(solution.post_velocity)}}},
      {"normal_velocity",
       {{"before", speeds(problem.normal_jacobian, step.velocity)},
        {"after", speeds(problem.normal_jacobian, solution.post_velocity)}}},
      {"tangential_velocity",
       {{"before", speeds(problem.tangent_jacobian, step.velocity)},
        {"after", speeds(problem.tangent_jacobian, solution.post_velocity)}}},
      {"caps", vector_json(step.caps)},
      {"normal_impulse", vector_json(solution.normal_impulse)},
      {"tangential_impulse", vector_json(solution.tangential_impulse)},
      {"direction_impulse", vector_json(solution.direction_impulse)},
      {"cap_slack", vector_json(solution.cap_slack)},
      {"slip_speed", vector_json(solution.slip_speed)}};
}

int run_step(const StepArguments& arguments) {
  const Scenario scenario = load_scenario(arguments.scenario);
  const ImpactProblem& problem = scenario.problem;
  Step step{
      problem,
      read_vector("--velocity", arguments.velocity, problem.pre_impact_velocity),
      read_vector("--caps", arguments.caps,
                  Eigen::VectorXd::Constant(problem.contacts(), scenario.sampling.impulse_step)),
      {}};
  for (const double cap : step.caps) {
    if (cap < 0.0) throw InputError(fmt::format("--caps has {} (must be >= 0)", cap));
  }
  step.solution = solve_step(problem, step.velocity, step.caps);
  if (arguments.json) {
    print(step_json(step, scenario.system));
  } else {
    print(step_text(step, scenario.system));
  }
  if (step.solution.status == Status::separated) return exit_success;
  throw RunError(
      fmt::format("the step LCP was not solved (status {})", step_status(step.solution)));
}

}  // namespace

void add_step_command(CLI::App& app, Command& selected) {
  auto arguments = std::make_shared<StepArguments>();
  CLI::App* command = app.add_subcommand(
      "step", "Solve one LCP: what one step with given caps makes of a velocity");
  add_scenario_argument(*command, arguments->scenario);
  command
      ->add_option("--velocity", arguments->velocity,
                   "generalised velocity before the step; default: pre-impact velocity")
      ->type_name("v1,v2,...");
  command
      ->add_option("--caps", arguments->caps,
                   "caps of the normal impulses, N·s; default: impulse_step for each contact")
      ->type_name("c1,c2,...");
  add_json_flag(*command, arguments->json);
  command->callback(
      [&selected, arguments] { selected = [arguments] { return run_step(*arguments); }; });
}

}  // namespace carom::cli
