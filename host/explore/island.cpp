#include "host/explore/island.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "carom/error.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {
namespace {

constexpr std::size_t first_outcomes = 16;  // before any path is changed
constexpr std::size_t directions = 8;       // of a round, whose farthest outcomes are preferred
constexpr std::size_t farthest = 16;        // outcomes of a direction
constexpr std::size_t most_states = 400'000;
constexpr double state_radius = 4.0;  // times epsilon
// Chances of a slot: any state, an end, one of the farthest outcomes of a direction; else any
// outcome.
constexpr double state_chance = 0.05;
constexpr double end_chance = 0.1;
constexpr double far_chance = 0.2;
constexpr double seeking_end_chance = 0.35;  // where ends are sought
constexpr double seeking_far_chance = 0.35;
constexpr double axis_chance = 0.7;  // of a direction: a contact's axis or an output
// Indices of random numbers, beyond those of runs, hold-out tests and searches for extremes.
constexpr std::uint64_t exploration_indices = std::uint64_t{7} << 61;
constexpr std::uint64_t slots_of_round = std::uint64_t{1} << 24;

/// A place, each as probable as its weight.
std::size_t draw(const std::vector<double>& cumulative, SearchNumbers& random) {
  const double number = random.next() * cumulative.back();
  const auto found = std::ranges::lower_bound(cumulative, number);
  return std::min(static_cast<std::size_t>(found - cumulative.begin()), cumulative.size() - 1);
}

/// A direction of a round in contact speeds, then outputs: an axis or its opposite, or any
/// direction of contact speeds.
std::vector<double> draw_direction(std::size_t speeds, std::size_t outputs, SearchNumbers& random) {
  std::vector<double> direction(speeds + outputs, 0.0);
  if (random.next() < axis_chance) {
    direction[random.pick(speeds + outputs)] = random.next() < 0.5 ? -1.0 : 1.0;
  } else {
    for (std::size_t i = 0; i < speeds; ++i) direction[i] = 2.0 * random.next() - 1.0;
  }
  return direction;
}

}  // namespace

Island::Island(const ExplorationSetting& setting, std::uint32_t number)
    : setting_(setting),
      number_(number),
      depths_(1),
      node_states_(setting.walker.start_state()),
      net_(setting.problem.velocities(), *setting.options.epsilon,
           net_metric(setting.problem, setting.options.norm)),
      state_net_(setting.problem.velocities(), state_radius * *setting.options.epsilon,
                 net_metric(setting.problem, setting.options.norm)),
      ends_(2 * setting.axes()) {
  tree_.parent.resize(1);
  tree_.step.resize(setting.walker.step_size());
  tree_.states.resize(1);
}

Island::Island(const ExplorationSetting& setting, std::uint32_t number, ExplorationTree tree)
    : Island(setting, number) {
  tree_ = std::move(tree);
  restore_states();
  restore_nets();
  std::vector<double> speed(setting.axes());
  for (std::size_t e = 0; e < tree_.end_nodes.size(); ++e) {
    const std::uint32_t node = tree_.end_nodes[e];
    values(state_of(node), speed.data());
    ends_[e] = {e % 2 == 0 ? speed[e / 2] : -speed[e / 2], node};
  }
}

/// Takes the tree's steps again: they have the same bits.
void Island::restore_states() {
  const ScriptedWalker& walker = setting_.walker;
  const std::size_t width = walker.step_size();
  const std::size_t nodes = tree_.parent.size();
  bool fits =
      nodes > 0 && tree_.step.size() == nodes * width && !tree_.states.empty() &&
      (tree_.end_nodes.size() == ends_.size() || (tree_.end_nodes.empty() && tree_.separated == 0));
  const auto inside = [&](std::uint32_t node) { fits = fits && node < nodes; };
  for (const std::uint32_t node : tree_.end_nodes) inside(node);
  for (const Place& place : tree_.outcomes) inside(place.node);
  for (const Place& place : tree_.states) inside(place.node);
  for (std::size_t i = 1; i < nodes && fits; ++i) fits = tree_.parent[i] < i;
  for (std::size_t i = 1; i < nodes && fits; ++i) {
    const std::uint32_t parent = tree_.parent[i];
    const auto numbers = tree_.step.begin() + static_cast<std::ptrdiff_t>(i * width);
    Walk walk;
    walker.walk(state_of(parent), {numbers, numbers + static_cast<std::ptrdiff_t>(width)}, walk);
    fits = walk.steps == 1;
    if (!fits) break;
    node_states_.insert(node_states_.end(), walk.states.begin(), walk.states.end());
    depths_.push_back(depths_[parent] + 1);
  }
  const auto is_outcome = [&](const Place& place) {
    return walker.active(state_of(place.node)).empty();
  };
  fits = fits && std::ranges::all_of(tree_.outcomes, is_outcome);
  if (!fits) throw InputError("the exploration to continue is no search of this problem");
}

