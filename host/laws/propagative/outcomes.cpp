#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>

#include "carom/error.hpp"
#include "carom/propagative.hpp"
#include "host/laws/propagative/plastic.hpp"
#include "host/laws/propagative/reflections.hpp"

namespace carom {
namespace {

using Count = boost::multiprecision::cpp_int;

/// A velocity that impacts reach, and all that leads to it.
struct State {
  double progress = 0.0;  ///< r . M v, which grows with each impact
  double probability = 0.0;
  Count sequences = 0;
  std::uint64_t fewest = 0;
  std::uint64_t most = 0;
  std::uint32_t parent = 0;  ///< by the first way that was found
  int contact = -1;          ///< of the impact from the parent
};

/// The graph of states. Impacts raise r . M v of a separating velocity r, so the graph has no
/// cycle, and a state that is visited in this order has been reached from all of its predecessors.
class StateGraph {
 public:
  StateGraph(const ImpactProblem& problem, const Eigen::VectorXd& separating,
             const PropagativeOptions& options)
      : reflections_(problem),
        gain_(problem.normal_jacobian * separating),
        tolerance_(options.termination_tolerance),
        most_states_(options.max_states) {
    const Eigen::VectorXd speeds = problem.normal_jacobian * problem.pre_impact_velocity;
    // Equal states that different orders reach differ by rounding, about 1e-13.
    constexpr double part = 1e-9;
    merge_distance_ = part * std::max(speeds.cwiseAbs().maxCoeff(), tolerance_);
    State first;
    first.probability = 1.0;
    first.sequences = 1;
    add(first, {speeds.begin(), speeds.end()});
  }

  /// Visits all states. Returns false if there are more than the limit.
  bool visit() {
    while (!waiting_.empty()) {
      const std::uint32_t id = waiting_.top().second;
      waiting_.pop();
      const std::vector<int> approaching = approaching_in(id);
      if (approaching.empty()) {
        ends_.push_back(id);
      } else {
        forget_place(id);
      }
      for (const int contact : approaching) {
        if (!follow(id, contact, approaching.size())) return false;
      }
    }
    return true;
  }

  std::size_t size() const { return states_.size(); }
  const State& state(std::uint32_t id) const { return states_[id]; }
  /// States in which no contact approaches.
  const std::vector<std::uint32_t>& ends() const { return ends_; }
  const Reflections& reflections() const { return reflections_; }
  bool feasible(const double* speeds) const {
    return std::all_of(speeds, speeds + contacts(), [&](double c) { return c >= -tolerance_; });
  }

  bool feasible_at(double speed) const { return speed >= -tolerance_; }

  /// Of each end, whether one of the speeds (m each) is its own.
  std::vector<bool> ends_near(const std::vector<std::vector<double>>& reached) const {
    std::vector<bool> near(ends_.size(), false);
    for (const std::vector<double>& one : reached) {
      const auto id = find(one);
      const auto at = id ? std::ranges::find(ends_, *id) : ends_.end();
      if (at != ends_.end()) near[static_cast<std::size_t>(at - ends_.begin())] = true;
    }
    return near;
  }

  PropagativeGraph drawn() const {
    PropagativeGraph graph;
    for (std::uint32_t id = 0; id < states_.size(); ++id) {
      const std::vector<int> approaching = approaching_in(id);
      graph.states.push_back({.speeds = {speeds(id), speeds(id) + contacts()},
                              .probability = states_[id].probability,
                              .impacts = states_[id].most,
                              .outcome = approaching.empty()});
      for (const int contact : approaching) {
        std::vector<double> after(speeds(id), speeds(id) + contacts());
        reflections_.reflect(contact, after.data());
        graph.impacts.push_back({id, nearest(after), contact});
      }
    }
    return graph;
  }

  std::vector<int> example(std::uint32_t id) const {
    std::vector<int> sequence;
    for (; states_[id].contact >= 0; id = states_[id].parent) {
      sequence.push_back(states_[id].contact);
    }
    std::ranges::reverse(sequence);
    return sequence;
  }

 private:
  std::size_t contacts() const { return static_cast<std::size_t>(reflections_.contacts()); }
  const double* speeds(std::uint32_t id) const { return speeds_.data() + id * contacts(); }

  std::vector<int> approaching_in(std::uint32_t id) const {
    std::vector<int> list;
    for (int i = 0; i < reflections_.contacts(); ++i) {
      if (!(speeds(id)[i] >= -tolerance_)) list.push_back(i);
    }
    return list;
  }

  /// A number that equal states share, up to rounding.
  double key(const std::vector<double>& speeds) const {
    double sum = 0.0;
    double weight = 1.0;
    for (const double speed : speeds) {
      sum += weight * speed;
      weight = weight * 0.7548776662466927 + 0.1;  // any numbers without a pattern
    }
    return sum;
  }

