#pragma once

#include "host/laws/law_entry.hpp"
#include "host/laws/set_valued/solution_method.hpp"

namespace carom {

template <>
struct LawEntry<law::SetValued> : LawDefaults {
  static constexpr const char* name = "set_valued";
  static constexpr bool has_impulse_step = true;
  static constexpr bool has_scripts = true;
  static constexpr std::optional<double> restitution = 0.0;

  template <class AnyLaw, class Visit>
  static void for_each_option(AnyLaw& law, const Visit& visit) {
    visit(OptionInfo{"caps", "CAPS|auto",
                     "law of the caps: uniform, simplex, corners:POWER, early_corners:POWER, "
                     "weighted:s1,s2,..., sobol, or a mixture: 0.7*uniform + 0.3*corners:4; auto = "
                     "early_corners by contacts, of the paper's systems uniform"},
          law.caps);
    visit(OptionInfo{"solutions", "auto|all|first|cover|table",
                     "of a step with several: one of all, Lemke's first, Lemke's by a random "
                     "cover, or the one most frequent in a pilot run; auto = all, in time cover"},
          law.solutions);
    visit(OptionInfo{.name = "v_capture",
                     .argument = "SPEED",
                     .help = "a contact that approached slower has no restitution, in m/s",
                     .sign = OptionInfo::Sign::not_negative,
                     .unit = "m/s"},
          law.v_capture);
  }
  /// Solutions where each problem has one trajectory, in time and in the worlds of a simulator:
  /// Lemke's, since finding all costs many times as much, by random covering vectors, since one
  /// vector would leave out outcomes.
  static constexpr Solutions solutions_in_time = Solutions::cover;
  static void choose(law::SetValued& law, int contacts) {
    law.caps.choose(default_caps(contacts));
    law.solutions.choose(Solutions::all);
  }
  static void check(const law::SetValued& law, std::optional<int> contacts) {
    check_capture_speed(law.v_capture);
    if (law.caps.has_value() && contacts) validate(*law.caps, *contacts);
  }
  static void check_capture_speed(double speed);
  static law::SetValued of_contacts(law::SetValued law, std::span<const int> contacts);
  /// The law with uniform caps instead of each Sobol' component, since Sobol' points are not
  /// independent.
  static law::SetValued independent(const law::SetValued& law);
  static bool counts_solutions(const law::SetValued& law) {
    return law.solutions.value_or(Solutions::all) == Solutions::all;
  }
  static SolutionMethod solution_method(std::span<const ImpactProblem> problems) {
    return choose_solution_method(problems);
  }
  static std::unique_ptr<LawMemory> plan(const law::SetValued& law,
                                         std::span<const ImpactProblem> problems,
                                         const SamplingOptions& options, SamplingPlan& plan);
  /// The same for one trajectory of one problem, which may find solutions in another order.
  static std::unique_ptr<LawMemory> plan_one(const law::SetValued& law,
                                             const ImpactProblem& problem,
                                             const SamplingOptions& options, SamplingPlan& plan);
};

}  // namespace carom