void Island::restore_nets() {
  const auto nv = static_cast<std::size_t>(setting_.problem.velocities());
  const auto restore = [&](EpsilonNet& net, std::span<const Place> places, std::uint64_t& offered) {
    std::vector<std::uint64_t> index(places.size());
    std::iota(index.begin(), index.end(), std::uint64_t{0});
    std::vector<double> velocity(places.size() * nv);
    for (std::size_t i = 0; i < places.size(); ++i) {
      setting_.walker.velocity(state_of(places[i].node), &velocity[i * nv]);
    }
    net.restore(index, velocity);
    offered = places.size();
  };
  restore(net_, tree_.outcomes, offered_);
  // The first state is the pre-impact velocity, which is not offered.
  restore(state_net_, std::span(tree_.states).subspan(1), offered_states_);
}

void Island::values(const double* state, double* values) const {
  setting_.walker.speeds(state, values);
  if (setting_.outputs.rows() == 0) return;
  Eigen::VectorXd velocity(setting_.problem.velocities());
  setting_.walker.velocity(state, velocity.data());
  Eigen::Map<Eigen::VectorXd>(values + setting_.walker.axes(), setting_.outputs.rows()) =
      setting_.outputs * velocity;
}

/// All outcomes along a direction of a round.
void Island::along(const std::vector<double>& direction, std::vector<double>& values) const {
  const std::size_t half = setting_.walker.impulses();
  const auto middle = direction.begin() + static_cast<std::ptrdiff_t>(half);
  const auto output =
      std::find_if(middle, direction.end(), [](double part) { return part != 0.0; });
  Eigen::VectorXd row = Eigen::VectorXd::Zero(setting_.problem.velocities());
  if (output != direction.end()) row = *output * setting_.outputs.row(output - middle).transpose();
  Eigen::VectorXd velocity = row;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double* const state = state_of(tree_.outcomes[i].node);
    if (output == direction.end()) {
      values[i] = std::inner_product(direction.begin(), middle, state + half, 0.0);
    } else {
      setting_.walker.velocity(state, velocity.data());
      values[i] = row.dot(velocity);
    }
  }
}

const double* Island::state_of(std::uint32_t node) const {
  return node_states_.data() + node * setting_.walker.state_size();
}

SearchNumbers Island::numbers_of(std::uint64_t index) const {
  const SamplingOptions& options = setting_.options;
  return SearchNumbers(Philox(options.seed, options.problem_id, exploration_indices + index),
                       number_);
}

Island::Weights Island::weigh(bool seeks_ends) const {
  Weights weights;
  weights.end_chance = seeks_ends ? seeking_end_chance : end_chance;
  weights.far_chance = seeks_ends ? seeking_far_chance : far_chance;
  double sum = 0.0;
  for (const Place& place : tree_.outcomes) {
    weights.outcomes.push_back(sum += (1.0 + place.gain) / (1.0 + place.visits));
  }
  sum = 0.0;
  for (const Place& place : tree_.states)
    weights.states.push_back(sum += 1.0 / (1.0 + place.visits));
  sum = 0.0;
  const std::size_t outputs = setting_.axes() - setting_.walker.axes();
  const double of_outputs =
      outputs == 0 ? 1.0
                   : static_cast<double>(setting_.walker.axes()) / static_cast<double>(outputs);
  for (std::size_t e = 0; e < ends_.size(); ++e) {
    const std::vector<double>& proved = setting_.proved_ends;
    const bool of_contact = e / 2 < setting_.walker.axes();
    const double equal = of_contact ? 1.0 : of_outputs;  // both kinds have half, if there are both
    const double gap = proved.empty() ? 0.0 : std::max(proved[e] - ends_[e].speed, 0.0);
    weights.ends.push_back(sum += proved.empty() ? equal : gap / setting_.scales[e / 2]);
  }
  if (!(sum > 0.0)) weights.end_chance = 0.0;  // all ends are where they are proved to be
  if (tree_.separated < first_outcomes) return weights;

  const std::size_t half = setting_.walker.impulses();
  SearchNumbers random = numbers_of(tree_.rounds * slots_of_round + slots_of_round - 1);
  std::vector<double> speed(tree_.outcomes.size());
  std::vector<std::size_t> order(tree_.outcomes.size());
  for (std::size_t d = 0; d < directions; ++d) {
    const std::vector<double> direction = draw_direction(half, outputs, random);
    along(direction, speed);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(farthest, order.size()));
    std::ranges::partial_sort(order, end, [&](std::size_t a, std::size_t b) {
      return speed[a] != speed[b] ? speed[a] > speed[b] : a < b;
    });
    weights.far.emplace_back(order.begin(), end);
  }
  return weights;
}

