#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include "carom/certificate.hpp"
#include "carom/error.hpp"
#include "carom/roll.hpp"
#include "host/base/field_error.hpp"
#include "host/base/note_list.hpp"
#include "host/options/option_list.hpp"
#include "host/options/option_text.hpp"
#include "host/roll/motion_notes.hpp"
#include "host/roll/roll_plan.hpp"
#include "host/roll/roll_questions.hpp"
#include "host/roll/rollout_mover.hpp"
#include "host/sampling/problem_notes.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {
namespace {

constexpr int even_times = 20;  // parts of the duration, where no times are stated

/// How far a coordinate moves in all rollouts, and how far these are apart at one time.
struct Spread {
  double moves = 0.0;
  double apart = 0.0;
};

Spread spread_of(const Rollouts& rollouts, std::size_t coordinate) {
  const auto width = static_cast<std::size_t>(rollouts.coordinates);
  const std::size_t row = rollouts.position.size() / rollouts.size();
  double least = rollouts.position[coordinate];
  double greatest = least;
  double apart = 0.0;
  for (std::size_t at = coordinate; at < rollouts.position.size(); at += width) {
    const double value = rollouts.position[at];
    apart = std::max(apart, std::fabs(value - rollouts.position[at % row]));
    least = std::min(least, value);
    greatest = std::max(greatest, value);
  }
  return {greatest - least, apart};
}

/// Whether all rollouts take one course, but for rounding: of each coordinate, how far rollouts are
/// apart is nothing beside how far it moves, or a part of the one that moves most.
bool are_the_same(const Rollouts& rollouts) {
  constexpr double rounding = 1e-6;
  constexpr double part = 1e-6;  // below which a coordinate does not move
  if (rollouts.size() < 2 || !std::ranges::all_of(rollouts.status, is_whole)) return false;
  std::vector<Spread> spreads;
  double most = 0.0;
  for (std::size_t j = 0; j < static_cast<std::size_t>(rollouts.coordinates); ++j) {
    spreads.push_back(spread_of(rollouts, j));
    most = std::max(most, spreads.back().moves);
  }
  return std::ranges::all_of(spreads, [&](const Spread& its) {
    return its.apart <= rounding * std::max(its.moves, part * most);
  });
}

}  // namespace

std::string failure_text(RolloutStatus status, int most_steps) {
  switch (status) {
    case RolloutStatus::impact_dropped:
      return fmt::format(
          "an impact that still collided after {} steps; {} may part its contacts", most_steps,
          most_steps < max_step_limit ? "more max_steps, or a smaller step," : "a smaller step");
    case RolloutStatus::impact_failed:
      return "an impact that has no outcome under its law, or of which a step was not solved";
    case RolloutStatus::motion_failed:
      return "a contact without forces; friction can be too high for rigid bodies (Painleve)";
    case RolloutStatus::too_many:
      return fmt::format(
          "more contacts at a time than an LCP holds ({} in the plane, {} in space with four "
          "friction directions, on bodies that touch one another); fewer corners fit, of a MuJoCo "
          "model by merge = 3 or limits = false, and in space fewer friction_directions",
          max_lcp_size / 5, max_lcp_size / 7);
    case RolloutStatus::event_limit:
      return "too many events; a step may be too long for stiff contacts, or contacts bounce ever "
             "faster (event_limit)";
    case RolloutStatus::left_domain:
      return "a state outside the system's domain, or a number that overflowed";
    case RolloutStatus::energy_grew:
      return "a step that gained energy; a smaller step may resolve the motion";
    default:
      return "a number that overflowed";
  }
}

void validate(const RollOptions& options) {
  for_each_option(
      [](const OptionInfo& info, const auto& value) { check_range("roll", info, value); }, options);
  constexpr double most_steps = 1e9;  // of a rollout
  if (options.step.has_value() && !(options.duration / *options.step <= most_steps)) {
    throw FieldError("roll.step", fmt::format("step is {} (must be at least {:g} s, a billionth of "
                                              "duration)",
                                              *options.step, options.duration / most_steps));
  }
  double before = -1.0;
  for (const double time : options.times) {
    if (!(time >= 0.0 && time > before && time <= options.duration)) {
      throw FieldError("roll.times",
                       fmt::format("times contain {} (must increase from 0 on, up to duration, {})",
                                   time, options.duration));
    }
    before = time;
  }
}

std::vector<double> times_of(const RollOptions& options) {
  std::vector<double> times = options.times;
  if (times.empty()) {
    for (int k = 0; k < even_times; ++k) times.push_back(options.duration * k / even_times);
  }
  for (const RollQuestion& question : parse_questions(options)) {
    if (question.time) times.push_back(*question.time);
  }
  times.push_back(options.duration);
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  return times;
}

void Rollouts::resize(std::size_t size) {
  for_each_rollout_column([&](const RolloutColumnInfo& info,
                              auto& column) { column.resize(size * info.numbers(*this)); },
                          *this);
}

