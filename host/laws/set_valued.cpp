#include "host/laws/set_valued.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "host/base/field_error.hpp"
#include "host/laws/law_list.hpp"
#include "host/laws/set_valued/caps_plan.hpp"
#include "host/laws/set_valued/pilot_table.hpp"
#include "host/laws/set_valued/pivot_tree_store.hpp"
#include "host/laws/set_valued/solution_method.hpp"
#include "host/modes/mode_table.hpp"

namespace carom {
namespace {

struct SetValuedMemory : LawMemory {
  CapsPlan caps;
  ModeTables modes;  ///< per problem
  std::optional<PivotTreeStore> trees;
  std::vector<double> restitution;  ///< per problem and contact
};

/// @param choose gives the method by which Solutions::all finds the problems' solutions
template <class Choose>
std::unique_ptr<LawMemory> plan_by(const Choose& choose, const law::SetValued& law,
                                   std::span<const ImpactProblem> problems,
                                   const SamplingOptions& options, SamplingPlan& plan) {
  auto memory = std::make_unique<SetValuedMemory>();
  SetValuedPlan& own = plan.law.emplace<SetValuedPlan>();
  own.solutions = law.solutions;
  own.method = law.solutions == Solutions::all ? choose(problems) : SolutionMethod::modes;
  memory->caps = plan_caps(law.caps, plan.shape.contacts, options.max_steps);
  own.caps = memory->caps.view();
  if (own.finds_all_by(SolutionMethod::modes)) {
    constexpr bool capped = true;
    for (const ImpactProblem& problem : problems) {
      memory->modes.add(std::make_unique<ModeTable>(problem, capped, *options.trajectories));
    }
  } else if (law.solutions == Solutions::table) {
    for (std::size_t i = 0; i < problems.size(); ++i) {
      SamplingPlan of_one = plan;
      of_one.problems += i * plan.stride;
      of_one.first_problem += static_cast<std::uint32_t>(i);
      TableInfo info;
      memory->modes.add(find_pilot_table(problems[i], of_one, info));
      if (i == 0) memory->table = info;
    }
  }
  own.modes = memory->modes.views();
  if (std::ranges::any_of(problems, has_restitution)) {
    for (const ImpactProblem& problem : problems) {
      const Eigen::VectorXd all = *restitution_of(problem, law);
      memory->restitution.insert(memory->restitution.end(), all.begin(), all.end());
    }
    own.restitution = memory->restitution.data();
    own.capture_speed = law.v_capture;
    return memory;
  }
  memory->trees.emplace(plan, problems.size(), options.trajectories);
  own.trees = memory->trees->trees();
  return memory;
}

}  // namespace

void LawEntry<law::SetValued>::check_capture_speed(double speed) {
  if (speed >= 0.0 && std::isfinite(speed)) return;
  throw FieldError("law.v_capture",
                   fmt::format("v_capture is {} (must be >= 0 and finite, in m/s)", speed));
}

law::SetValued LawEntry<law::SetValued>::of_contacts(law::SetValued law,
                                                     std::span<const int> contacts) {
  if (!law.caps.has_value() || !law.caps->uses(CapsKind::weighted)) return law;
  CapsDistribution caps = *law.caps;
  for (CapsComponent& component : caps.components) {
    if (component.kind == CapsKind::weighted) component.scale = entries(component.scale, contacts);
  }
  law.caps = std::move(caps);
  return law;
}

law::SetValued LawEntry<law::SetValued>::independent(const law::SetValued& law) {
  const CapsDistribution& caps = *law.caps;
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
      same->weight += drawn.weight;  // lists "uniform" once
    } else {
      independent.components.push_back(std::move(drawn));
    }
  }
  return {independent, law.solutions, law.v_capture};
}

std::unique_ptr<LawMemory> LawEntry<law::SetValued>::plan(const law::SetValued& law,
                                                          std::span<const ImpactProblem> problems,
                                                          const SamplingOptions& options,
                                                          SamplingPlan& plan) {
  return plan_by(choose_solution_method, law, problems, options, plan);
}

std::unique_ptr<LawMemory> LawEntry<law::SetValued>::plan_one(const law::SetValued& law,
                                                              const ImpactProblem& problem,
                                                              const SamplingOptions& options,
                                                              SamplingPlan& plan) {
  const auto method = [](std::span<const ImpactProblem> one) {
    return solution_method_of_one(one.front());
  };
  return plan_by(method, law, {&problem, 1}, options, plan);
}

}  // namespace carom