  /// The state that equals `wanted`, among ends and those that wait: an impact may change speeds by
  /// less than rounding would, but never leads back to a state that was left.
  std::optional<std::uint32_t> find(const std::vector<double>& wanted) const {
    const double reach = merge_distance_ * static_cast<double>(contacts());
    const double place = key(wanted);
    for (auto at = places_.lower_bound(place - reach);
         at != places_.end() && at->first <= place + reach; ++at) {
      const double* const its = speeds(at->second);
      bool same = true;
      for (std::size_t i = 0; i < wanted.size() && same; ++i) {
        same = std::abs(its[i] - wanted[i]) <= merge_distance_;
      }
      if (same) return at->second;
    }
    return std::nullopt;
  }

  void forget_place(std::uint32_t id) {
    auto at = places_.lower_bound(key({speeds(id), speeds(id) + contacts()}));
    while (at->second != id) ++at;
    places_.erase(at);
  }

  /// The state nearest to speeds that one of them has, up to rounding.
  std::uint32_t nearest(const std::vector<double>& wanted) const {
    const auto width = static_cast<Eigen::Index>(contacts());
    const Eigen::Map<const Eigen::MatrixXd> all(speeds_.data(), width,
                                                static_cast<Eigen::Index>(states_.size()));
    const Eigen::Map<const Eigen::VectorXd> speeds(wanted.data(), width);
    Eigen::Index id = 0;
    (all.colwise() - speeds).colwise().squaredNorm().minCoeff(&id);
    return static_cast<std::uint32_t>(id);
  }

  void add(const State& state, const std::vector<double>& its_speeds) {
    const auto id = static_cast<std::uint32_t>(states_.size());
    states_.push_back(state);
    speeds_.insert(speeds_.end(), its_speeds.begin(), its_speeds.end());
    places_.emplace(key(its_speeds), id);
    waiting_.emplace(state.progress, id);
  }

  /// Takes an impact from a state. Returns false if the graph is full.
  bool follow(std::uint32_t id, int contact, std::size_t choices) {
    std::vector<double> after(speeds(id), speeds(id) + contacts());
    const double impulse = reflections_.impulse(contact, after.data());
    reflections_.reflect(contact, after.data());
    const State& from = states_[id];
    const double probability = from.probability / static_cast<double>(choices);
    if (const auto known = find(after)) {
      State& to = states_[*known];
      to.probability += probability;
      to.sequences += from.sequences;
      to.fewest = std::min(to.fewest, from.fewest + 1);
      to.most = std::max(to.most, from.most + 1);
      return true;
    }
    if (states_.size() >= most_states_) return false;
    add({.progress = from.progress + impulse * gain_(contact),
         .probability = probability,
         .sequences = from.sequences,
         .fewest = from.fewest + 1,
         .most = from.most + 1,
         .parent = id,
         .contact = contact},
        after);
    return true;
  }

  using Waiting = std::pair<double, std::uint32_t>;

  Reflections reflections_;
  Eigen::VectorXd gain_;  // Jn r
  double tolerance_;
  double merge_distance_ = 0.0;
  std::uint64_t most_states_;
  std::vector<State> states_;
  std::vector<double> speeds_;  // of each state, m
  std::multimap<double, std::uint32_t> places_;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
  std::vector<std::uint32_t> ends_;
};

/// Minimal sequences (Definition 1): none of their proper subsequences, of which the impacts need
/// not be at approaching contacts, ends separated.
class MinimalSequences {
 public:
  MinimalSequences(const StateGraph& graph, std::vector<double> speeds)
      : graph_(graph), speeds_(std::move(speeds)) {}

  /// Whether all sequences can be checked in reasonable time.
  static bool can_check(const Count& sequences, std::uint64_t longest) {
    constexpr std::uint64_t most_impacts = 16;
    constexpr std::uint64_t most_work = std::uint64_t{1} << 22;
    return longest <= most_impacts && (sequences << static_cast<unsigned>(longest)) <= most_work;
  }

  /// Final speeds of all minimal sequences, in the order in which they are found.
  const std::vector<std::vector<double>>& find() {
    std::vector<int> sequence;
    search(speeds_, sequence);
    return ends_;
  }

 private:
  void search(const std::vector<double>& speeds, std::vector<int>& sequence) {
    if (graph_.feasible(speeds.data())) {
      if (is_minimal(sequence)) ends_.push_back(speeds);
      return;
    }
    for (int i = 0; i < graph_.reflections().contacts(); ++i) {
      if (graph_.feasible_at(speeds[static_cast<std::size_t>(i)])) continue;
      std::vector<double> after = speeds;
      graph_.reflections().reflect(i, after.data());
      sequence.push_back(i);
      search(after, sequence);
      sequence.pop_back();
    }
  }

  bool is_minimal(const std::vector<int>& sequence) const {
    const std::uint64_t whole = (std::uint64_t{1} << sequence.size()) - 1;
    std::vector<double> speeds;
    for (std::uint64_t part = 1; part < whole; ++part) {
      speeds = speeds_;
      for (std::size_t i = 0; i < sequence.size(); ++i) {
        if (((part >> i) & 1) != 0) graph_.reflections().reflect(sequence[i], speeds.data());
      }
      if (graph_.feasible(speeds.data())) return false;
    }
    return true;
  }

