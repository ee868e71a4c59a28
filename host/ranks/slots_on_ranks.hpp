#pragma once

#include "carom/scenario.hpp"
#include "host/explore/slot_runner.hpp"
#include "host/ranks/crew.hpp"

namespace carom {

/// The task of each rank: its share of a round's slots.
Tasks::value_type slots_task(const Place& place);

/// Distributes the slots of an exploration to all ranks of a crew, which need to know nothing but
/// where each slot starts: rank 0 has the islands, and merges the paths. A signal to any rank stops
/// the search.
RunSlots slots_on_ranks(Crew& crew, const Scenario& scenario);

}  // namespace carom
