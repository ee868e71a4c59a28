#pragma once

#include <variant>

#include "kernels/laws/plus/plan.hpp"
#include "kernels/laws/propagative/plan.hpp"
#include "kernels/laws/sequential/plan.hpp"
#include "kernels/laws/set_valued/plan.hpp"
#include "kernels/laws/simultaneous/plan.hpp"
#include "kernels/trajectory/run_plan.hpp"

namespace carom {

/// The law of a run, with its data for every problem: the only list of laws in kernels/. Each law
/// has a with_law() in kernels/laws/program_list.hpp.
using LawPlan =
    std::variant<SetValuedPlan, SimultaneousPlan, SequentialPlan, PropagativePlan, PlusPlan>;

/// Calls visit(plan) with the plan that `law` holds.
template <class Visit, class... Plans>
void visit_plan(std::variant<Plans...>& law, Visit&& visit) {
  ((std::get_if<Plans>(&law) == nullptr ? void() : visit(*std::get_if<Plans>(&law))), ...);
}
template <class Visit, class... Plans>
void visit_plan(const std::variant<Plans...>& law, Visit&& visit) {
  ((std::get_if<Plans>(&law) == nullptr ? void() : visit(*std::get_if<Plans>(&law))), ...);
}

/// A run with its law.
struct SamplingPlan : RunPlan {
  LawPlan law;
};

}  // namespace carom
