#include "host/families/spec_json.hpp"

#include "carom/version.hpp"
#include "host/families/dataset/shard_layout.hpp"

namespace carom {

using Json = nlohmann::ordered_json;

Json spec_json(const GridSpec& spec) {
  return {{"version", version()},
          {"family", family_json(spec.family)},
          {"nets", spec.nets},
          {"scenario", scenario_json(spec.family.base(), spec.sampling)}};
}

Json spec_json(const DatasetSpec& spec) {
  const DatasetContent& content = spec.content;
  Json json = {{"format", "carom dataset"},
               {"format_version", dataset_format_version},
               {"version", version()},
               {"members", spec.family.size()},
               {"family", family_json(spec.family)}};
  if (!spec.rolled) {
    json["outcomes"] = {{"per_problem", content.outcomes}, {"choice", choice_name(content.choice)},
                        {"modes", content.modes},          {"energies", content.energies},
                        {"impulses", content.impulses},    {"comparison", content.comparison}};
  }
  json["shards"] = {{"problems", spec.shard_problems}};
  json["split"] = {{"validation", spec.validation}, {"test", spec.test}};
  json["scenario"] = scenario_json(spec.family.base(), spec.sampling, spec.rolled);
  return json;
}

}  // namespace carom
