#include "carom/coupling.hpp"

#include <nanobind/stl/vector.h>

#include "python/bindings/arrays.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

nb::dict coupling_of(nb::handle subject) {
  const Coupling found = coupling(read_subject(subject).problem);
  nb::dict entry;
  entry["normal"] = own(RowMatrix(found.normal));
  entry["contact"] = own(RowMatrix(found.contact));
  entry["groups"] = found.groups;
  entry["verdict"] = verdict_name(found.verdict);
  entry["jump"] = found.jump;
  entry["jump_pair"] =
      found.jump == 0.0 ? nb::object(nb::none()) : nb::make_tuple(found.first, found.second);
  entry["all_orders"] = found.all_orders;
  return entry;
}

}  // namespace

void bind_coupling(nb::module_& module) { module.def("coupling", &coupling_of, "problem"_a); }

}  // namespace carom::python
