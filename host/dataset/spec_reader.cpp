#include <fmt/format.h>

#include "carom/dataset.hpp"
#include "host/field_error.hpp"
#include "host/scenario/family_reader.hpp"
#include "host/scenario/scenario_reader.hpp"

namespace carom {
namespace {

using Document = ScenarioDocument;

// Trajectories per outcome where the specification states none: the choices that spread outcomes
// over the set need more than they keep.
constexpr std::uint64_t candidates_per_outcome = 16;

std::uint64_t read_count(const Document& document, const toml::table& table, const char* key,
                         std::uint64_t otherwise) {
  const toml::node* node = table.get(key);
  return node == nullptr ? otherwise : static_cast<std::uint64_t>(document.integer(key, *node, 1));
}

void read_truth(const Document& document, const toml::table& table, const char* key, bool& value) {
  if (const toml::node* node = table.get(key)) value = document.truth(key, *node);
}

DatasetContent read_content(const Document& document) {
  DatasetContent content;
  const toml::table* table = document.table("outcomes");
  if (table == nullptr) return content;
  document.check_keys(*table, "[outcomes]",
                      {"per_problem", "choice", "modes", "energies", "impulses", "comparison"});
  content.outcomes = read_count(document, *table, "per_problem", content.outcomes);
  if (const toml::node* choice = table->get("choice")) {
    content.choice =
        static_cast<OutcomeChoice>(document.choice("choice", *choice, {"iid", "net", "farthest"}));
  }
  read_truth(document, *table, "modes", content.modes);
  read_truth(document, *table, "energies", content.energies);
  read_truth(document, *table, "impulses", content.impulses);
  read_truth(document, *table, "comparison", content.comparison);
  return content;
}

DatasetSpec read(const Document& document) {
  std::vector<std::string> keys = ProblemFamilyReader::keys();
  keys.insert(keys.end(), {"outcomes", "shards", "split"});
  document.check_keys(document.root(), "", keys);
  const ProblemFamily family = ProblemFamilyReader::read(document);
  DatasetSpec spec{family, family.base().sampling};
  spec.content = read_content(document);
  const toml::table* sampling = document.table("sampling");
  if (sampling == nullptr || !sampling->contains("trajectories")) {
    const bool iid = spec.content.choice == OutcomeChoice::iid;
    spec.sampling.trajectories = spec.content.outcomes * (iid ? 1 : candidates_per_outcome);
  }
  if (const toml::table* shards = document.table("shards")) {
    document.check_keys(*shards, "[shards]", {"problems"});
    spec.shard_problems = read_count(document, *shards, "problems", spec.shard_problems);
  }
  if (const toml::table* split = document.table("split")) {
    document.check_keys(*split, "[split]", {"validation", "test"});
    for (const auto& [key, node] : *split) {
      double& share = key == "validation" ? spec.validation : spec.test;
      share = document.number(std::string(key.str()), node);
    }
  }
  try {
    validate(spec);
  } catch (const FieldError& error) {
    document.fail_at(error.path(), error.what());
  }
  return spec;
}

}  // namespace

DatasetSpec read_dataset_spec(const std::filesystem::path& file) {
  return read(open_document(file));
}

}  // namespace carom
