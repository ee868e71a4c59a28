#include "carom/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "carom/error.hpp"
#include "host/evidence/sequence_resolver.hpp"
#include "host/modes/solution_finder.hpp"
#include "host/problem/step_lcp.hpp"

namespace carom {
namespace {

constexpr int most_contacts_in_all_orders = 4;  // 24 orders

using Order = std::vector<int>;

/// Orders of contacts, each once.
class Orders {
 public:
  void add(const Order& order) {
    if (seen_.insert(order).second) list_.push_back(order);
  }
  std::size_t size() const { return list_.size(); }
  const std::vector<Order>& list() const { return list_; }

 private:
  std::set<Order> seen_;
  std::vector<Order> list_;
};

Order named_order(const ImpactProblem& problem, const std::vector<std::string>& names) {
  const std::vector<std::string>& contacts = problem.contact_names;
  Order order;
  for (const std::string& name : names) {
    const auto at = std::find(contacts.begin(), contacts.end(), name);
    order.push_back(static_cast<int>(at - contacts.begin()));  // m for an unknown name
  }
  Order sorted = order;
  std::sort(sorted.begin(), sorted.end());
  Order all(contacts.size());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) {
    throw InputError(fmt::format("order of contacts is \"{}\" (must name each of {} once)",
                                 fmt::join(names, ","), fmt::join(contacts, ", ")));
  }
  return order;
}

/// Adds random orders until there are `count` more, or all.
void add_random_orders(Orders& orders, const Order& first, int count, std::uint32_t seed) {
  double most = 1.0;
  for (std::size_t i = 2; i <= first.size(); ++i) most *= static_cast<double>(i);
  const auto wanted = static_cast<double>(orders.size()) + count;
  std::mt19937 generator(seed);  // the standard fixes its numbers, but not those of std::shuffle
  while (static_cast<double>(orders.size()) < std::min(wanted, most)) {
    Order order = first;
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[generator() % i]);
    orders.add(order);
  }
}

std::vector<Order> all_orders(const ImpactProblem& problem, const ComparisonOptions& options) {
  Orders orders;
  Order order(static_cast<std::size_t>(problem.contacts()));
  std::iota(order.begin(), order.end(), 0);
  if (problem.contacts() <= most_contacts_in_all_orders) {
    do {
      orders.add(order);
    } while (std::next_permutation(order.begin(), order.end()));
  } else {
    orders.add(order);
    orders.add(Order(order.rbegin(), order.rend()));
    add_random_orders(orders, order, options.random_orders, options.seed);
  }
  for (const auto& names : options.orders) orders.add(named_order(problem, names));
  return orders.list();
}

std::string order_text(const ImpactProblem& problem, const Order& order) {
  std::string text;
  for (const int contact : order) {
    text += (text.empty() ? "" : ",") + problem.contact_names[static_cast<std::size_t>(contact)];
  }
  return text;
}

void add_note(Comparison& comparison, const std::string& note) {
  comparison.note += (comparison.note.empty() ? "" : "; ") + note;
}

void add_simultaneous(Comparison& comparison, const ImpactProblem& problem,
                      const ComparisonOptions& options, const OutcomeModes& modes) {
  constexpr bool capped = false;
  constexpr int most_nodes = 10'000;  // some seconds with 24 coordinates
  const StepAnswers solutions =
      SolutionFinder(problem, capped).find(problem.pre_impact_velocity, {}, most_nodes);
  if (!solutions.complete) {
    add_note(comparison, fmt::format("simultaneous law: the search for its solutions was given up "
                                     "after {} nodes, so some may be missing",
                                     most_nodes));
  }
  if (!solutions.segments.empty()) {
    add_note(comparison,
             "simultaneous law: velocities between some of its solutions are solutions, too "
             "(carom solutions lists these continua)");
  }
  if (solutions.answers.empty()) add_note(comparison, "simultaneous law: no solution found");
  for (const StepAnswer& answer : solutions.answers) {
    LawOutcome outcome;
    outcome.law = ComparedLaw::simultaneous;
    outcome.order = answer.modes.front();
    outcome.velocity = answer.velocity;
    outcome.path.assign(problem.pre_impact_velocity.begin(), problem.pre_impact_velocity.end());
    outcome.path.insert(outcome.path.end(), answer.velocity.begin(), answer.velocity.end());
    outcome.energy = answer.energy;
    outcome.modes = modes.classify(answer.velocity.data());
    outcome.terminated = !colliding(problem, answer.velocity, options.termination_tolerance);
    outcome.unique =
        solutions.complete && solutions.answers.size() == 1 && solutions.segments.empty();
    outcome.stages = 1;
    outcome.largest_impulse = answer.normal_impulse.maxCoeff();
    comparison.outcomes.push_back(std::move(outcome));
  }
}

void add_sequential(Comparison& comparison, const ImpactProblem& problem,
                    const ComparisonOptions& options, const OutcomeModes& modes) {
  const SequenceResolver resolver(problem, options.termination_tolerance, options.max_stages);
  for (const Order& order : all_orders(problem, options)) {
    SequenceOutcome sequence = resolver.resolve(order);
    LawOutcome outcome;
    outcome.law = ComparedLaw::sequential;
    outcome.order = order_text(problem, order);
    if (sequence.contact_unsolved >= 0) {
      const auto contact = static_cast<std::size_t>(sequence.contact_unsolved);
      add_note(comparison,
               fmt::format("order {}: no solution found for contact \"{}\" in stage {}",
                           outcome.order, problem.contact_names[contact], sequence.stages + 1));
    }
    outcome.velocity = std::move(sequence.velocity);
    outcome.path = std::move(sequence.path);
    outcome.energy = kinetic_energy(problem, outcome.velocity);
    outcome.modes = modes.classify(outcome.velocity.data());
    outcome.terminated = sequence.terminated;
    outcome.unique = sequence.unique;
    outcome.stages = sequence.stages;
    outcome.largest_impulse = sequence.largest_impulse;
    comparison.outcomes.push_back(std::move(outcome));
  }
}

}  // namespace

Comparison compare_laws(const ImpactProblem& given, const ComparisonOptions& options) {
  const ImpactProblem problem = validated(given);
  require_lcp_capacity(problem, "to compare laws");
  if (!(options.termination_tolerance >= 0.0) || !std::isfinite(options.termination_tolerance)) {
    throw InputError(fmt::format("termination_tolerance is {} (must be >= 0 and finite)",
                                 options.termination_tolerance));
  }
  for (const auto& [name, count, least] : {std::tuple("max_stages", options.max_stages, 1),
                                           {"random_orders", options.random_orders, 0}}) {
    if (count < least)
      throw InputError(fmt::format("{} is {} (must be >= {})", name, count, least));
  }
  const OutcomeModes modes(problem);
  Comparison comparison;
  if (colliding(problem, problem.pre_impact_velocity, options.termination_tolerance)) {
    add_simultaneous(comparison, problem, options, modes);
  } else {
    add_note(comparison, "simultaneous law: no contact approaches, so there is no step");
  }
  add_sequential(comparison, problem, options, modes);
  return comparison;
}

void measure_distances(Comparison& comparison, const EpsilonNet& net) {
  for (LawOutcome& outcome : comparison.outcomes) {
    outcome.net_distance = net.distance(outcome.velocity.data());
  }
}

}  // namespace carom
