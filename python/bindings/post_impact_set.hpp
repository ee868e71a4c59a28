#pragma once

#include <optional>
#include <string>

#include "carom/post_impact_set.hpp"
#include "carom/scenario.hpp"

namespace carom::python {

/// A set with the scenario that it is of: names and options that its parts do not repeat.
struct NamedSet {
  Scenario scenario;
  PostImpactSet set;
};

}  // namespace carom::python
