#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "carom/note.hpp"

namespace carom {

/// THE list of codes: reports, files, Python and docs/notes.md follow it.
inline constexpr NoteCode note_list[] = {
    {"no_outcomes", Severity::error, "no trajectory ended in an outcome, so there is no set"},
    {"separated_before", Severity::warning,
     "no contact approaches: the pre-impact velocity is the only outcome"},
    {"coarse_termination", Severity::warning,
     "`termination_tolerance` is not small beside the fastest approach"},
    {"large_impulse_step", Severity::warning,
     "h is so far above what contacts need that caps hardly matter"},
    {"small_impulse_step", Severity::warning,
     "h is far below what contacts need, so caps of many steps average out: random trajectories "
     "lack extreme outcomes"},
    {"step_effect", Severity::warning,
     "outcomes differ by the size of steps: of one contact, which has no order of impulses, or of "
     "contacts that rebound"},
    {"shared_impulse", Severity::warning,
     "the velocity after a step leaves open how contacts that rebound share its impulse, and each "
     "step has one share"},
    {"cone_not_pointed", Severity::warning,
     "contacts can push against each other without an effect, so trajectories need not end"},
    {"zero_tangents", Severity::info, "contacts with friction have tangent rows that are zero"},
    {"merged_contacts", Severity::warning,
     "`merge` left out contacts that could take part: the set lacks outcomes"},
    {"doubtful_normals", Severity::warning,
     "normals of contacts that MuJoCo found are not those of the geoms' nearest points, or "
     "steeper than a height field"},
    {"model_not_read", Severity::warning,
     "a scenario names a MuJoCo model, but its matrices are stated: the model does not count"},
    {"changed_velocity", Severity::warning,
     "a velocity breaks equality constraints of its MuJoCo model, and counts without what breaks "
     "them"},
    {"joint_limits", Severity::warning,
     "joints or tendons are at their limits, which `limits = false` leaves out"},
    {"near_contacts", Severity::warning,
     "pairs of a world almost touch at its first impact: the set lacks what they would do"},
    {"other_impacts", Severity::warning,
     "other bodies of a world collide at the same time, in impacts of their own, which are left "
     "out"},
    {"first_impact", Severity::info, "the impact is the first one of a motion"},
    {"left_out", Severity::info,
     "members of a family have no set: they have no impact or break a rule, and `invalid` is "
     "\"skip\""},
    {"single_set_tables", Severity::info,
     "tables of a scenario do not count for members of a family, or beside other laws"},
    {"other_contacts", Severity::warning,
     "members of a family have other contacts than the scenario itself, whose names stand for "
     "them"},
    {"no_comparison", Severity::info,
     "problems of a data set have restitution, and so no outcomes of the simultaneous and the "
     "sequential law"},
    {"cut_net", Severity::warning,
     "epsilon-nets of a data set's problems have more members than are kept of each"},
    {"dropped", Severity::warning,
     "trajectories still collided after `max_steps` steps; they are no outcomes"},
    {"failed", Severity::warning,
     "trajectories met a step that was not solved; they are no outcomes"},
    {"ill_conditioned", Severity::warning,
     "LCPs were not solved, and the mass matrix or that of the contacts is nearly singular"},
    {"several_solutions", Severity::warning,
     "steps have several solutions, of which the option `solutions` took one"},
    {"solutions_missed", Severity::warning, "steps of which not all solutions were found"},
    {"caps_never_alone", Severity::warning,
     "no first step gave one contact nearly all of the impulse: orders of impacts are missing"},
    {"other_law_outside", Severity::warning,
     "the set-valued law contains the outcomes of other laws, but some lie outside the net"},
    {"small_steps_outside", Severity::warning,
     "outcomes of much smaller steps, which the set contains, lie outside the net"},
    {"net_misses", Severity::warning, "the net lacks outcomes: new trajectories end outside it"},
    {"outside_bound", Severity::warning, "outcomes lie outside a proved bound"},
    {"energy_gain", Severity::warning, "the law lets the kinetic energy grow"},
    {"coarse_epsilon", Severity::warning, "`epsilon` is not small beside the size of the set"},
    {"unresolved_speeds", Severity::info,
     "velocities within `epsilon` can differ by more than all of the set along some contacts: the "
     "net may not resolve them"},
    {"fine_epsilon", Severity::warning,
     "`epsilon` is so small that each outcome is a member of the net"},
    {"fewer_digits", Severity::warning, "`epsilon` is below the digits that outcomes have"},
    {"search_open", Severity::warning,
     "an exploration, or a search after a sample, ended at its budget while it still found new "
     "outcomes, or an exploration had hardly sought ends"},
    {"rollouts_failed", Severity::warning,
     "rollouts ended before their duration: an impact had no outcome, or contacts no forces"},
    {"crowded_steps", Severity::warning,
     "a step of a rollout would have more parts than a step has: contacts lost their speed without "
     "an "
     "impact, or bodies may have passed through others"},
    {"tangential_impacts", Severity::warning,
     "friction stopped sliding contacts at once, without a collision: no law and no event has "
     "these "
     "impulses"},
    {"wide_window", Severity::warning,
     "`window` is not small beside a body: contacts act across a gap, and can do so again and "
     "again; or `hold` is not, and bodies come to rest aslant"},
    {"penetration", Severity::warning,
     "contacts are deep in one another: a step was too long for what pressed them together, or an "
     "impact begins so"},
    {"bodies_overlap", Severity::warning,
     "bodies in space pass through one another: they touch floors and walls alone"},
    {"grazes", Severity::warning,
     "rollouts met a guard slower than `graze_speed`: they have no derivative"},
    {"corners", Severity::warning,
     "rollouts met guards at one instant whose order counts: derivatives are one-sided"},
    {"long_steps", Severity::warning,
     "`step` is not small beside the fastest motion on the springs of contacts"},
    {"still_moving", Severity::info, "rollouts still move at the end of their duration"},
    {"no_impacts", Severity::warning, "no rollout has an impact"},
    {"same_rollouts", Severity::info,
     "all rollouts are the same: other courses are rare, or there are none"},
    {"cover_solutions", Severity::info,
     "impacts in time take a solution of random covering vectors where steps have several"},
    {"start_not_drawn", Severity::info,
     "[start] draws starts of rollouts alone: an impact begins at the stated one"},
    {"independent_groups", Severity::info,
     "contacts are in groups that do not act on one another, such as those of separate bodies"},
    {"friction_pyramid", Severity::info,
     "in space, a pyramid of few directions stands for the cone of friction"},
    {"fewer_trajectories", Severity::info,
     "Carom chose a smaller M, since steps of this problem take long"},
    {"cpu_fallback", Severity::info, "the backend `auto` took the CPU"},
    {"repeated_on_cpu", Severity::info,
     "the GPU left many trajectories undecided, which the CPU repeated"},
};

/// A code of the list; any other name does not compile.
struct ListedCode {
  consteval ListedCode(const char* name) : code(note_list) {  // NOLINT: converts a literal
    while (std::string_view(code->name) != name) ++code;
  }

  const NoteCode* code;
};

/// The place of a note's code in the list.
inline const NoteCode* place_of(const Note& note) {
  const NoteCode* code = note_list;
  while (code != std::end(note_list) && note.code != code->name) ++code;
  return code;
}

/// A note that a file has.
inline Note note_of(const std::string& code, std::string text) {
  Note note{code, Severity::warning, std::move(text)};
  const NoteCode* const listed = place_of(note);
  if (listed != std::end(note_list)) note.severity = listed->severity;
  return note;
}

inline Note make_note(ListedCode listed, std::string text) {
  return {listed.code->name, listed.code->severity, std::move(text)};
}

}  // namespace carom
