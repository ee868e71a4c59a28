#include "host/evidence/sequence_resolver.hpp"

#include <algorithm>
#include <utility>

#include "carom/solutions.hpp"

namespace carom {
namespace {

// Number of stages whose velocities are kept: enough for plots, small compared with a result.
constexpr int longest_path = 1000;

void append(std::vector<double>& path, const Eigen::VectorXd& velocity) {
  path.insert(path.end(), velocity.begin(), velocity.end());
}

}  // namespace

ImpactProblem contact_alone(const ImpactProblem& problem, int contact) {
  const int d = problem.tangent_dimension();
  ImpactProblem alone = problem;
  alone.normal_jacobian = problem.normal_jacobian.row(contact);
  alone.tangent_jacobian = problem.tangent_jacobian.middleRows(contact * d, d);
  alone.friction = problem.friction.segment(contact, 1);
  if (problem.restitution.size() > 0) {
    alone.restitution = problem.restitution.segment(contact, 1);
  }
  alone.contact_names = {problem.contact_names[static_cast<std::size_t>(contact)]};
  return alone;
}

SequenceResolver::SequenceResolver(const ImpactProblem& problem, double tolerance, int max_stages)
    : problem_(problem), tolerance_(tolerance), max_stages_(max_stages) {
  for (int i = 0; i < problem.contacts(); ++i) alone_.push_back(contact_alone(problem, i));
}

SequenceOutcome SequenceResolver::resolve(const std::vector<int>& order) const {
  SequenceOutcome outcome;
  Eigen::VectorXd& velocity = outcome.velocity;
  velocity = problem_.pre_impact_velocity;
  append(outcome.path, velocity);
  const auto approaches = [&](int contact) {
    return problem_.normal_jacobian.row(contact).dot(velocity) < -tolerance_;
  };
  for (std::size_t turn = 0;; turn = (turn + 1) % order.size()) {
    if (std::none_of(order.begin(), order.end(), approaches)) {
      outcome.terminated = true;
      return outcome;
    }
    if (outcome.stages == max_stages_) return outcome;
    if (!approaches(order[turn])) continue;
    const std::vector<StepAnswer> answers =
        simultaneous_solutions(alone_[static_cast<std::size_t>(order[turn])], velocity).answers;
    if (answers.empty()) {
      outcome.contact_unsolved = order[turn];
      return outcome;
    }
    velocity = std::min_element(answers.begin(), answers.end(),
                                [](const StepAnswer& one, const StepAnswer& other) {
                                  return one.energy < other.energy;
                                })
                   ->velocity;
    outcome.unique = outcome.unique && answers.size() == 1;
    if (++outcome.stages <= longest_path) append(outcome.path, velocity);
  }
}

}  // namespace carom
