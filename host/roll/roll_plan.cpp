#include "host/roll/roll_plan.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/base/field_error.hpp"
#include "host/roll/roll_questions.hpp"
#include "kernels/launch/launch.hpp"
#include "kernels/random/philox.hpp"

namespace carom {

RolloutView view_of(Rollouts& rollouts) {
  RolloutView view;
  for_each_rollout_column(
      [](const RolloutColumnInfo&, auto*& pointer, auto& column) { pointer = column.data(); }, view,
      rollouts);
  return view;
}

RolloutPlan make_plan(const PlanarWorld& world, const RollOptions& options,
                      std::vector<double> times, RollMemory& memory) {
  RolloutPlan plan;
  memory.times = std::move(times);
  plan.position = memory.position.data();
  plan.velocity = memory.velocity.data();
  plan.times = memory.times.data();
  plan.directions = memory.directions;
  plan.shape = {static_cast<int>(memory.times.size()), world.coordinates(), world.coordinates(),
                options.events};
  plan.step = options.step;
  plan.window = options.window;
  plan.hold = options.hold;
  plan.impact_speed = options.impact_speed.value_or(0.5 * options.rest_speed);
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

Starts::Starts(const PlanarWorld& world, const SamplingOptions& sampling,
               const RollOptions& options)
    : world_(world), sampling_(sampling), options_(options) {
  const std::vector<PlanarCoordinate> coordinates = coordinates_of(world);
  const std::vector<std::string> names = coordinate_names(world);
  for (const StartRange& range : options.start) {
    coordinate_.push_back(coordinates[coordinate_named(names, range.coordinate, "start")]);
    check_start(range);
  }
}

void check_start(const StartRange& range) {
  if (range.least <= range.greatest && std::isfinite(range.least) &&
      std::isfinite(range.greatest)) {
    return;
  }
  throw FieldError("start",
                   fmt::format("start of {} is from {} to {} (must not decrease, and be finite)",
                               range.coordinate, range.least, range.greatest));
}

double draw_start(const StartRange& range, const Philox& random, std::uint32_t number) {
  double pair[2];
  random.uniform_pair(number, Purpose::start, 0, pair);
  return range.least + (range.greatest - range.least) * pair[0];
}

PlanarWorld Starts::of(std::uint64_t rollout) const {
  PlanarWorld one = world_;
  const Philox random(sampling_.seed, sampling_.problem_id, rollout);
  for (std::size_t r = 0; r < options_.start.size(); ++r) {
    const StartRange& range = options_.start[r];
    PlanarBody& body = one.bodies[coordinate_[r].body];
    Eigen::Vector3d& state = range.of_velocity ? body.velocity : body.position;
    state(coordinate_[r].part) = draw_start(range, random, static_cast<std::uint32_t>(r));
  }
  require_gaps(one, options_.window, fmt::format("rollout {}", rollout));
  return one;
}

void require_gaps(const PlanarWorld& world, double window, const std::string& who) {
  constexpr double rounding = 1e-9;  // m, of positions that are meant to touch
  const double allowed = std::max(window, rounding);
  const std::vector<PlanarTouch> all = touches(world);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].gap >= -allowed) continue;
    throw FieldError("start", fmt::format("{} starts with \"{}\" {:.3g} m deep (must have a gap)",
                                          who, pair_names(world)[i], -all[i].gap));
  }
}

}  // namespace carom
