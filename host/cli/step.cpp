#include <fmt/core.h>
#include <unistd.h>

#include <memory>

#include "carom/error.hpp"
#include "carom/step.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/step_input.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

/// The input of one step, and its solution.
struct Step {
  const ImpactProblem& problem;
  Eigen::VectorXd velocity;
  Eigen::VectorXd caps;
  StepSolution solution;
};

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
    std::vector<std::string> row = {contact_label(problem, i), number(normal_before(i), scale),
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

std::string step_text(const Step& step, const Scenario& scenario) {
  const StepSolution& solution = step.solution;
  const double energy = solution.energy_before;
  const double scale = largest(step.velocity, solution.post_velocity);
  const double speed = largest(step.problem.normal_jacobian * step.velocity,
                               step.problem.tangent_jacobian * step.velocity);
  std::string text = Ink(STDOUT_FILENO).bold("One step of " + title(scenario)) + "\n";
  text += line("size", size_text(step.problem));
  text += line("status",
               fmt::format("{}, scaled residual {:.2g}, {} pivots{}",
                           step_status_name(solution.status), solution.residual, solution.pivots,
                           solution.retries > 0 ? ", in double-double precision" : ""));
  text += line("kinetic energy", fmt::format("{} J before, {} J after", number(energy),
                                             number(solution.energy_after, energy)));
  text += line("velocity before", list_text(step.velocity, scale));
  text += line("velocity after", list_text(solution.post_velocity, scale));
  text += "\n" + velocity_table(step, speed) + "\n" + impulse_table(step, speed);
  for (const std::string& note : step_notes(scenario)) text += note_line(note, STDOUT_FILENO);
  return text;
}

nlohmann::ordered_json step_json(const Step& step, const Scenario& scenario) {
  const StepSolution& solution = step.solution;
  const ImpactProblem& problem = step.problem;
  const auto speeds = [](const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& velocity) {
    return vector_json(jacobian * velocity);
  };
  return {
      {"system", scenario.system},
      {"size", size_json(problem)},
      {"contact_names", problem.contact_names},
      {"status", step_status_name(solution.status)},
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
      {"slip_speed", vector_json(solution.slip_speed)},
      {"notes", step_notes(scenario)}};
}

int run_step(const StepArguments& arguments) {
  const StepInput input = read_step(arguments);
  const ImpactProblem& problem = input.problem();
  const Step step{problem, input.velocity, input.caps,
                  solve_step(problem, input.velocity, input.caps)};
  if (arguments.json) {
    print(step_json(step, input.scenario));
  } else {
    print(step_text(step, input.scenario));
  }
  if (step.solution.status == Status::separated) return exit_success;
  throw RunError(fmt::format("the step LCP was not solved (status {})",
                             step_status_name(step.solution.status)));
}

}  // namespace

void add_step_command(CommandLine& line) {
  auto arguments = std::make_shared<StepArguments>();
  Command command =
      line.add("step", "Solve one LCP: what one step with given caps makes of a velocity",
               "step rocking_block --caps 0.1,0.05", [arguments] { return run_step(*arguments); });
  add_step_arguments(command, *arguments);
}

}  // namespace carom::cli
