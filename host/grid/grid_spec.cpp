#include <fmt/format.h>

#include "carom/grid.hpp"
#include "host/field_error.hpp"
#include "host/scenario/family_reader.hpp"
#include "host/scenario/scenario_reader.hpp"

namespace carom {

void validate(const GridSpec& spec) {
  validate(spec.sampling);
  if (spec.family.axes().empty()) {
    throw FieldError("axes", "axes is empty (a grid must have at least one axis)");
  }
  for (const FamilyAxis& axis : spec.family.axes()) {
    if (!axis.drawn()) continue;
    throw FieldError(
        "axes." + axis.paths.front(),
        fmt::format("{} is drawn (a grid's axis must have a count or values)", axis.paths.front()));
  }
  constexpr std::uint64_t most_ids = std::uint64_t{1} << 32;
  if (spec.family.size() > most_ids - spec.sampling.problem_id) {
    throw FieldError("sampling.problem_id",
                     fmt::format("problem_id is {} (with the {} states of the grid it must stay "
                                 "within 32 bits)",
                                 spec.sampling.problem_id, spec.family.size()));
  }
  if (spec.family.options().problems != 1) {
    throw FieldError("problems", fmt::format("problems is {} (must be 1 in a grid)",
                                             spec.family.options().problems));
  }
}

GridSpec read_grid_spec(const std::filesystem::path& file) {
  const ScenarioDocument document = open_document(file);
  std::vector<std::string> keys = ProblemFamilyReader::keys();
  keys.push_back("nets");
  document.check_keys(document.root(), "", keys);
  const ProblemFamily family = ProblemFamilyReader::read(document);
  GridSpec spec{family, family.base().sampling};
  if (const toml::node* nets = document.root().get("nets")) {
    spec.nets = document.truth("nets", *nets);
  }
  try {
    validate(spec);
  } catch (const FieldError& error) {
    document.fail_at(error.path(), error.what());
  }
  return spec;
}

}  // namespace carom
