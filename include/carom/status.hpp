#pragma once

#include <cstdint>

namespace carom {

/// How a trajectory ended. The numbers are those of `/samples/status` in a result file.
enum class Status : std::uint8_t {
  separated = 0,    ///< no contact approaches any more: the velocity is an outcome
  step_limit = 1,   ///< dropped: still colliding after the last step (Algorithm 2)
  ray = 2,          ///< failed: Lemke's method ended on a secondary ray
  pivot_limit = 3,  ///< failed: Lemke's method needed too many pivots
  residual = 4,     ///< failed: a solution did not pass the complementarity check
  no_solution = 5,  ///< failed: an interval of the PLUS law has no impulse by its rules
  no_progress = 6,  ///< failed: a round of the PLUS law has no impulse, but a contact approaches
  bad_input = 7,    ///< not a trajectory: ImpactLaw's problem breaks a rule; its velocity stays
};

/// Number of statuses that a trajectory can end with: those of counts and files.
inline constexpr int status_count = 7;

/// Name of a status as written in files and tables.
constexpr const char* status_name(Status status) {
  constexpr const char* names[status_count + 1] = {"separated",   "step_limit", "ray",
                                                   "pivot_limit", "residual",   "no_solution",
                                                   "no_progress", "bad_input"};
  return names[static_cast<int>(status)];
}

}  // namespace carom
