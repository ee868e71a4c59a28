#include "python/bindings/long_call.hpp"

#include <unistd.h>

#include "carom/error.hpp"

namespace carom::python {

bool shows_progress(nb::handle progress) {
  if (progress.is_none()) return isatty(STDERR_FILENO) != 0;
  if (!nb::isinstance<nb::bool_>(progress)) {
    throw InputError("progress must be True, False or None");
  }
  return nb::cast<bool>(progress);
}

}  // namespace carom::python