/// Chooses where a slot starts and, if it changes a path, the numbers of the path's other steps.
SlotStart Island::choose_start(Slot& slot, std::uint64_t number, const Weights& weights) const {
  SlotStart start;
  start.random = numbers_of(tree_.rounds * slots_of_round + number);
  choose_path(slot, weights, start.random, start.script);
  const double* const state = state_of(slot.start);
  start.state.assign(state, state + setting_.walker.state_size());
  start.depth = depths_[slot.start];
  return start;
}

void Island::choose_path(Slot& slot, const Weights& weights, SearchNumbers& random,
                         std::vector<double>& script) const {
  const double chance = random.next();
  if (weights.far.empty() || chance < state_chance) {
    slot.state = draw(weights.states, random);
    slot.start = tree_.states[slot.state].node;
    return;
  }
  const double ends = state_chance + weights.end_chance;
  if (chance < ends) {
    slot.start = ends_[draw(weights.ends, random)].node;
  } else {
    const std::vector<std::size_t>& far = weights.far[random.pick(directions)];
    slot.outcome = chance < ends + weights.far_chance ? far[random.pick(far.size())]
                                                      : draw(weights.outcomes, random);
    slot.start = tree_.outcomes[slot.outcome].node;
  }
  const std::size_t width = setting_.walker.step_size();
  script = tree_.script(slot.start, width);
  const std::size_t kept = random.pick(script.size() / width);
  script.erase(script.begin(), script.begin() + static_cast<std::ptrdiff_t>(kept * width));
  while (depths_[slot.start] > kept) slot.start = tree_.parent[slot.start];
}

void Island::begin_round(std::uint64_t count, bool seeks_ends, std::vector<SlotStart>& starts) {
  const Weights weights = weigh(seeks_ends);
  slots_.assign(count, {});
  const std::size_t first = starts.size();
  starts.resize(first + count);
  oneapi::tbb::task_arena arena(usable_threads(setting_.options.threads));
  arena.execute([&] {
    oneapi::tbb::parallel_for(std::size_t{0}, slots_.size(), [&](std::size_t i) {
      starts[first + i] = choose_start(slots_[i], i, weights);
    });
  });
}

std::uint64_t Island::end_round(std::span<SlotPath> paths) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    static_cast<SlotPath&>(slots_[i]) = std::move(paths[i]);
  }
  const std::uint64_t before = tree_.lcps;
  merge(slots_);
  slots_.clear();
  ++tree_.rounds;
  return tree_.lcps - before;
}

/// Makes nodes of a slot's first steps; `nodes` holds the node after each step that has one.
void Island::add_path(const Slot& slot, std::size_t steps, std::vector<std::uint32_t>& nodes) {
  const std::size_t width = setting_.walker.step_size();
  const std::size_t size = setting_.walker.state_size();
  while (nodes.size() < steps) {
    const std::size_t step = nodes.size();
    const std::uint32_t parent = step == 0 ? slot.start : nodes.back();
    nodes.push_back(static_cast<std::uint32_t>(tree_.parent.size()));
    tree_.parent.push_back(parent);
    depths_.push_back(depths_[parent] + 1);
    const auto numbers = slot.numbers.begin() + static_cast<std::ptrdiff_t>(step * width);
    tree_.step.insert(tree_.step.end(), numbers, numbers + static_cast<std::ptrdiff_t>(width));
    const auto state = slot.walk.states.begin() + static_cast<std::ptrdiff_t>(step * size);
    node_states_.insert(node_states_.end(), state, state + static_cast<std::ptrdiff_t>(size));
  }
}

