#include "python/bindings/long_call.hpp"

#include "carom/error.hpp"

namespace carom::python {

bool shows_progress(nb::handle progress) {
  if (!nb::isinstance<nb::bool_>(progress)) {
    throw InputError("progress must be True or False");
  }
  return nb::cast<bool>(progress);
}

}  // namespace carom::python
