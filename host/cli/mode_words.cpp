#include "host/cli/mode_words.hpp"

#include <fmt/core.h>

#include <vector>

namespace carom::cli {
namespace {

/// The number of each contact's state: one digit or letter, or more digits in parentheses.
std::vector<int> state_numbers(const std::string& digits) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const char digit = digits[i];
    if (digit == '(') {
      numbers.push_back(std::stoi(digits.substr(i + 1)));
      i = digits.find(')', i);
    } else {
      numbers.push_back(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
  }
  return numbers;
}

/// @param state 0: sticks; then slides; in space: friction along a direction, then on an edge
std::string friction_words(const ImpactProblem& problem, int state) {
  if (state == 0) return "sticks";
  if (problem.tangent_dimension() == 1) return state == 1 ? "slides +" : "slides -";
  const int k = problem.friction_directions;
  if (state <= k) return fmt::format("slides, friction along direction {}", state);
  return fmt::format("slides, friction between directions {} and {}", state - k,
                     state == 2 * k ? 1 : state - k + 1);
}

std::string contact_words(const ImpactProblem& problem, int contact, int number, double slip,
                          double tolerance) {
  if (number == 0) return "no impulse";
  const bool frictionless = problem.friction(contact) == 0.0;
  const int edges = problem.tangent_dimension() == 1 ? 0 : problem.friction_directions;
  const int states = frictionless ? 1 : 1 + problem.friction_directions + edges;
  // A contact can have the mode of one that slides and not slip, its friction being at the edge.
  const int state = slip <= tolerance ? 0 : (number - 1) % states;
  const std::string words = frictionless ? "no friction" : friction_words(problem, state);
  return words + (number > states ? ", at its cap" : "");
}

}  // namespace

std::string mode_words(const ImpactProblem& problem, const StepAnswer& answer, double tolerance) {
  const std::vector<int> numbers = state_numbers(answer.modes.front());
  const Eigen::VectorXd slip = problem.tangent_jacobian * answer.velocity;
  const int d = problem.tangent_dimension();
  std::string text;
  for (int i = 0; i < problem.contacts(); ++i) {
    const auto contact = static_cast<std::size_t>(i);
    text += fmt::format(
        "{}{} {}", i == 0 ? "" : "; ", problem.contact_names[contact],
        contact_words(problem, i, numbers[contact], slip.segment(i * d, d).norm(), tolerance));
  }
  return text;
}

}  // namespace carom::cli