  const StateGraph& graph_;
  std::vector<double> speeds_;  // before the impact
  std::vector<std::vector<double>> ends_;
};

void check(const PropagativeOptions& options) {
  constexpr std::uint64_t most = 1'000'000'000;
  if (!(options.termination_tolerance >= 0.0) || !std::isfinite(options.termination_tolerance)) {
    throw InputError(fmt::format("termination_tolerance is {} (must be finite and >= 0)",
                                 options.termination_tolerance));
  }
  if (options.max_states < 1 || options.max_states > most) {
    throw InputError(fmt::format("max_states is {} (must be 1 to {})", options.max_states, most));
  }
}

double length(const ImpactProblem& problem, const Eigen::VectorXd& velocity) {
  return std::sqrt(2.0 * kinetic_energy(problem, velocity));
}

/// Outcomes that restitution made equal become one.
void merge(const ImpactProblem& problem, std::vector<PropagativeOutcome>& outcomes) {
  constexpr double part = 1e-9;
  const double reach = part * length(problem, problem.pre_impact_velocity);
  std::vector<PropagativeOutcome> merged;
  for (PropagativeOutcome& outcome : outcomes) {
    const auto same = std::ranges::find_if(merged, [&](const PropagativeOutcome& other) {
      return length(problem, other.velocity - outcome.velocity) <= reach;
    });
    if (same == merged.end()) {
      merged.push_back(std::move(outcome));
      continue;
    }
    same->probability += outcome.probability;
    same->sequences = (Count(same->sequences) + Count(outcome.sequences)).str();
    same->fewest_impacts = std::min(same->fewest_impacts, outcome.fewest_impacts);
    same->most_impacts = std::max(same->most_impacts, outcome.most_impacts);
    if (same->minimal && outcome.minimal) same->minimal = *same->minimal || *outcome.minimal;
  }
  outcomes = std::move(merged);
}

void measure_indeterminacy(const ImpactProblem& problem, PropagativeOutcomes& found) {
  const double before = length(problem, problem.pre_impact_velocity);
  for (std::size_t i = 0; i < found.outcomes.size() && before > 0.0; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double distance =
          length(problem, found.outcomes[i].velocity - found.outcomes[j].velocity) / before;
      if (distance > found.indeterminacy) {
        found.indeterminacy = distance;
        found.most_different = {j, i};
      }
    }
  }
}

}  // namespace

PropagativeOutcomes propagative_outcomes(const ImpactProblem& given,
                                         const PropagativeOptions& options) {
  const ImpactProblem problem = validated(given);
  check(options);
  PropagativeOutcomes found{.verdict = propagative_verdict(problem)};
  if (!found.verdict.separating_velocity) {
    throw InputError(
        "normal_jacobian has normals that are not pointed (must have a velocity that separates all "
        "contacts: without one, sequences of impacts may never end)");
  }
  StateGraph graph(problem, *found.verdict.separating_velocity, options);
  found.complete = graph.visit();
  found.states = graph.size();
  if (!found.complete) return found;

  constexpr std::size_t most_drawn = 60;
  if (graph.size() <= most_drawn) found.graph = graph.drawn();

  Count sequences = 0;
  std::uint64_t longest = 0;
  for (const std::uint32_t id : graph.ends()) {
    sequences += graph.state(id).sequences;
    longest = std::max(longest, graph.state(id).most);
  }
  const Eigen::VectorXd speeds = problem.normal_jacobian * problem.pre_impact_velocity;
  std::vector<bool> minimal;
  const bool checked = MinimalSequences::can_check(sequences, longest);
  if (checked) {
    MinimalSequences search(graph, {speeds.begin(), speeds.end()});
    minimal = graph.ends_near(search.find());
  }
  const double restitution = propagative_restitution(problem);
  const bool elastic = restitution == 1.0;
  Eigen::VectorXd plastic = problem.pre_impact_velocity;
  if (!elastic) {
    plastic += graph.reflections().response() * plastic_impulse(problem, options.plastic);
  }
  for (std::size_t i = 0; i < graph.ends().size(); ++i) {
    const State& state = graph.state(graph.ends()[i]);
    PropagativeOutcome outcome{.probability = state.probability,
                               .sequences = state.sequences.str(),
                               .fewest_impacts = state.fewest,
                               .most_impacts = state.most,
                               .example = graph.example(graph.ends()[i])};
    outcome.velocity = graph.reflections().velocity_after(problem, outcome.example);
    if (!elastic) {
      outcome.velocity = restitution * outcome.velocity + (1.0 - restitution) * plastic;
    }
    outcome.energy = kinetic_energy(problem, outcome.velocity);
    if (checked) outcome.minimal = minimal[i];
    found.outcomes.push_back(std::move(outcome));
  }
  if (!elastic) merge(problem, found.outcomes);
  std::ranges::stable_sort(found.outcomes, std::greater<>{}, &PropagativeOutcome::probability);
  measure_indeterminacy(problem, found);
  return found;
}

}  // namespace carom
