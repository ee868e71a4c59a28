#include "python/bindings/long_call.hpp"

#include <unistd.h>

namespace carom::python {

bool shows_progress(nb::handle progress) {
  return progress.is_none() ? isatty(STDERR_FILENO) != 0 : nb::cast<bool>(progress);
}

}  // namespace carom::python
