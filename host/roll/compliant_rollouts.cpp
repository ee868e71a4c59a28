#include <fmt/format.h>

#include <algorithm>

#include "carom/error.hpp"
#include "carom/roll.hpp"
#include "host/base/field_error.hpp"
#include "host/base/note_list.hpp"
#include "host/roll/compliant_arrays.hpp"
#include "host/roll/roll_plan.hpp"
#include "host/roll/roll_questions.hpp"
#include "host/roll/rollout_device.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch_compliant.hpp"

namespace carom {
namespace {

/// The starts of rollouts: pure functions of (seed, problem id, ranges, index). What no range is of
/// starts at 0.
class CompliantStarts {
 public:
  CompliantStarts(const CompliantSystem& system, const SamplingOptions& sampling,
                  const RollOptions& options)
      : sampling_(sampling),
        ranges_(static_cast<std::size_t>(system.coordinate_count() + system.velocity_count())) {
    const int nq = system.coordinate_count();
    for (const StartRange& range : options.start) {
      const std::size_t at = place_of(range, system.coordinates);
      if (range.of_velocity && system.velocity_count() == 0) {
        throw FieldError("start", "start has velocity (must be without: the state is no position)");
      }
      ranges_[at + (range.of_velocity ? static_cast<std::size_t>(nq) : 0)] = range;
    }
  }

  /// Writes position and velocity of a rollout's start.
  void write(std::uint64_t rollout, double* position, std::size_t nq, double* velocity) const {
    const Philox random(sampling_.seed, sampling_.problem_id, rollout);
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      // The number of the coordinate, not of the range, whose order a file does not keep.
      const double drawn = draw_start(ranges_[i], random, static_cast<std::uint32_t>(i));
      (i < nq ? position[i] : velocity[i - nq]) = drawn;
    }
  }

 private:
  const SamplingOptions& sampling_;
  std::vector<StartRange> ranges_;  ///< of each number of the state
};

void check_contact(const CompliantSystem& system, const RollOptions& options) {
  if (options.contact.value_or(ContactKind::compliant) == ContactKind::rigid) {
    throw FieldError("roll.contact",
                     fmt::format("contact is rigid (must be compliant: system \"{}\" has springs)",
                                 kind_name(system)));
  }
  refuse_options(options, {"window", "hold", "impact_speed"},
                 "of contacts that give way: rigid ones have it");
  if (options.tube_time > 0.0 && system.velocity_count() == 0) {
    throw FieldError("roll.tube_time", fmt::format("tube_time is {} (must be 0: the states of "
                                                   "system \"{}\" have no energy)",
                                                   options.tube_time, kind_name(system)));
  }
}

}  // namespace

RolloutShape shape_of(const CompliantSystem& system, const RollOptions& options, int times) {
  const int nq = system.coordinate_count();
  const int nv = system.velocity_count();
  return {.times = times,
          .coordinates = nq,
          .velocities = nv,
          .events = options.events,
          .derivative_size = options.derivative ? nq + nv : 0,
          .compliant = true};
}

RollOptions resolved(RollOptions options, const CompliantSystem& system) {
  check_contact(system, options);
  options.step.choose(usual_step);
  validate(options);
  return options;
}

Rollouts roll(const CompliantSystem& stated, const SamplingOptions& sampling,
              const RollOptions& stated_options, const SampleObserver& observer,
              std::uint64_t first) {
  const RollOptions options = resolved(stated_options, stated);
  const CompliantSystem system = validated(stated);
  check_questions(options, rolled_system(system));
  const CompliantStarts starts(system, sampling, options);
  const CompliantArrays arrays(system);
  const auto nq = static_cast<std::size_t>(system.coordinate_count());
  const auto nv = static_cast<std::size_t>(system.velocity_count());
  Rollouts result;
  result.time = times_of(options);
  static_cast<RolloutShape&>(result) =
      shape_of(system, options, static_cast<int>(result.time.size()));
  result.first = first;
  result.resize(options.rollouts);
  CompliantPlan plan{.system = arrays.view(),
                     .times = result.time.data(),
                     .lowest = arrays.lowest(),
                     .highest = arrays.highest(),
                     .shape = result,
                     .crossing = options.crossing,
                     .step = options.step,
                     .graze_speed = options.graze_speed,
                     .event_limit = options.event_limit};
  const auto device = open_rollout_device<CudaCompliant>(sampling, plan);
  const std::uint64_t chunk = std::min(options.rollouts, std::uint64_t{1} << (device ? 14 : 10));
  std::vector<double> position(chunk * nq);
  std::vector<double> velocity(chunk * nv);
  plan.position = position.data();
  plan.velocity = velocity.data();
  const RolloutView out = view_of(result);
  const auto move = [&](std::uint64_t done, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      starts.write(first + done + i, position.data() + i * nq, nq, velocity.data() + i * nv);
    }
    if (device) {
      device->launch(plan, count, out.from(done, plan.shape));
    } else {
      on_threads(sampling.threads, count, [&](std::uint64_t begin, std::uint64_t some) {
        item_runner().compliant(plan, begin, some, out.from(done + begin, plan.shape));
      });
    }
  };
  move_in_parts({chunk, !device, sampling.threads}, observer, result, move);
  result.notes = notes_on_rollouts(system, sampling, options, result);
  return result;
}

std::vector<Note> notes_on_rollouts(const CompliantSystem& stated, const SamplingOptions& sampling,
                                    const RollOptions& options, const Rollouts& rollouts) {
  std::vector<Note> notes = notes_on_rollouts(sampling, rollouts);
  // Of the fastest motion in a step, rad: errors of about 1 %, and of 1e-6; where crossings are
  // projected, of second order, and of 1e-3.
  const bool is_projected = options.crossing == Crossing::projection;
  const double most = is_projected ? 0.1 : 1.0;
  const double advisable = is_projected ? 0.02 : 0.2;
  const double rate = fastest_rate(validated(stated));
  const double step = options.step.value_or(usual_step);
  if (step * rate > most) {
    notes.push_back(make_note(
        "long_steps",
        fmt::format(
            "step is {} s, and the fastest motion on the springs has a rate of {:.3g} /s: a "
            "step of {:.1g} s follows it",
            step, rate, advisable / rate)));
  }
  return notes;
}

}  // namespace carom