void append(const Rollouts& more, Rollouts& rollouts) {
  if (rollouts.size() == 0) {
    rollouts = more;
    return;
  }
  for_each_rollout_column(
      [](const RolloutColumnInfo&, auto& column, const auto& added) {
        column.insert(column.end(), added.begin(), added.end());
      },
      rollouts, more);
  rollouts.complete = more.complete;
}

RollOptions resolved(RollOptions options, const RigidWorld& /*world*/) {
  check_rigid(options, "a world of bodies");
  options.step.choose(usual_step);
  options.impact_speed.choose(0.5 * options.rest_speed);
  validate(options);
  return options;
}

Rollouts roll(const RigidWorld& world, const SamplingOptions& sampling, const RollOptions& stated,
              const SampleObserver& observer, std::uint64_t first) {
  const RollOptions options = resolved(stated, world);
  const RigidMechanism mechanism(world);
  check_questions(options, mechanism.system());
  const RolloutMover mover(mechanism, sampling);
  const std::uint64_t chunk = std::min(mover.chunk(), options.rollouts);
  const Starts starts(mechanism, sampling, options);
  RollMemory memory;
  RolloutPlan plan = [&] {
    const RigidState one = starts.of(first);
    for (std::uint64_t i = 0; i < chunk; ++i) {
      memory.position.insert(memory.position.end(), one.position.begin(), one.position.end());
      memory.velocity.insert(memory.velocity.end(), one.velocity.begin(), one.velocity.end());
    }
    return make_plan(mechanism, options, times_of(options), memory);
  }();
  const auto write_starts = [&](std::uint64_t begin, std::uint64_t count) {
    if (!starts.are_drawn()) return;  // all start alike
    auto position = memory.position.begin();
    auto velocity = memory.velocity.begin();
    for (std::uint64_t i = 0; i < count; ++i) {
      const RigidState one = starts.of(begin + i);
      position = std::ranges::copy(one.position, position).out;
      velocity = std::ranges::copy(one.velocity, velocity).out;
    }
  };
  Rollouts result;
  static_cast<RolloutShape&>(result) = plan.shape;
  result.first = first;
  result.time = memory.times;
  result.resize(options.rollouts);
  const RolloutView out = view_of(result);
  move_in_parts({chunk, mover.is_paced(), sampling.threads}, observer, result,
                [&](std::uint64_t done, std::uint64_t count) {
                  write_starts(first + done, count);
                  plan.first = first + done;
                  mover.move(plan, count, out.from(done, plan.shape));
                });
  result.notes = notes_on_rollouts(world, sampling, options, result);
  return result;
}

std::string flat_name(const RolloutColumnInfo& column) {
  std::string name = column.name;
  for (const auto& [group, prefix] :
       {std::pair<std::string, const char*>("rollouts/", ""), {"events/", "event_"}}) {
    if (name.starts_with(group)) name = prefix + name.substr(group.size());
  }
  std::ranges::replace(name, '/', '_');
  return name;
}

namespace {

/// What the ends of rollouts leave open.
/// @param count by status
/// @param most_steps of an impact
std::vector<Note> notes_on_ends(const std::uint64_t (&count)[rollout_status_count],
                                int most_steps) {
  std::vector<Note> notes;
  const std::uint64_t all = std::accumulate(std::begin(count), std::end(count), std::uint64_t{0});
  for (int s = 0; s < rollout_status_count; ++s) {
    const auto status = static_cast<RolloutStatus>(s);
    if (is_whole(status) || count[s] == 0) continue;
    notes.push_back(
        make_note("rollouts_failed", fmt::format("{} of {} rollouts ended in {}", count[s], all,
                                                 failure_text(status, most_steps))));
  }
  const auto count_of = [&](RolloutStatus status) { return count[static_cast<int>(status)]; };
  if (const std::uint64_t some = count_of(RolloutStatus::crowded); some > 0) {
    notes.push_back(make_note(
        "crowded_steps",
        fmt::format("{} of {} rollouts had a step that would have more than {} parts because of "
                    "contacts that close, which afterwards lost their speed without an impact, or "
                    "more than {} because of bodies that are fast beside their thickness, which "
                    "may have passed through others; take a smaller step",
                    some, all, most_divisions, most_parts)));
  }
  if (const std::uint64_t some = count_of(RolloutStatus::tangential_impact); some > 0) {
    notes.push_back(make_note(
        "tangential_impacts",
        fmt::format("in {} of {} rollouts friction stops a sliding contact at once, without a "
                    "collision (Painleve): the law, the impacts and the events do not have these "
                    "impulses; less friction has none",
                    some, all)));
  }
  if (const std::uint64_t some = count_of(RolloutStatus::graze); some > 0) {
    notes.push_back(make_note("grazes", fmt::format("{} of {} rollouts met a guard slower than "
                                                    "graze_speed: their states stand, derivatives "
                                                    "of them do not exist",
                                                    some, all)));
  }
  if (const std::uint64_t some = count_of(RolloutStatus::corner); some > 0) {
    notes.push_back(make_note(
        "corners", fmt::format("{} of {} rollouts met several guards at one instant, and their "
                               "order counts: each column of the derivative is that of moving its "
                               "component up",
                               some, all)));
  }
  return notes;
}

Note note_on_no_impacts(double duration) {
  return make_note("no_impacts",
                   fmt::format("no rollout has an impact within {} s: those of one start are the "
                               "same; a longer duration or a smaller impact_speed may show some",
                               duration));
}

/// What the choices for impacts leave out.
std::vector<Note> notes_on_impacts(const SamplingOptions& sampling,
                                   const std::optional<MujocoOptions>& model) {
  std::vector<Note> notes;
  if (model && model->merge != 0) {
    notes.push_back(make_note("merged_contacts",
                              "merge leaves out contacts of flat patches: "
                              "outcomes in which these push alone are missing"));
  }
  const auto* const law = std::get_if<law::SetValued>(&sampling.law);
  if (law != nullptr && !law->solutions.is_stated()) {
    notes.push_back(make_note("cover_solutions",
                              "where a step of an impact has several solutions, random covering "
                              "vectors select one, which may leave some out; solutions = \"all\" "
                              "draws among all"));
  }
  return notes;
}

}  // namespace

