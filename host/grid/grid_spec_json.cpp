#include "host/grid/grid_spec_json.hpp"

#include "carom/version.hpp"
#include "host/scenario/family_json.hpp"

namespace carom {

nlohmann::ordered_json spec_json(const GridSpec& spec) {
  return {{"version", version()},
          {"family", family_json(spec.family)},
          {"nets", spec.nets},
          {"scenario", scenario_json(spec.family.base(), spec.sampling)}};
}

std::string spec_id(const GridSpec& spec) { return json_id(spec_json(spec)); }

}  // namespace carom
