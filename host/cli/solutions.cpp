#include <fmt/core.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <memory>

#include "carom/error.hpp"
#include "carom/solutions.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/mode_words.hpp"
#include "host/cli/report.hpp"
#include "host/cli/step_input.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_modes = 12;  // named per solution; --json names all

/// The scale of rounding noise in tables.
struct Scale {
  double velocity, contact, energy, impulse;
};

std::string count_text(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string modes_text(const std::vector<std::string>& modes) {
  const std::size_t named = std::min(modes.size(), most_modes);
  std::string text = fmt::format(
      "{}", fmt::join(modes.begin(), modes.begin() + static_cast<std::ptrdiff_t>(named), ", "));
  if (named < modes.size()) text += fmt::format(" and {} more", modes.size() - named);
  return text;
}

std::string contact_table(const ImpactProblem& problem, const StepAnswer& answer,
                          const Scale& scale) {
  std::vector<std::string> header = {"contact", "normal impulse"};
  for (const auto& name : tangential_headers(problem, "tangential")) header.push_back(name);
  header.emplace_back("normal velocity");
  for (const auto& name : tangential_headers(problem, "tangential")) header.push_back(name);
  Table table(std::move(header));
  const Eigen::VectorXd normal = problem.normal_jacobian * answer.velocity;
  const Eigen::VectorXd tangential = problem.tangent_jacobian * answer.velocity;
  for (int i = 0; i < problem.contacts(); ++i) {
    std::vector<std::string> row = {contact_label(problem, i),
                                    number(answer.normal_impulse(i), scale.impulse)};
    add_tangential(row, problem, i, answer.tangential_impulse, scale.impulse);
    row.push_back(number(normal(i), scale.contact));
    add_tangential(row, problem, i, tangential, scale.contact);
    table.add(std::move(row));
  }
  return table.text();
}

std::string answer_text(const ImpactProblem& problem, const StepAnswer& answer,
                        double merge_tolerance, const std::string& title, const Scale& scale) {
  std::string text = title + ": " + mode_words(problem, answer, merge_tolerance) + "\n";
  text += line("modes",
               modes_text(answer.modes) + (answer.on_continuum ? ", an end of a continuum" : ""));
  text += line("kinetic energy", fmt::format("{} J, scaled residual {:.2g}",
                                             number(answer.energy, scale.energy), answer.residual));
  text += line("velocity after", list_text(answer.velocity, scale.velocity));
  return text + contact_table(problem, answer, scale);
}

std::string segment_text(const ImpactProblem& problem,
                         const std::pair<Eigen::VectorXd, Eigen::VectorXd>& segment,
                         const std::string& title, const Scale& scale) {
  std::string text = title + ": every velocity between these two\n";
  for (const auto& [label, end] : {std::pair("from", &segment.first), {"to", &segment.second}}) {
    text += line(label, list_text(*end, scale.velocity));
    text += line("  normal", list_text(problem.normal_jacobian * *end, scale.contact));
    text += line("  tangential", list_text(problem.tangent_jacobian * *end, scale.contact));
  }
  return text;
}

std::string answers_text(const ImpactProblem& problem, const StepAnswers& answers,
                         const std::string& law, Scale scale) {
  std::string counted = count_text(answers.answers.size(), "solution");
  if (!answers.segments.empty()) {
    counted += " and " + count_text(answers.segments.size(), "continuum segment");
  }
  if (!answers.segments.empty()) counted += ", " + count_text(answers.components, "component");
  if (!answers.complete) counted += ", perhaps not all";
  std::string text =
      fmt::format("{}: {} (contact velocities within {} m/s are one)\n",
                  Ink(STDOUT_FILENO).bold(law), counted, number(answers.merge_tolerance));
  for (const StepAnswer& answer : answers.answers) {
    scale.impulse =
        std::max(scale.impulse, largest(answer.normal_impulse, answer.tangential_impulse));
  }
  for (std::size_t i = 0; i < answers.answers.size(); ++i) {
    text += "\n" + answer_text(problem, answers.answers[i], answers.merge_tolerance,
                               fmt::format("Solution {}", i + 1), scale);
  }
  for (std::size_t i = 0; i < answers.segments.size(); ++i) {
    text +=
        "\n" + segment_text(problem, answers.segments[i], fmt::format("Segment {}", i + 1), scale);
  }
  return text;
}

std::string solutions_text(const StepInput& input, const StepAnswers& step,
                           const StepAnswers& simultaneous) {
  const ImpactProblem& problem = input.problem();
  const Eigen::VectorXd normal = problem.normal_jacobian * input.velocity;
  const Eigen::VectorXd tangential = problem.tangent_jacobian * input.velocity;
  const double energy = kinetic_energy(problem, input.velocity);
  const Scale scale{input.velocity.cwiseAbs().maxCoeff(), largest(normal, tangential), energy, 0.0};
  std::string text =
      Ink(STDOUT_FILENO).bold("All solutions of one step of " + title(input.scenario)) + "\n";
  text += line("size", size_text(problem));
  text += line("kinetic energy", number(energy) + " J before");
  text += line("velocity before", list_text(input.velocity, scale.velocity));
  text += line("  normal", list_text(normal, scale.contact) + " m/s");
  text += line("  tangential", list_text(tangential, scale.contact) + " m/s");
  const std::string caps = list_text(input.caps, 0.0);
  text += "\n" + answers_text(problem, step, "Step with the caps " + caps + " N·s", scale) + "\n" +
          answers_text(problem, simultaneous, "Simultaneous law, without caps", scale);
  for (const std::string& note : step_notes(input.scenario)) {
    text += note_line(note, STDOUT_FILENO);
  }
  return text;
}

ordered_json answers_json(const ImpactProblem& problem, const StepAnswers& answers) {
  ordered_json solutions = ordered_json::array();
  for (const StepAnswer& answer : answers.answers) {
    solutions.push_back(
        {{"modes", answer.modes},
         {"words", mode_words(problem, answer, answers.merge_tolerance)},
         {"velocity", vector_json(answer.velocity)},
         {"normal_velocity", vector_json(problem.normal_jacobian * answer.velocity)},
         {"tangential_velocity", vector_json(problem.tangent_jacobian * answer.velocity)},
         {"normal_impulse", vector_json(answer.normal_impulse)},
         {"tangential_impulse", vector_json(answer.tangential_impulse)},
         {"energy", answer.energy},
         {"residual", answer.residual},
         {"on_continuum", answer.on_continuum}});
  }
  ordered_json segments = ordered_json::array();
  for (const auto& [one, other] : answers.segments) {
    segments.push_back(ordered_json::array({vector_json(one), vector_json(other)}));
  }
  return {{"complete", answers.complete},
          {"components", answers.components},
          {"merge_tolerance", answers.merge_tolerance},
          {"solutions", solutions},
          {"segments", segments}};
}

ordered_json solutions_json(const StepInput& input, const StepAnswers& step,
                            const StepAnswers& simultaneous) {
  const ImpactProblem& problem = input.problem();
  return {{"system", input.scenario.system},
          {"size", size_json(problem)},
          {"contact_names", problem.contact_names},
          {"velocity", vector_json(input.velocity)},
          {"normal_velocity", vector_json(problem.normal_jacobian * input.velocity)},
          {"tangential_velocity", vector_json(problem.tangent_jacobian * input.velocity)},
          {"energy", kinetic_energy(problem, input.velocity)},
          {"caps", vector_json(input.caps)},
          {"step", answers_json(problem, step)},
          {"simultaneous", answers_json(problem, simultaneous)},
          {"notes", step_notes(input.scenario)}};
}

int run_solutions(const StepArguments& arguments) {
  const StepInput input = read_step(arguments);
  const ImpactProblem& problem = input.problem();
  const StepAnswers step = all_step_solutions(problem, input.velocity, input.caps);
  const StepAnswers simultaneous = simultaneous_solutions(problem, input.velocity);
  if (arguments.json) {
    print(solutions_json(input, step, simultaneous));
  } else {
    print(solutions_text(input, step, simultaneous));
  }
  // Both laws always have a solution (Theorem 6 and similar results): none means that a check
  // failed.
  if (step.answers.empty()) throw RunError("no solution of the step was found");
  if (simultaneous.answers.empty()) throw RunError("no solution of the simultaneous law was found");
  return exit_success;
}

}  // namespace

void add_solutions_command(CommandLine& line) {
  auto arguments = std::make_shared<StepArguments>();
  Command command = line.add(
      "solutions", "List every solution of one step, and of the simultaneous law",
      "solutions compass_gait --caps 0.25,0.25", [arguments] { return run_solutions(*arguments); });
  add_step_arguments(command, *arguments);
}

}  // namespace carom::cli
