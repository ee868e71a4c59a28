#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "carom/dataset.hpp"
#include "carom/grid.hpp"
#include "host/base/field_error.hpp"
#include "host/families/family_reader.hpp"
#include "host/families/member_sampler.hpp"
#include "host/families/units.hpp"
#include "host/sampling/default_sampling.hpp"
#include "host/scenario/scenario_reader.hpp"

namespace carom {
namespace {

using Document = ScenarioDocument;

// Default number of trajectories per outcome: choices that spread outcomes over the set need more
// trajectories than they keep outcomes.
constexpr std::uint64_t candidates_per_outcome = 16;

/// Reads the keys of a table, or of the document's root, into their fields.
class Keys {
 public:
  Keys(const Document& document, const toml::table* table) : document_(document), table_(table) {}

  void operator()(const char* key, std::uint64_t& count) const {
    if (const toml::node* node = find(key)) {
      count = static_cast<std::uint64_t>(document_.integer(key, *node, 1));
    }
  }
  void operator()(const char* key, bool& value) const {
    if (const toml::node* node = find(key)) value = document_.truth(key, *node);
  }
  void operator()(const char* key, std::vector<std::string>& texts) const {
    if (const toml::node* node = find(key)) texts = document_.texts(key, *node);
  }
  void operator()(const char* key, double& share) const {
    if (const toml::node* node = find(key)) share = document_.number(key, *node);
  }
  void operator()(const char* key, OutcomeChoice& choice) const {
    if (const toml::node* node = find(key)) {
      choice = static_cast<OutcomeChoice>(document_.choice(key, *node, {"iid", "net", "farthest"}));
    }
  }

 private:
  const toml::node* find(const char* key) const {
    return table_ == nullptr ? nullptr : table_->get(key);
  }

  const Document& document_;
  const toml::table* table_;
};

/// A table that has only these keys.
Keys keys_of(const Document& document, const char* table, const std::vector<std::string>& keys) {
  const toml::table* found = document.table(table);
  if (found != nullptr) document.check_keys(*found, "[" + std::string(table) + "]", keys);
  return {document, found};
}

/// @param more keys of the document besides those of every family
FamilySpec read_family(const Document& document, const std::vector<std::string>& more) {
  std::vector<std::string> keys = family_keys();
  keys.insert(keys.end(), more.begin(), more.end());
  document.check_keys(document.root(), "", keys);
  const ProblemFamily family = read_problem_family(document);
  return {family, family.base().sampling};
}

/// Refuses what has no effect on rollouts.
void refuse_impacts(const Document& document) {
  const auto refuse = [&](const toml::node* node, const std::string& what) {
    if (node == nullptr) return;
    document.fail(node->source(), what +
                                      " is stated (must not be beside [roll]: it is for the "
                                      "outcomes of single impacts)");
  };
  refuse(document.table("outcomes"), "[outcomes]");
  if (const toml::table* sampling = document.table("sampling")) {
    for (const char* key : {"trajectories", "epsilon", "norm"}) refuse(sampling->get(key), key);
  }
}

template <class Spec>
Spec checked(const Document& document, Spec spec) {
  try {
    validate(spec);
  } catch (const FieldError& error) {
    document.fail_at(error.path(), error.what());
  }
  return spec;
}

}  // namespace

void resolve(FamilySpec& spec, const StageObserver& pilots) {
  constexpr std::uint64_t most_members = 16;
  const std::uint64_t size = spec.family.size();
  const std::uint64_t members = std::min(size, most_members);
  std::vector<ImpactProblem> problems;
  std::string refused;  // by the law
  for (std::uint64_t i = 0; i < members; ++i) {
    const std::uint64_t number = i * size / members;
    FamilyMember found = spec.family.member(number);
    if (!found.scenario) continue;
    std::string refusal = law_refusal(spec, number, found.scenario->problem);
    if (refusal.empty()) {
      problems.push_back(std::move(found.scenario->problem));
    } else if (refused.empty()) {
      refused = std::move(refusal);
    }
  }
  if (problems.empty()) {
    problems.push_back(spec.family.base().problem);
    if (!refused.empty() && !law_refusal(spec, 0, problems.front()).empty()) {
      throw InputError(fmt::format("{}: {}", spec.family.source(), refused));
    }
  }
  const Choice<double> impulse_step = spec.sampling.impulse_step;
  spec.sampling = resolved(spec.sampling, problems, pilots);
  spec.sampling.impulse_step =  // auto: each member has its own
      impulse_step.is_stated() ? impulse_step : Choice<double>();
}

void resolve(DatasetSpec& spec, const StageObserver& pilots) {
  if (!spec.rolled) resolve(static_cast<FamilySpec&>(spec), pilots);
}

GridSpec read_grid_spec(const std::filesystem::path& file, const StageObserver& pilots) {
  GridSpec spec = stated_grid_spec(file);
  resolve(spec, pilots);
  return spec;
}

DatasetSpec read_dataset_spec(const std::filesystem::path& file, const StageObserver& pilots) {
  DatasetSpec spec = stated_dataset_spec(file);
  resolve(spec, pilots);
  return spec;
}

GridSpec stated_grid_spec(const std::filesystem::path& file) {
  const Document document = open_document(file);
  GridSpec spec{read_family(document, {"nets", "ask"})};
  const Keys keys(document, &document.root());
  keys("nets", spec.nets);
  keys("ask", spec.ask);
  return checked(document, std::move(spec));
}

DatasetSpec stated_dataset_spec(const std::filesystem::path& file) {
  const Document document = open_document(file);
  DatasetSpec spec{read_family(document, {"outcomes", "shards", "split", "roll"})};
  spec.rolled = document.table("roll") != nullptr;
  DatasetContent& content = spec.content;
  const Keys outcomes =
      keys_of(document, "outcomes",
              {"per_problem", "choice", "modes", "energies", "impulses", "comparison"});
  outcomes("per_problem", content.outcomes);
  outcomes("choice", content.choice);
  outcomes("modes", content.modes);
  outcomes("energies", content.energies);
  outcomes("impulses", content.impulses);
  outcomes("comparison", content.comparison);
  const toml::table* sampling = document.table("sampling");
  if (spec.rolled) {
    refuse_impacts(document);
    spec.sampling = sampling_in_time(spec.family.base());
  } else if (sampling == nullptr || !sampling->contains("trajectories")) {
    const bool iid = content.choice == OutcomeChoice::iid;
    spec.sampling.trajectories = {};
    spec.sampling.trajectories.choose(content.outcomes * (iid ? 1 : candidates_per_outcome));
  }
  keys_of(document, "shards", {"problems"})("problems", spec.shard_problems);
  const Keys split = keys_of(document, "split", {"validation", "test"});
  split("validation", spec.validation);
  split("test", spec.test);
  return checked(document, std::move(spec));
}

}  // namespace carom
