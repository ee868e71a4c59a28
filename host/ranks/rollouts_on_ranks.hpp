#pragma once

#include "carom/roll_io.hpp"
#include "host/ranks/crew.hpp"

namespace carom {

/// The task of each rank: its share of some rollouts.
Tasks::value_type rollouts_task(const Place& place);

/// Moves a scenario's rollouts on all ranks of a crew. A signal to any rank stops them.
RollPart rollouts_on_ranks(Crew& crew, const Scenario& scenario);

}  // namespace carom
