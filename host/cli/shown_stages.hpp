#pragma once

#include "carom/stage_observer.hpp"

namespace carom::cli {

/// Shows long stages, as the pilots of resolve(), on standard error: by a bar where that is a
/// terminal, else by lines now and then (carom/progress_bar.hpp).
StageObserver shown_stages(bool quiet);

}  // namespace carom::cli
