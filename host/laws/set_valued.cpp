#include "host/laws/set_valued.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "host/caps_plan.hpp"
#include "host/pivot_tree_store.hpp"
#include "host/solutions/mode_table.hpp"
#include "host/solutions/pilot_table.hpp"

namespace carom {
namespace {

struct SetValuedMemory : LawMemory {
  CapsPlan caps;
  std::vector<std::unique_ptr<ModeTable>> mode_tables;  ///< per problem
  std::vector<ModeTableView> mode_views;
  std::optional<PivotTreeStore> trees;

  void add_table(std::unique_ptr<ModeTable> modes) {
    mode_views.push_back(modes->view());
    mode_tables.push_back(std::move(modes));
  }
};

}  // namespace

law::SetValued LawEntry<law::SetValued>::independent(const law::SetValued& law) {
  const CapsDistribution& caps = law.caps;
  CapsDistribution independent;
  independent.components.clear();
  for (const CapsComponent& component : caps.components) {
    CapsComponent drawn = component;
    if (component.kind == CapsKind::sobol) {
      drawn = CapsComponent{};
      drawn.weight = component.weight;
    }
    const auto same = std::find_if(
        independent.components.begin(), independent.components.end(), [&](const auto& other) {
          return drawn.kind == CapsKind::uniform && other.kind == CapsKind::uniform;
        });
    if (caps.uses(CapsKind::sobol) && same != independent.components.end()) {
      same->weight += drawn.weight;  // say "uniform" once
    } else {
      independent.components.push_back(std::move(drawn));
    }
  }
  return {independent, law.solutions};
}

std::unique_ptr<LawMemory> LawEntry<law::SetValued>::plan(const law::SetValued& law,
                                                          std::span<const ImpactProblem> problems,
                                                          const SamplingOptions& options,
                                                          SamplingPlan& plan) {
  auto memory = std::make_unique<SetValuedMemory>();
  SetValuedPlan& own = plan.law.emplace<SetValuedPlan>();
  own.solutions = law.solutions;
  memory->caps = plan_caps(law.caps, plan.shape.contacts, options.max_steps);
  own.caps = memory->caps.view();
  if (law.solutions == Solutions::all) {
    constexpr bool capped = true;
    for (const ImpactProblem& problem : problems) {
      memory->add_table(std::make_unique<ModeTable>(problem, capped));
    }
  } else if (law.solutions == Solutions::table) {
    for (std::size_t i = 0; i < problems.size(); ++i) {
      SamplingPlan of_one = plan;
      of_one.problems += i * plan.stride;
      of_one.first_problem += static_cast<std::uint32_t>(i);
      TableInfo info;
      memory->add_table(find_pilot_table(problems[i], of_one, info));
      if (i == 0) memory->table = info;
    }
  }
  if (!memory->mode_views.empty()) own.modes = memory->mode_views.data();
  memory->trees.emplace(plan, problems.size(), options.trajectories);
  own.trees = memory->trees->trees();
  return memory;
}

}  // namespace carom
