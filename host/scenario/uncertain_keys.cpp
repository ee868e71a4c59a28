#include "host/scenario/uncertain_keys.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "carom/error.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_text.hpp"
#include "host/options/uncertain_text.hpp"

namespace carom {
namespace {

bool has_distribution(const toml::node& node) {
  if (node.is_table()) return true;
  const toml::array* const array = node.as_array();
  return array != nullptr &&
         std::any_of(array->begin(), array->end(), [](const auto& one) { return one.is_table(); });
}

/// Refuses numbers of a key of [problem] by the rules of the law's option that they replace.
void check_numbers(const ScenarioDocument& document, const std::string& key, const toml::node& node,
                   const std::vector<Uncertain>& numbers, const Law& law) {
  Law alone = std::visit([]<class Any>(const Any&) -> Law { return Any{}; }, law);
  *replacement_of(alone, key) = numbers;
  try {
    validate(alone, std::nullopt);
  } catch (const InputError& error) {
    // "e_min.max is 2 (must be ...)"
    const std::string text = error.what();
    const std::size_t end = std::min(text.find_first_of(". "), text.size());
    document.fail(node.source(), key + text.substr(end));
  }
}

}  // namespace

Uncertain read_uncertain(const ScenarioDocument& document, const std::string& key,
                         const toml::node& node) {
  const toml::table* const table = node.as_table();
  if (table == nullptr) return document.number(key, node);
  std::vector<std::pair<std::string, double>> entries;
  for (const auto& [name, value] : *table) {
    const std::string own(name.str());
    entries.emplace_back(own, document.number(key + "." + own, value));
  }
  if (entries.size() != 2) {
    document.fail(node.source(),
                  key +
                      " is a table (must be a number, {min = ..., max = ...} or {mean = ..., "
                      "deviation = ...})");
  }
  try {
    return distribution(key, entries[0], entries[1]);
  } catch (const InputError& error) {
    document.fail(node.source(), error.what());
  }
}

std::vector<Uncertain> read_uncertain_list(const ScenarioDocument& document, const std::string& key,
                                           const toml::node& node) {
  if (node.is_string() && node.value<std::string>() == auto_word) return {};
  if (node.is_number() || node.is_table()) return {read_uncertain(document, key, node)};
  if (!has_distribution(node)) {
    const Eigen::VectorXd numbers = document.vector(key, node);
    return {numbers.begin(), numbers.end()};
  }
  std::vector<Uncertain> list;
  for (const toml::node& entry : *node.as_array()) {
    list.push_back(read_uncertain(document, "an entry of " + key, entry));
  }
  return list;
}

Eigen::VectorXd read_middles(const ScenarioDocument& document, const std::string& key,
                             const toml::node& node, Eigen::Index size, bool one_for_all) {
  if (!node.is_number() && !node.is_table() && !node.is_array() && !node.is_string()) {
    document.fail_type(key, node, "a number or an array of numbers");
  }
  if (!one_for_all && !node.is_array()) return document.vector(key, node);
  if (node.is_string()) return document.vector(key, node);
  const std::vector<Uncertain> list = read_uncertain_list(document, key, node);
  if (one_for_all && !node.is_array()) return Eigen::VectorXd::Constant(size, list[0].middle());
  Eigen::VectorXd middles(static_cast<Eigen::Index>(list.size()));
  std::ranges::transform(list, middles.begin(), &Uncertain::middle);
  return middles;
}

void share_draws(const ScenarioDocument& document, Scenario& scenario) {
  Law& law = scenario.sampling.law;
  const toml::table* const problem = document.table("problem");
  for (const char* key : {"friction", "restitution", "pre_impact_velocity"}) {
    const toml::node* const node = problem == nullptr ? nullptr : problem->get(key);
    if (node == nullptr || !has_distribution(*node)) continue;
    std::vector<Uncertain>* const own = replacement_of(law, key);
    if (own == nullptr) {
      document.fail(node->source(),
                    fmt::format("{} is a distribution (must be numbers with the [law] of the "
                                "scenario, {}, which draws none; a family of problems varies "
                                "them with any law)",
                                key, law_name(law)));
    }
    if (!own->empty()) {
      document.fail(node->source(), fmt::format("{} is a distribution, and [law] replaces it "
                                                "(must be in one of [law] and [problem])",
                                                key));
    }
    *own = read_uncertain_list(document, key, *node);
    check_numbers(document, key, *node, *own, law);
  }
  replace_in(scenario.problem, law);
}

}  // namespace carom