std::vector<Note> notes_on_rollouts(const SamplingOptions& sampling, const Rollouts& rollouts,
                                    const std::optional<MujocoOptions>& model) {
  std::uint64_t count[rollout_status_count] = {};
  std::uint64_t late = 0;
  for (std::size_t i = 0; i < rollouts.size(); ++i) {
    ++count[static_cast<int>(rollouts.status[i])];
    late +=
        rollouts.status[i] == RolloutStatus::moving && rollouts.end_time[i] == rollouts.time.back()
            ? 1
            : 0;
  }
  std::vector<Note> notes = notes_on_ends(
      count, sampling.max_steps.is_stated() ? sampling.max_steps.value() : max_step_limit);
  if (!rollouts.compliant && std::ranges::all_of(rollouts.status, is_whole) &&
      std::ranges::all_of(rollouts.impacts, [](auto impacts) { return impacts == 0; })) {
    notes.push_back(note_on_no_impacts(rollouts.time.back()));
    return notes;
  }
  if (late > 0) {
    notes.push_back(
        make_note("still_moving",
                  fmt::format("{} of {} rollout{} still moving along a contact's normal after "
                              "{} s: unless what moves has parted for good, a longer duration "
                              "shows more",
                              late, rollouts.size(), rollouts.size() == 1 ? " is" : "s are",
                              rollouts.time.back())));
  }
  if (are_the_same(rollouts)) {
    std::string why =
        "contacts that give way have one motion from each start; ranges of [start] "
        "draw others";
    if (!rollouts.compliant) {
      why = fmt::format(
          "with confidence 95 %, another course has a probability of at most {:.2g} %; {}",
          100.0 * clopper_pearson_upper(0, rollouts.size(), 0.95),
          std::holds_alternative<law::Plus>(sampling.law)
              ? "law plus has one outcome unless its numbers are uncertain"
              : "contacts that land one after the other often have one outcome each");
    }
    notes.push_back(make_note(
        "same_rollouts", fmt::format("all {} rollouts are the same: {}", rollouts.size(), why)));
  }
  if (!rollouts.compliant) {
    std::ranges::copy(notes_on_impacts(sampling, model), std::back_inserter(notes));
  }
  return notes;
}

std::vector<Note> notes_on_rollouts(const RigidWorld& world, const SamplingOptions& sampling,
                                    const RollOptions& options, const Rollouts& rollouts) {
  std::vector<Note> notes = notes_on_rollouts(sampling, rollouts);
  const double upwards =
      std::visit([](const auto& its) { return its.gravity.template tail<1>()(0); }, world);
  const auto no_impacts = std::ranges::find(notes, "no_impacts", &Note::code);
  if (no_impacts != notes.end() && upwards > 0.0) {
    no_impacts->text += "; gravity points up here (as one number it is positive downwards)";
  }
  if (auto note = note_on_window(world, options.window, options.hold)) {
    notes.insert(notes.begin(), std::move(*note));
  }
  for (auto note : {note_on_energy(world, sampling, rollouts),
                    note_on_penetration(world, options, sampling.threads, rollouts)}) {
    if (note) notes.insert(notes.begin(), std::move(*note));
  }
  if (const auto* const stated = std::get_if<SpatialWorld>(&world)) {
    const SpatialWorld spatial = validated(*stated);
    if (auto note = note_on_overlaps(spatial, sampling.threads, rollouts)) {
      notes.insert(notes.begin(), std::move(*note));
    }
    double friction = 0.0;
    for (const auto& floor : spatial.floors) friction = std::max(friction, *floor.friction);
    if (auto note = note_on_pyramid(spatial.friction_directions, friction, sampling.law)) {
      notes.push_back(std::move(*note));
    }
  }
  return notes;
}

}  // namespace carom
