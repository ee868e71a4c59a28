#pragma once

#include <functional>
#include <utility>

#include "carom/error.hpp"
#include "python/bindings/bindings.hpp"

namespace carom::python {

/// Runs a long computation without the interpreter's lock. `work` is given a function to ask after
/// every part: true where Ctrl-C, or a signal handler that raises, wants the call to end. What was
/// raised then leaves this call.
template <class Work>
auto long_call(Work&& work) {
  bool raised = false;
  const std::function<bool()> stop = [&raised] {
    if (raised) return true;
    const nb::gil_scoped_acquire locked;
    raised = PyErr_CheckSignals() != 0;
    return raised;
  };
  auto result = [&] {
    const nb::gil_scoped_release unlocked;
    try {
      return std::forward<Work>(work)(stop);
    } catch (const RunError&) {
      if (!raised) throw;
    }
    const nb::gil_scoped_acquire locked;
    throw nb::python_error();  // what was raised ended the work
  }();
  if (raised) throw nb::python_error();
  return result;
}

/// Whether to tell the progress, as an argument that must be a bool says.
bool shows_progress(nb::handle progress);

}  // namespace carom::python
