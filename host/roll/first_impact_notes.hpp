#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "host/base/nearest_name.hpp"
#include "host/base/note_list.hpp"

namespace carom {

/// The note on when an impact of a motion is.
/// @param time s, after the start
inline Note note_on_first_impact(double time) {
  return make_note("first_impact",
                   fmt::format("the impact is the first one of the motion, {:.6g} s "
                               "after its start",
                               time));
}

/// The note on contacts that collide at the time of a first impact, of bodies that do not touch its
/// bodies.
inline Note note_on_other_impacts(const std::vector<std::string>& contacts) {
  return make_note(
      "other_impacts",
      fmt::format("these contacts collide at the same time, in impacts of their own, since their "
                  "bodies do not touch those of this impact: {}; outcomes leave the velocities of "
                  "these bodies unchanged",
                  first_names(contacts)));
}

}  // namespace carom
