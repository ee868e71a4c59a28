#pragma once

#include <utility>
#include <vector>

#include "carom/extremes.hpp"
#include "python/bindings/arrays.hpp"

namespace carom::python {

/// [{"name", "direction", "found_low", "found_high"}], as in reports.
inline nb::list direction_dicts(std::vector<OutputEnds> ends) {
  nb::list list;
  for (OutputEnds& one : ends) {
    nb::dict entry;
    entry["name"] = one.name;
    const std::size_t size = one.direction.size();
    entry["direction"] = own(std::move(one.direction), {size});
    entry["found_low"] = one.found_low;
    entry["found_high"] = one.found_high;
    list.append(entry);
  }
  return list;
}

}  // namespace carom::python
