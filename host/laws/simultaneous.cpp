#include "host/laws/simultaneous.hpp"

#include <vector>

#include "host/solutions/mode_table.hpp"

namespace carom {
namespace {

struct SimultaneousMemory : LawMemory {
  std::vector<std::unique_ptr<ModeTable>> mode_tables;  ///< per problem
  std::vector<ModeTableView> mode_views;
};

}  // namespace

std::unique_ptr<LawMemory> LawEntry<law::Simultaneous>::plan(
    const law::Simultaneous&, std::span<const ImpactProblem> problems, const SamplingOptions&,
    SamplingPlan& plan) {
  constexpr bool capped = false;
  auto memory = std::make_unique<SimultaneousMemory>();
  for (const ImpactProblem& problem : problems) {
    memory->mode_tables.push_back(std::make_unique<ModeTable>(problem, capped));
    memory->mode_views.push_back(memory->mode_tables.back()->view());
  }
  plan.law = SimultaneousPlan{memory->mode_views.data()};
  return memory;
}

}  // namespace carom
