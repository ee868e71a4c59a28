#pragma once

#include "host/cli/options.hpp"

namespace carom::cli {

/// Arguments of the commands for a single step.
struct StepArguments {
  std::string scenario;
  std::optional<std::string> velocity;
  std::optional<std::string> caps;
  bool json = false;
};

/// The requested step.
struct StepInput {
  Scenario scenario;
  Eigen::VectorXd velocity;  ///< nv
  Eigen::VectorXd caps;      ///< m, N·s

  const ImpactProblem& problem() const { return scenario.problem; }
};

/// SCENARIO, --velocity, --caps, --json.
void add_step_arguments(Command& command, StepArguments& arguments);

/// Reads the arguments; defaults are the pre-impact velocity and impulse_step for each contact.
/// @throws InputError naming the flag and the rule it breaks.
StepInput read_step(const StepArguments& arguments);

/// What the scenario has and these steps have not: another law, restitution.
std::vector<std::string> step_notes(const Scenario& scenario);

// Parts of these commands' output. Rounding noise is relative to `scale`.

/// The greatest absolute value of an entry of either vector.
double largest(const Eigen::VectorXd& one, const Eigen::VectorXd& other);
/// "0.1, -0.2, 0"
std::string list_text(const Eigen::VectorXd& values, double scale);
/// Tangential values of a contact, one cell per tangent row.
void add_tangential(std::vector<std::string>& row, const ImpactProblem& problem, int contact,
                    const Eigen::VectorXd& values, double scale);

}  // namespace carom::cli
