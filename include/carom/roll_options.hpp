#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/choice.hpp"
#include "carom/crossing.hpp"

namespace carom {

/// A coordinate of the start that differs between rollouts: uniform on [least, greatest].
struct StartRange {
  std::string coordinate;  ///< of coordinate_names()
  bool of_velocity = false;
  double least = 0.0;  ///< m or rad, of a velocity per s
  double greatest = 0.0;
};

/// What contacts are in time.
enum class ContactKind {
  rigid,      ///< impacts by a law, and forces that keep bodies apart
  compliant,  ///< springs, dampers and preloads
};

/// Name of a kind of contact in scenarios, flags, files and reports.
constexpr const char* contact_kind_name(ContactKind contact) {
  constexpr const char* names[] = {"rigid", "compliant"};
  return names[static_cast<int>(contact)];
}

/// How a mechanism is moved in time: time stepping with located impacts (docs/time.md).
struct RollOptions {
  std::uint64_t rollouts = 1000;
  double duration = 1.0;  ///< s
  /// s, at most: every time is the end of a step. Auto: 1e-3; of MuJoCo's models their own.
  Choice<double> step = {};
  /// s, of the states that are kept; empty: the start and 20 even steps
  std::vector<double> times = {};
  double window = 1e-9;  ///< m: gaps at which contacts touch, and so together
  double hold = 1e-6;    ///< m: the same for contacts that touched in the step before
  /// m/s (rad/s of limits of angles): contacts that approach slower have no impact, but the forces
  /// of contact. Auto: half the rest speed; of MuJoCo's models 0.1.
  Choice<double> impact_speed = {};
  double rest_speed = 1e-3;  ///< m/s, of end_time
  int events = 16;           ///< impacts that are kept of each rollout
  /// s, the time by which positions become velocities in the metric of the tube: states are nearer
  /// than epsilon if Δv' M Δv + Δq' M Δq / tube_time² < epsilon², M at the start; 0: no nets.
  double tube_time = 0.0;
  /// Resolution of the tube's nets, in J^(1/2). Auto: 2 % of the greatest extent of its states
  /// along an axis of the metric.
  Choice<double> tube_epsilon = {};
  Choice<ContactKind> contact = {};  ///< auto: what the system has
  // In compliant contact:
  Crossing crossing = Crossing::fast;
  bool derivative = false;              ///< of the last state by the first, of each rollout
  double graze_speed = 1e-6;            ///< m/s: slower events are grazes
  std::uint32_t event_limit = 100'000;  ///< of a rollout, which then ends
  std::vector<StartRange> start = {};   ///< what differs between the starts
  /// Questions such as "angle > 30 deg by 0.5 s", "|block.x| < 0.1 m at 1 s", "end_time > 0.2 s" or
  /// "impacts > 5": "by" asks whether it is ever so until then, "at" whether it is so then.
  std::vector<std::string> ask = {};
};

/// @throws InputError naming the option and the rule
void validate(const RollOptions& options);

/// The times of the states: as stated, or 21 even ones from 0 on; those of questions; and the
/// duration.
std::vector<double> times_of(const RollOptions& options);

}  // namespace carom
