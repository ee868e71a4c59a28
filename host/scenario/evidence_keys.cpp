#include "host/scenario/evidence_keys.hpp"

#include <climits>

#include "host/scenario/scenario_keys.hpp"

namespace carom {
namespace {

using Document = ScenarioDocument;
using Node = toml::node;

/// One key of [evidence]: its name, and how its value enters the options.
struct EvidenceKey {
  const char* name;
  void (*read)(const Document& document, const Node& node, EvidenceOptions& options);
};

std::uint64_t read_count(const Document& document, const char* key, const Node& node) {
  return static_cast<std::uint64_t>(document.integer(key, node, 0));
}

// Ranges that concern more than the type are left to validate(EvidenceOptions).
constexpr EvidenceKey keys[] = {
    {"hold_out", [](const Document& d, const Node& n,
                    EvidenceOptions& o) { o.hold_out = read_count(d, "hold_out", n); }},
    {"confidence", [](const Document& d, const Node& n,
                      EvidenceOptions& o) { o.confidence = d.number("confidence", n); }},
    {"miss",
     [](const Document& d, const Node& n, EvidenceOptions& o) { o.miss = d.number("miss", n); }},
    {"max_trajectories",
     [](const Document& d, const Node& n, EvidenceOptions& o) {
       o.max_trajectories = read_count(d, "max_trajectories", n);
     }},
    {"max_seconds", [](const Document& d, const Node& n,
                       EvidenceOptions& o) { o.max_seconds = d.number("max_seconds", n); }},
    {"net_size", [](const Document& d, const Node& n,
                    EvidenceOptions& o) { o.net_size = read_count(d, "net_size", n); }},
    {"seek_extremes",
     [](const Document& d, const Node& n, EvidenceOptions& o) {
       o.seek_extremes = static_cast<int>(d.integer("seek_extremes", n, -1, INT_MAX));
     }},
    {"verify_net", [](const Document& d, const Node& n,
                      EvidenceOptions& o) { o.verify_net = d.truth("verify_net", n); }},
    {"comparison", [](const Document& d, const Node& n,
                      EvidenceOptions& o) { o.comparison = d.truth("comparison", n); }},
};

}  // namespace

const std::vector<std::string>& evidence_keys() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const EvidenceKey& key : keys) list.emplace_back(key.name);
    return list;
  }();
  return names;
}

void read_evidence(const ScenarioDocument& document, Scenario& scenario) {
  const toml::table* table = document.table("evidence");
  if (table == nullptr) return;
  check_keys(document, *table, "[evidence]", evidence_keys());
  for (const EvidenceKey& key : keys) {
    const toml::node* node = table->get(key.name);
    if (node != nullptr) key.read(document, *node, scenario.evidence);
  }
}

}  // namespace carom
