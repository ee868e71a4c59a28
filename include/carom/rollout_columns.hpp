#pragma once

#include <cstddef>
#include <cstdint>

namespace carom {

/// How a rollout ended. The numbers are those of `/rollouts/status` in a file.
enum class RolloutStatus : std::uint8_t {
  moving = 0,          ///< reached its duration
  at_rest = 1,         ///< came to rest, in contact, before its duration
  impact_dropped = 2,  ///< failed: an impact still collided after its last step
  impact_failed = 3,   ///< failed: a step of an impact was not solved
  motion_failed = 4,   ///< failed: no forces of the contacts were found
  too_many = 5,        ///< failed: more contacts touch than an LCP holds
  out_of_scale = 6,    ///< failed: a number overflowed or vanished
  energy_grew = 7,     ///< failed: a step of hinged bodies gained energy; it is too long for them
  // In compliant contact:
  done = 8,          ///< reached its duration
  graze = 9,         ///< so, but an event was slow: the state stands, its derivative does not
  corner = 10,       ///< so, but events whose order counts were at one instant: the derivative is
                     ///< that of moving each component of the start up
  event_limit = 11,  ///< failed: too many events
  left_domain = 12,  ///< failed: left the system's domain, or a number overflowed
  // In rigid contact again:
  crowded = 13,  ///< reached its duration or came to rest, but a step would have had more parts
                 ///< than a step has: contacts lost their speed without an impact, or bodies may
                 ///< have passed through others
  tangential_impact = 14,  ///< reached its duration or came to rest, but friction stopped a sliding
                           ///< contact at once, without a collision (Painlevé): no impact has it
};

inline constexpr int rollout_status_count = 15;

constexpr const char* rollout_status_name(RolloutStatus status) {
  constexpr const char* names[rollout_status_count] = {
      "moving",   "at_rest",      "impact_dropped", "impact_failed", "motion_failed",
      "too_many", "out_of_scale", "energy_grew",    "done",          "graze",
      "corner",   "event_limit",  "left_domain",    "crowded",       "tangential_impact"};
  return names[static_cast<int>(status)];
}

/// Whether the rollout has all its states.
constexpr bool is_whole(RolloutStatus status) {
  return status <= RolloutStatus::at_rest ||
         (status >= RolloutStatus::done && status <= RolloutStatus::corner) ||
         status == RolloutStatus::crowded || status == RolloutStatus::tangential_impact;
}

/// Sizes of the rows of rollouts.
struct RolloutShape {
  int times = 0;            ///< T
  int coordinates = 0;      ///< nq
  int velocities = 0;       ///< nv
  int events = 0;           ///< K: impacts that are kept of each rollout
  int derivative_size = 0;  ///< nq + nv: rows and columns of a derivative; 0: none is kept
  bool compliant = false;   ///< has the columns of compliant contact

  friend constexpr bool operator==(const RolloutShape&, const RolloutShape&) = default;
};

/// What one row of a column of rollouts holds: `rows` x `columns` numbers, 0 x 0 of one number.
struct RolloutColumnInfo {
  using Size = int RolloutShape::*;

  const char* name;  ///< in files and in Python
  Size rows;
  Size columns;
  const char* text;
  bool compliant = false;  ///< only rollouts in compliant contact have it

