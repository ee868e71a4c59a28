#include "host/roll/roll_plan.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/base/clock.hpp"
#include "host/base/field_error.hpp"
#include "host/base/nearest_name.hpp"
#include "kernels/launch/launch.hpp"
#include "kernels/problem/friction_directions.hpp"
#include "kernels/random/philox.hpp"

namespace carom {

RolloutView view_of(Rollouts& rollouts) {
  RolloutView view;
  for_each_rollout_column(
      [](const RolloutColumnInfo&, auto*& pointer, auto& column) { pointer = column.data(); }, view,
      rollouts);
  return view;
}

RolloutPlan make_plan(const RigidMechanism& mechanism, const RollOptions& options,
                      std::vector<double> times, RollMemory& memory) {
  RolloutPlan plan;
  memory.times = std::move(times);
  plan.tangent_dimension = mechanism.tangent_dimension();
  plan.friction_directions = mechanism.friction_directions();
  memory.directions.resize(
      static_cast<std::size_t>(plan.friction_directions * plan.tangent_dimension));
  write_friction_directions(plan.tangent_dimension, plan.friction_directions,
                            memory.directions.data());
  plan.position = memory.position.data();
  plan.velocity = memory.velocity.data();
  plan.times = memory.times.data();
  plan.directions = memory.directions.data();
  plan.shape = {static_cast<int>(memory.times.size()),
                static_cast<int>(mechanism.start().position.size()),
                static_cast<int>(mechanism.start().velocity.size()), options.events};
  plan.step = options.step;
  plan.window = options.window;
  plan.hold = options.hold;
  plan.impact_speed = options.impact_speed;
  plan.rest_speed = options.rest_speed;
  return plan;
}

void on_threads(int threads, std::uint64_t count,
                const std::function<void(std::uint64_t, std::uint64_t)>& run) {
  oneapi::tbb::task_arena arena(usable_threads(threads));
  arena.execute([&] {
    oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::uint64_t>(0, count),
                              [&](const auto& range) { run(range.begin(), range.size()); });
  });
}

void move_in_parts(const RollParts& parts, const SampleObserver& observer, Rollouts& rollouts,
                   const std::function<void(std::uint64_t, std::uint64_t)>& move) {
  constexpr double wanted = 0.2;  // s, of a part
  const std::uint64_t least = 2 * static_cast<std::uint64_t>(usable_threads(parts.threads));
  const std::uint64_t all = rollouts.size();
  std::uint64_t some = parts.paced ? std::min(least, parts.most) : parts.most;
  std::uint64_t done = 0;
  while (done < all && rollouts.complete) {
    const std::uint64_t count = std::min(some, all - done);
    const auto start = Clock::now();
    move(done, count);
    done += count;
    if (parts.paced) {
      const double fitting = wanted * static_cast<double>(count) / seconds_since(start);
      some = fitting < static_cast<double>(parts.most)
                 ? std::min(std::max(static_cast<std::uint64_t>(fitting), least), parts.most)
                 : parts.most;
    }
    if (observer) rollouts.complete = observer(done, all) || done == all;
  }
  rollouts.resize(done);
}

Starts::Starts(const RigidMechanism& mechanism, const SamplingOptions& sampling,
               const RollOptions& options)
    : mechanism_(mechanism), sampling_(sampling), options_(options) {
  for (const StartRange& range : options.start) {
    place_.push_back(place_of(range, mechanism.system().velocities));
  }
}

std::size_t place_of(const StartRange& range, const std::vector<std::string>& names) {
  const std::string path =
      fmt::format("start.{}.{}", range.of_velocity ? "velocity" : "position", range.coordinate);
  const auto place = std::ranges::find(names, range.coordinate);
  if (place == names.end()) {
    throw FieldError(path,
                     fmt::format("start has {} (must be one of {}){}", range.coordinate,
                                 fmt::join(names, ", "), suggestion(range.coordinate, names)));
  }
  if (!(range.least <= range.greatest && std::isfinite(range.least) &&
        std::isfinite(range.greatest))) {
    throw FieldError(path,
                     fmt::format("start of {} is from {} to {} (must not decrease, and be finite)",
                                 range.coordinate, range.least, range.greatest));
  }
  return static_cast<std::size_t>(place - names.begin());
}

double draw_start(const StartRange& range, const Philox& random, std::uint32_t number) {
  double pair[2];
  random.uniform_pair(number, Purpose::start, 0, pair);
  return range.least + (range.greatest - range.least) * pair[0];
}

RigidState Starts::of(std::uint64_t rollout) const {
  const std::vector<std::string>& coordinates = mechanism_.system().coordinates;
  RigidState state = mechanism_.start();
  std::vector<double> turns(state.velocity.size(), 0.0);
  bool turned = false;
  const Philox random(sampling_.seed, sampling_.problem_id, rollout);
  for (std::size_t r = 0; r < place_.size(); ++r) {
    const StartRange& range = options_.start[r];
    const double drawn = draw_start(range, random, static_cast<std::uint32_t>(r));
    const auto place = std::ranges::find(coordinates, range.coordinate);
    if (range.of_velocity) {
      state.velocity[place_[r]] = drawn;
    } else if (place != coordinates.end()) {
      state.position[static_cast<std::size_t>(place - coordinates.begin())] = drawn;
    } else {
      turns[place_[r]] = drawn;
      turned = true;
    }
  }
  if (turned) state.position = mechanism_.moved(state.position, turns);
  require_gaps(mechanism_, state.position, options_.window, fmt::format("rollout {}", rollout));
  return state;
}

namespace {

/// ", with angle = 0.01 where the scenario has 1.05": what differs from a mechanism's own start.
std::string moved_text(const RigidMechanism& mechanism, const std::vector<double>& position) {
  constexpr int most_named = 3;
  const std::vector<double> own = mechanism.start().position;
  std::string text;
  int moved = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (position[i] == own[i]) continue;
    if (++moved > most_named) return text + ", ...";
    text += fmt::format(", {}{} = {:.4g} where the scenario has {:.4g}", moved == 1 ? "with " : "",
                        mechanism.system().coordinates[i], position[i], own[i]);
  }
  return text;
}

}  // namespace

void require_gaps(const RigidMechanism& mechanism, const std::vector<double>& position,
                  double window, const std::string& who) {
  constexpr double rounding = 1e-9;  // m, of positions that are meant to touch
  const auto found = mechanism.penetration(position, std::max(window, rounding));
  if (!found) return;
  const char* const otherwise = mechanism.are_linked(found->pair)
                                    ? "; if one is in front of the other, [[body]] exclude = "
                                      "[\"the other\"]"
                                    : "";
  throw FieldError(
      "start", fmt::format("{} starts with {}{} (must have a gap{})", who,
                           text_of(*found, mechanism), moved_text(mechanism, position), otherwise));
}

std::string text_of(const Penetration& found, const RigidMechanism& mechanism) {
  const std::string& pair = mechanism.system().contacts[found.pair];
  return found.depth ? fmt::format("\"{}\" {:.3g} m deep", pair, *found.depth)
                     : fmt::format("the bodies of \"{}\" across one another", pair);
}

}  // namespace carom
