#pragma once

#include "carom/roll.hpp"

namespace carom {

/// The nets of the states of at least two whole rollouts.
Tube tube_of(const RolledSystem& system, const RollOptions& options, const Rollouts& rollouts);

}  // namespace carom