void Island::merge(const std::vector<Slot>& slots) {
  struct Offer {
    std::size_t slot, step;
  };
  struct Batch {
    std::vector<Offer> offers;
    std::vector<std::uint64_t> index;
    std::vector<double> velocity;
  };
  Batch ends;
  Batch ways;
  const auto nv = static_cast<std::size_t>(setting_.problem.velocities());
  const auto offer = [&](Batch& batch, std::uint64_t& offered, std::size_t s, std::size_t step) {
    batch.offers.push_back({s, step});
    batch.index.push_back(offered++);
    batch.velocity.resize(batch.velocity.size() + nv);
    const double* const state = &slots[s].walk.states[step * setting_.walker.state_size()];
    setting_.walker.velocity(state, batch.velocity.data() + batch.velocity.size() - nv);
  };
  const std::uint64_t first_end = offered_;
  const std::uint64_t first_way = offered_states_;
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const Walk& walk = slots[s].walk;
    tree_.lcps += walk.lcps;
    if (walk.steps > 0 || !walk.solved) {  // else the slot started at the last step
      ++(walk.separated ? tree_.separated : walk.solved ? tree_.dropped : tree_.failed);
    }
    const std::size_t on_the_way = walk.steps - (walk.separated ? 1 : 0);
    if (tree_.states.size() < most_states) {
      for (std::size_t step = 0; step < on_the_way; ++step) offer(ways, offered_states_, s, step);
    }
    if (walk.separated && walk.steps > 0) offer(ends, offered_, s, on_the_way);
  }
  const auto add = [&](EpsilonNet& net, const Batch& batch, std::uint64_t first) {
    const std::size_t known = net.size();
    if (!batch.index.empty()) net.add(batch.index, batch.velocity, setting_.options.threads);
    std::vector<Offer> members;
    for (std::size_t i = known; i < net.size(); ++i) {
      members.push_back(batch.offers[static_cast<std::size_t>(net.index()[i] - first)]);
    }
    return members;
  };
  const std::vector<Offer> new_states = add(state_net_, ways, first_way);
  const std::vector<Offer> new_outcomes = add(net_, ends, first_end);

  std::vector<std::vector<std::uint32_t>> nodes(slots.size());  // of each slot's path
  const auto place = [&](const std::vector<Offer>& members, std::vector<Place>& places) {
    for (const auto& [s, step] : members) {
      add_path(slots[s], step + 1, nodes[s]);
      places.push_back({.node = nodes[s][step]});
    }
  };
  for (const Slot& slot : slots) {
    if (slot.state != Slot::none) ++tree_.states[slot.state].visits;
    if (slot.outcome != Slot::none) ++tree_.outcomes[slot.outcome].visits;
  }
  for (const auto& [s, step] : new_outcomes) {
    if (slots[s].outcome != Slot::none) ++tree_.outcomes[slots[s].outcome].gain;
  }
  place(new_states, tree_.states);
  place(new_outcomes, tree_.outcomes);
  add_ends(slots, nodes);
}

void Island::add_ends(const std::vector<Slot>& slots,
                      std::vector<std::vector<std::uint32_t>>& nodes) {
  std::vector<double> speed(setting_.axes());
  std::vector<std::size_t> best(ends_.size(), Slot::none);  // slot
  for (std::size_t s = 0; s < slots.size(); ++s) {
    const Walk& walk = slots[s].walk;
    if (!walk.separated || walk.steps == 0) continue;
    const std::size_t last = walk.states.size() - setting_.walker.state_size();
    values(walk.states.data() + last, speed.data());
    for (std::size_t e = 0; e < ends_.size(); ++e) {
      const double own = e % 2 == 0 ? speed[e / 2] : -speed[e / 2];
      if (!(own > ends_[e].speed)) continue;
      ends_[e].speed = own;
      best[e] = s;
    }
  }
  for (std::size_t e = 0; e < ends_.size(); ++e) {
    if (best[e] == Slot::none) continue;
    const Slot& slot = slots[best[e]];
    add_path(slot, slot.walk.steps, nodes[best[e]]);
    ends_[e].node = nodes[best[e]].back();
    tree_.end_nodes.resize(ends_.size());
    tree_.end_nodes[e] = ends_[e].node;
  }
}

}  // namespace carom
