#include "host/families/spec_json.hpp"

#include "carom/version.hpp"
#include "host/families/dataset/shard_layout.hpp"
#include "host/families/grid/state_answers.hpp"
#include "host/options/option_list.hpp"
#include "host/options/option_text.hpp"

namespace carom {

using Json = nlohmann::ordered_json;

Json spec_json(const GridSpec& spec) {
  Json json = {{"version", version()}, {"family", family_json(spec.family)}, {"nets", spec.nets}};
  const Scenario& base = spec.family.base();
  json["scenario"] = scenario_json(base, spec.sampling);
  if (spec.ask.empty()) return json;  // as files that are older
  const Outputs asked = asked_outputs(spec, base.problem, base.evidence.outputs);
  for (const Question& question : asked.questions) {  // names may stand for other rows
    const Eigen::VectorXd row = asked.matrix.row(static_cast<Eigen::Index>(question.output));
    json["ask"].push_back(
        {{"question", question.text}, {"row", std::vector<double>(row.begin(), row.end())}});
  }
  const BoundOptions options = bound_options(spec);
  const auto add = [&](const OptionInfo& info, const auto& value) {
    json["bound"][info.name] = option_text(info, value);
  };
  for_each_option(add, options);
  return json;
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
