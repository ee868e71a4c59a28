#include "carom/rollout_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "carom/error.hpp"
#include "host/roll/roll_plan.hpp"
#include "host/roll/rollout_mover.hpp"

namespace carom {
namespace {

void require_finite(const char* name, std::span<const double> numbers, std::size_t wanted) {
  if (numbers.size() != wanted) {
    throw InputError(fmt::format("{} has {} numbers (must have {})", name, numbers.size(), wanted));
  }
  if (std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); })) return;
  throw InputError(fmt::format("{} has an entry that is no number (must be finite)", name));
}

}  // namespace

struct RolloutStepper::State {
  State(const RigidWorld& world, const SamplingOptions& its_sampling,
        const RollOptions& its_options, std::uint64_t its_copies)
      : sampling(its_sampling),
        options(its_options),
        copies(its_copies),
        mechanism(world),
        starts(mechanism, sampling, options),
        mover(mechanism, sampling) {
    options.events = 0;
    if (copies == 0) throw InputError("copies is 0 (must be at least 1)");
    const RigidState& start = mechanism.start();
    static_cast<RolloutShape&>(rows) = {1, static_cast<int>(start.position.size()),
                                        static_cast<int>(start.velocity.size()), 0};
    rows.resize(copies);
    memory.position.resize(rows.position.size());
    memory.velocity.resize(rows.velocity.size());
    first_event.resize(copies);
    visits.resize(copies);
    held.resize(copies * pairs());
    for (std::uint64_t copy = 0; copy < copies; ++copy) restart(copy);
  }

  std::size_t pairs() const { return mechanism.pairs(); }

  void put(std::uint64_t copy, std::span<const double> position, std::span<const double> velocity) {
    std::ranges::copy(position, &memory.position[copy * position.size()]);
    std::ranges::copy(velocity, &memory.velocity[copy * velocity.size()]);
    std::fill_n(&held[copy * pairs()], pairs(), std::uint8_t{0});
    rows.status[copy] = RolloutStatus::moving;
    rows.impacts[copy] = 0;
  }

  void restart(std::uint64_t copy) {
    const RigidState start = starts.of(copy + copies * visits[copy]++);
    put(copy, start.position, start.velocity);
  }

  SamplingOptions sampling;
  RollOptions options;
  std::uint64_t copies;
  RigidMechanism mechanism;
  Starts starts;
  RolloutMover mover;
  RollMemory memory;                       ///< the states
  Rollouts rows;                           ///< of the last step
  std::vector<std::uint32_t> first_event;  ///< impacts so far
  std::vector<std::uint64_t> visits;       ///< starts so far
  std::vector<std::uint8_t> held;
};

RolloutStepper::RolloutStepper(const RigidWorld& world, const SamplingOptions& sampling,
                               const RollOptions& options, std::uint64_t copies) {
  state_ = std::make_unique<State>(world, sampling, resolved(options, world), copies);
}

RolloutStepper::~RolloutStepper() = default;
RolloutStepper::RolloutStepper(RolloutStepper&&) noexcept = default;
RolloutStepper& RolloutStepper::operator=(RolloutStepper&&) noexcept = default;

const RolledSystem& RolloutStepper::system() const { return state_->mechanism.system(); }
std::uint64_t RolloutStepper::copies() const { return state_->copies; }
std::span<const double> RolloutStepper::position() const { return state_->memory.position; }
std::span<const double> RolloutStepper::velocity() const { return state_->memory.velocity; }
std::span<const RolloutStatus> RolloutStepper::status() const { return state_->rows.status; }
std::span<const std::uint32_t> RolloutStepper::impacts() const { return state_->rows.impacts; }

void RolloutStepper::step(double seconds, std::span<const double> force) {
  State& its = *state_;
  if (!(seconds > 0.0 && std::isfinite(seconds))) {
    throw InputError(fmt::format("seconds is {} (must be > 0 and finite)", seconds));
  }
  if (!force.empty()) require_finite("force", force, its.memory.velocity.size());
  RolloutPlan plan = make_plan(its.mechanism, its.options, {seconds}, its.memory);
  plan.force = force.empty() ? nullptr : force.data();
  plan.first_event = its.first_event.data();
  plan.held = its.held.data();
  its.mover.move(plan, its.copies, view_of(its.rows));
  its.memory.position = its.rows.position;
  its.memory.velocity = its.rows.velocity;
  for (std::uint64_t copy = 0; copy < its.copies; ++copy) {
    its.first_event[copy] += its.rows.impacts[copy];
  }
}

void RolloutStepper::restart(std::uint64_t copy) {
  if (copy >= state_->copies) {
    throw InputError(fmt::format("copy is {} (must be below {})", copy, state_->copies));
  }
  state_->restart(copy);
}

void RolloutStepper::place(std::uint64_t copy, std::span<const double> position,
                           std::span<const double> velocity) {
  State& its = *state_;
  if (copy >= its.copies) {
    throw InputError(fmt::format("copy is {} (must be below {})", copy, its.copies));
  }
  require_finite("position", position, its.mechanism.start().position.size());
  require_finite("velocity", velocity, its.mechanism.start().velocity.size());
  // So deep may a state be that step() returned.
  const double depth = std::max(its.options.window, 2.0 * its.options.hold);
  require_gaps(its.mechanism, {position.begin(), position.end()}, depth,
               fmt::format("copy {}", copy));
  its.put(copy, position, velocity);
}

SavedRollouts RolloutStepper::save() const {
  const State& its = *state_;
  return {its.memory.position, its.memory.velocity, its.rows.status, its.rows.impacts,
          its.first_event,     its.visits,          its.held};
}

void RolloutStepper::restore(SavedRollouts saved) {
  std::vector<std::size_t> sizes;
  std::vector<std::size_t> own;
  SavedRollouts::for_each_array(saved, [&](const auto& array) { sizes.push_back(array.size()); });
  SavedRollouts now = save();
  SavedRollouts::for_each_array(now, [&](const auto& array) { own.push_back(array.size()); });
  if (sizes != own) {
    throw InputError("saved rollouts are of another world or number of copies");
  }
  State& its = *state_;
  its.memory.position = std::move(saved.position);
  its.memory.velocity = std::move(saved.velocity);
  its.rows.status = std::move(saved.status);
  its.rows.impacts = std::move(saved.impacts);
  its.first_event = std::move(saved.all_impacts);
  its.visits = std::move(saved.starts);
  its.held = std::move(saved.held);
}

}  // namespace carom
