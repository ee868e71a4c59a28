#include "carom/error.hpp"
#include "python/bindings/bindings.hpp"

namespace carom::python {

void bind_errors(nb::module_& module) {
  nb::exception<InputError>(module, "InputError", PyExc_ValueError).attr("__doc__") =
      "What was asked for cannot be done: the message names the argument, its value and the rule.";
  nb::exception<RunError>(module, "RunError", PyExc_RuntimeError).attr("__doc__") =
      "A valid request failed on this machine (disk full, device lost, ...).";
}

}  // namespace carom::python
