#include "host/cli/report_verdict.hpp"

#include "host/cli/report.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

const char* meaning(PropagativeVerdict::Kind kind) {
  switch (kind) {
    case PropagativeVerdict::Kind::orthogonal:
      return "any order gives one outcome, each contact at most once";
    case PropagativeVerdict::Kind::three_stage:
      return "both orders give one outcome, in at most three impacts";
    case PropagativeVerdict::Kind::reflection_group:
      return "any order gives one outcome, in equally many impacts";
    case PropagativeVerdict::Kind::not_guaranteed:
      break;
  }
  return "the outcome may depend on the order";
}

}  // namespace

std::string verdict_text(const PropagativeVerdict& verdict) {
  std::string text = std::string(kind_name(verdict.kind)) + ": " + meaning(verdict.kind);
  if (!verdict.separating_velocity) {
    text += "; no velocity separates all contacts, so impacts may never end";
  }
  return line("propagative", text);
}

nlohmann::ordered_json verdict_json(const PropagativeVerdict& verdict) {
  nlohmann::ordered_json separating;
  if (verdict.separating_velocity) separating = vector_json(*verdict.separating_velocity);
  return {
      {"kind", kind_name(verdict.kind)},     {"pointed", verdict.separating_velocity.has_value()},
      {"separating_velocity", separating},   {"inner_products", rows_json(verdict.inner_products)},
      {"stages", rows_json(verdict.stages)}, {"bounds", rows_json(verdict.bounds)}};
}

}  // namespace carom::cli
