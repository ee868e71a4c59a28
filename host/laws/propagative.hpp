#pragma once

#include "host/laws/law_entry.hpp"

namespace carom {

template <>
struct LawEntry<law::Propagative> : LawDefaults {
  static constexpr const char* name = "propagative";
  static constexpr bool steps_by_cones = false;
  static constexpr std::optional<double> restitution = 1.0;
  static constexpr StepKind step = StepKind::impact;
  static constexpr int max_steps = 100'000;

  template <class AnyLaw, class Visit>
  static void for_each_option(AnyLaw& law, const Visit& visit) {
    visit(OptionInfo{"plastic", "unilateral|projection",
                     "the outcome of restitution 0, for law propagative: contacts only push, or "
                     "may pull"},
          law.plastic);
  }
  static bool counts_solutions(const law::Propagative&) { return false; }
  static void check_problem(const law::Propagative&, const ImpactProblem& problem);
  static ProblemShape shape(const ProblemShape& shape) {
    return {shape.contacts, shape.velocities, 0, 0};
  }
  static std::unique_ptr<LawMemory> plan(const law::Propagative& law,
                                         std::span<const ImpactProblem> problems,
                                         const SamplingOptions& options, SamplingPlan& plan);
};

}  // namespace carom
