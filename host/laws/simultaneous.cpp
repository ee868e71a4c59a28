#include "host/laws/simultaneous.hpp"

#include "host/modes/mode_table.hpp"

namespace carom {
namespace {

struct SimultaneousMemory : LawMemory {
  ModeTables modes;  ///< per problem
};

}  // namespace

std::unique_ptr<LawMemory> LawEntry<law::Simultaneous>::plan(
    const law::Simultaneous&, std::span<const ImpactProblem> problems, const SamplingOptions&,
    SamplingPlan& plan) {
  constexpr bool capped = false;
  auto memory = std::make_unique<SimultaneousMemory>();
  for (const ImpactProblem& problem : problems) {
    memory->modes.add(std::make_unique<ModeTable>(problem, capped));
  }
  plan.law = SimultaneousPlan{memory->modes.views()};
  return memory;
}

}  // namespace carom
