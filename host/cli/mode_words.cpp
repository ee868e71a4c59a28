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

std::string contact_words(const ImpactProblem& problem, int contact, int number) {
  if (number == 0) return "no impulse";
  const bool frictionless = problem.friction(contact) == 0.0;
  const int edges = problem.tangent_dimension() == 1 ? 0 : problem.friction_directions;
  const int states = frictionless ? 1 : 1 + problem.friction_directions + edges;
  const int state = (number - 1) % states;
  const std::string words = frictionless ? "no friction" : friction_words(problem, state);
  return words + (number > states ? ", at its cap" : "");
}

}  // namespace

std::string mode_words(const ImpactProblem& problem, const std::string& digits) {
  const std::vector<int> numbers = state_numbers(digits);
  std::string text;
  for (int i = 0; i < problem.contacts(); ++i) {
    const auto contact = static_cast<std::size_t>(i);
    text += fmt::format("{}{} {}", i == 0 ? "" : "; ", problem.contact_names[contact],
                        contact_words(problem, i, numbers[contact]));
  }
  return text;
}

}  // namespace carom::cli
