#include "host/evidence/script_moves.hpp"

#include <algorithm>

#include "kernels/laws/set_valued/draw_caps.hpp"

namespace carom {

double SearchNumbers::next() {
  if (used_ == 2) {
    random_.uniform_pair(stream_, Purpose::search, block_++, pair_);
    used_ = 0;
  }
  return pair_[used_++];
}

std::size_t SearchNumbers::pick(std::size_t count) {
  return std::min(static_cast<std::size_t>(next() * static_cast<double>(count)), count - 1);
}

ScriptMoves::ScriptMoves(const CapsView& view, int contacts, double least, std::size_t step_size)
    : view_(view),
      contacts_(static_cast<std::size_t>(contacts)),
      step_size_(step_size > 0 ? step_size : contacts_ + 1),
      least_(least) {
  for (int component = 0; component < view.components; ++component) {
    std::vector<double> numbers(width());
    for (std::size_t i = 0; i < width(); ++i) numbers[i] = greatest(component, i);
    keep_family(numbers, component);
    last_steps_.push_back(std::move(numbers));
  }
}

ScriptedSteps ScriptMoves::draw(const Philox& random, std::uint64_t trajectory,
                                std::size_t steps) const {
  const CapsSource source(view_, random, trajectory, static_cast<int>(contacts_));
  ScriptedSteps script;
  script.component = CapsSource::choose_component(view_, random);
  script.numbers.resize(steps * width());
  for (std::uint32_t step = 0; step < steps; ++step) {
    double* const numbers = script.numbers.data() + step * width();
    double pair[2];
    source.draw(step, numbers);
    random.uniform_pair(step, Purpose::selection, 0, pair);
    numbers[contacts_] = pair[0];
  }
  return script;
}

const std::vector<double>& ScriptMoves::last_step(int component) const {
  return last_steps_[static_cast<std::size_t>(component)];
}

void ScriptMoves::set_steps(ScriptedSteps& script, std::size_t steps) const {
  const std::vector<double>& last = last_step(script.component);
  const std::size_t size = steps * width();
  script.numbers.resize(std::min(size, script.numbers.size()));
  while (script.numbers.size() < size) {
    script.numbers.insert(script.numbers.end(), last.begin(), last.end());
  }
}

void ScriptMoves::move_all(ScriptedSteps& script, double radius, SearchNumbers& random) const {
  for (std::size_t i = 0; i < script.numbers.size(); ++i) move_within(script, i, radius, random);
  keep_family(script.numbers, script.component);
}

void ScriptMoves::move_some(ScriptedSteps& script, double radius, SearchNumbers& random) const {
  constexpr double chance = 0.125;
  const std::size_t one = random.pick(script.numbers.size());
  for (std::size_t i = 0; i < script.numbers.size(); ++i) {
    if (i != one && random.next() > chance) continue;
    const double most = greatest(script.component, i);
    double& number = script.numbers[i];
    switch (random.pick(4)) {
      case 0:
        number = most * random.next();
        break;
      case 1:
        move_within(script, i, radius, random);
        break;
      case 2:  // nearer to zero, relative to the number
        number = std::max(number * (random.next() * random.next()), least(script.component, i));
        break;
      default:  // many ends of the set have a cap at an end of its range, or near it
        number = random.next() < 0.5 ? least(script.component, i) : most;
    }
  }
  keep_family(script.numbers, script.component);
}

void ScriptMoves::move_steps(ScriptedSteps& script, SearchNumbers& random) const {
  const std::size_t steps = script.numbers.size() / width();
  const std::size_t used = std::min(steps, static_cast<std::size_t>(script.steps_taken) + 1);
  const auto begin_of = [&](std::size_t step) {
    return script.numbers.begin() + static_cast<std::ptrdiff_t>(step * width());
  };
  const std::size_t step = random.pick(used);
  const std::size_t other = random.pick(used);
  switch (random.pick(4)) {
    case 0:
      std::swap_ranges(begin_of(step), begin_of(step + 1), begin_of(other));
      break;
    case 1:
      script.numbers.erase(begin_of(step), begin_of(step + 1));
      set_steps(script, steps);
      break;
    case 2:  // inserts a copy of a step, which the next case changes
      script.numbers.insert(begin_of(step), width(), 1.0);
      set_steps(script, steps);
      [[fallthrough]];
    default:
      for (std::size_t i = step * width(); i < (step + 1) * width(); ++i) {
        const double most = greatest(script.component, i);
        const std::size_t choice = random.pick(5);  // two: least, two: greatest, one: random
        const double anywhere = most * random.next();
        script.numbers[i] = choice < 2 ? least(script.component, i) : choice < 4 ? most : anywhere;
      }
  }
  keep_family(script.numbers, script.component);
}

/// The largest value of a script's number.
double ScriptMoves::greatest(int component, std::size_t number) const {
  const std::size_t contact = number % width();
  if (contact >= contacts_ || view_.kind[component] != CapsKind::weighted) return 1.0;
  return view_.scale[static_cast<std::size_t>(component) * contacts_ + contact];
}

double ScriptMoves::least(int component, std::size_t number) const {
  return std::min(least_, greatest(component, number));
}

void ScriptMoves::move_within(ScriptedSteps& script, std::size_t number, double radius,
                              SearchNumbers& random) const {
  const double most = greatest(script.component, number);
  const double moved = script.numbers[number] + radius * most * (2.0 * random.next() - 1.0);
  script.numbers[number] = std::clamp(moved, least(script.component, number), most);
}

void ScriptMoves::keep_family(std::vector<double>& numbers, int component) const {
  const CapsKind kind = view_.kind[component];
  if (kind != CapsKind::simplex && kind != CapsKind::corners) return;
  for (std::size_t step = 0; step < numbers.size(); step += width()) {
    const std::size_t end = step + contacts_;
    double sum = 0.0;
    for (std::size_t i = step; i < end; ++i) sum += numbers[i];
    for (std::size_t i = step; i < end; ++i) numbers[i] /= sum;
  }
}

}  // namespace carom
