#include <stdexcept>

#include "carom/error.hpp"
#include "python/bindings/bindings.hpp"

namespace carom::python {

void bind_errors(nb::module_& module) {
  nb::exception<InputError>(module, "InputError", PyExc_ValueError).attr("__doc__") =
      "What was asked for cannot be done: the message names the argument, its value and the rule.";
  nb::exception<RunError>(module, "RunError", PyExc_RuntimeError).attr("__doc__") =
      "A valid request failed on this machine (disk full, device lost, ...).";
  // More than a vector can ever hold; nanobind makes a ValueError of it.
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::length_error&) {
      PyErr_SetString(PyExc_MemoryError, "out of memory");
    }
  });
}

}  // namespace carom::python
