#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "carom/summary.hpp"

// What samples and explorations have in common: outcomes that were found.

namespace carom::python {

namespace nb = nanobind;

/// (least, greatest), or None where nothing was counted.
inline nb::object range_of(const Range& range) {
  if (range.empty()) return nb::none();
  return nb::make_tuple(range.least, range.greatest);
}

inline nb::list list_of(const std::vector<Range>& ranges) {
  nb::list list;
  for (const Range& range : ranges) list.append(range_of(range));
  return list;
}

/// Adds the properties `energy`, `normal_velocity` and `tangential_velocity`.
/// @param of returns the OutcomeRanges of an object
/// @param whose of what they are ranges
template <class Self, class Of>
void def_ranges(nb::class_<Self>& bound, const Of& of, const std::string& whose) {
  bound.def_prop_ro(
      "energy", [of](const Self& self) { return range_of(of(self).energy); },
      nb::sig("def energy(self) -> tuple[float, float] | None"),
      ("(least, greatest) of " + whose + ", J").c_str());
  bound.def_prop_ro(
      "normal_velocity", [of](const Self& self) { return list_of(of(self).normal_velocity); },
      nb::sig("def normal_velocity(self) -> list[tuple[float, float] | None]"),
      ("(least, greatest) of each contact among " + whose + ", m/s or rad/s").c_str());
  bound.def_prop_ro(
      "tangential_velocity",
      [of](const Self& self) { return list_of(of(self).tangential_velocity); },
      nb::sig("def tangential_velocity(self) -> list[tuple[float, float] | None]"),
      ("(least, greatest) of each tangent row among " + whose + ", m/s").c_str());
}

/// A SampledSet of an object, by a function of carom/sets.py, which documents the geometry.
inline nb::object sampled(nb::handle object, const char* maker) {
  return nb::module_::import_("carom.sets").attr(maker)(object);
}

/// Adds the geometry of the outcomes.
/// @param maker see sampled()
template <class Self>
void def_geometry(nb::class_<Self>& bound, const char* maker) {
  const auto sampled = [maker](nb::handle self) { return python::sampled(self, maker); };
  bound.def_prop_ro("sampled", sampled, nb::sig("def sampled(self) -> carom.sets.SampledSet"),
                    "every outcome that this object holds, as a SampledSet");
  bound.def_prop_ro(
      "dimension",
      [sampled](nb::handle self) -> nb::object { return sampled(self).attr("dimension"); },
      nb::sig("def dimension(self) -> int"), "of the outcomes' affine hull");
  bound.def(
      "hull", [sampled](nb::handle self) { return sampled(self).attr("hull")(); },
      nb::sig("def hull(self) -> carom.sets.Hull"),
      "The convex hull of the outcomes that were found.");
  bound.def(
      "zonotope", [sampled](nb::handle self) { return sampled(self).attr("zonotope")(); },
      nb::sig("def zonotope(self) -> carom.sets.Zonotope"),
      "A zonotope around the outcomes that were found; no bound of those that were not.");
  bound.def(
      "support",
      [sampled](nb::handle self, nb::object directions) {
        return sampled(self).attr("support")(directions);
      },
      nb::arg("directions"),
      nb::sig("def support(self, directions: numpy.typing.ArrayLike) -> typing.Any"),
      "The greatest product of a direction (nv,) or of each of (k, nv) with an outcome found.");
}

}  // namespace carom::python
