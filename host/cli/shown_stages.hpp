#pragma once

#include "carom/stage_observer.hpp"

namespace carom::cli {

/// Shows long stages, as the pilots of resolve(), on standard error: by a bar where that is a
/// terminal, else by a line that says how long a stage takes, if that is long.
StageObserver shown_stages(bool quiet);

}  // namespace carom::cli
