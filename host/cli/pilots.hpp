#pragma once

#include "carom/stage_observer.hpp"

namespace carom::cli {

/// Shows the pilots of resolve() on standard error: by a bar where that is a terminal, else by a
/// line that says how long they take, if that is long.
StageObserver shown_pilots(bool quiet);

}  // namespace carom::cli