  constexpr std::size_t numbers(const RolloutShape& shape) const {
    if (compliant && !shape.compliant) return 0;
    return static_cast<std::size_t>(rows == nullptr ? 1 : shape.*rows) *
           static_cast<std::size_t>(columns == nullptr ? 1 : shape.*columns);
  }
};

/// The columns of rollouts, one row per rollout: Column<T> stores numbers of type T, as a vector or
/// a pointer. for_each_rollout_column() lists the same columns.
template <template <class> class Column>
struct RolloutColumns {
  Column<double> position{};
  Column<double> velocity{};
  Column<double> least{};
  Column<double> greatest{};
  Column<double> first_velocity{};
  Column<double> first_time{};
  Column<double> end_time{};
  Column<double> end_energy{};
  Column<RolloutStatus> status{};
  Column<std::uint32_t> impacts{};
  Column<std::uint32_t> lcps{};
  Column<double> event_time{};
  Column<double> event_energy{};
  Column<std::uint64_t> event_contacts{};
  Column<std::uint64_t> event_modes{};
  Column<std::uint32_t> trials{};
  Column<std::uint32_t> grazes{};
  Column<double> derivative{};
};

/// Calls visit(info, column of each of `rows`...) for every column, in the order of files: the only
/// list.
template <class Visit, class... AnyRows>
constexpr void for_each_rollout_column(Visit&& visit, AnyRows&&... rows) {
  using S = RolloutShape;
  using Info = RolloutColumnInfo;
  visit(Info{"rollouts/position", &S::times, &S::coordinates,
             "at each time; m, and rad for angles, which are not wrapped"},
        rows.position...);
  visit(Info{"rollouts/velocity", &S::times, &S::velocities, "at each time, m/s and rad/s"},
        rows.velocity...);
  visit(Info{"rollouts/least", &S::times, &S::coordinates,
             "least position since the time before, or the start, at ends of steps and impacts"},
        rows.least...);
  visit(Info{"rollouts/greatest", &S::times, &S::coordinates,
             "greatest position since the time before, or the start, at ends of steps and impacts"},
        rows.greatest...);
  visit(Info{"rollouts/first_impact/velocity", &S::velocities, nullptr,
             "right after the first impact; where there is none, the last one"},
        rows.first_velocity...);
  visit(Info{"rollouts/first_impact/time", nullptr, nullptr,
             "of the first impact, s; where there is none, the duration"},
        rows.first_time...);
  visit(Info{"rollouts/end_time", nullptr, nullptr,
             "last moment with a contact that moves faster than rest_speed along its normal, s"},
        rows.end_time...);
  visit(Info{"rollouts/end_energy", nullptr, nullptr, "kinetic energy of the last state, J"},
        rows.end_energy...);
  visit(Info{"rollouts/status", nullptr, nullptr,
             "0 moving, 1 at rest, 8 done, 9, 10, 13 and 14 whole with a remark, others failed "
             "(`carom.ROLLOUT_STATUS` has the names)"},
        rows.status...);
  visit(Info{"rollouts/impacts", nullptr, nullptr, "impacts"}, rows.impacts...);
  visit(Info{"rollouts/lcps", nullptr, nullptr, "LCPs of the motion in contact"}, rows.lcps...);
  visit(Info{"events/time", &S::events, nullptr, "of the first impacts, s; -1 where there is none"},
        rows.event_time...);
  visit(Info{"events/energy", &S::events, nullptr, "kinetic energy right after them, J"},
        rows.event_energy...);
  visit(Info{"events/contacts", &S::events, nullptr,
             "contacts in them, as bits: 1 the first, 2 the second, ...; of the first 64 pairs"},
        rows.event_contacts...);
  visit(Info{"events/modes", &S::events, nullptr,
             "what these contacts do right after them, two bits each, in the same order: 0 "
             "separates, 1 sticks, 2 slips along its tangent, 3 against it; of the first 32"},
        rows.event_modes...);
  constexpr bool compliant = true;
  visit(Info{"rollouts/trials", nullptr, nullptr, "steps that met a guard and were taken again",
             compliant},
        rows.trials...);
  visit(Info{"rollouts/grazes", nullptr, nullptr, "events slower than graze_speed", compliant},
        rows.grazes...);
  visit(
      Info{"rollouts/derivative", &S::derivative_size, &S::derivative_size,
           "of the last state by the first: row i is that of component i of (position, velocity); "
           "NaN where there is none",
           compliant},
      rows.derivative...);
}

}  // namespace carom
