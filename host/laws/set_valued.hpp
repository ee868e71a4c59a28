#pragma once

#include "host/laws/law_entry.hpp"

namespace carom {

template <>
struct LawEntry<law::SetValued> : LawDefaults {
  static constexpr const char* name = "set_valued";
  static constexpr bool has_impulse_step = true;
  static constexpr bool has_scripts = true;

  template <class AnyLaw, class Visit>
  static void for_each_option(AnyLaw& law, const Visit& visit) {
    visit(OptionInfo{"caps", "CAPS",
                     "law of the caps: uniform, simplex, corners:POWER, weighted:s1,s2,..., sobol, "
                     "or a mixture: 0.7*uniform + 0.3*corners:4"},
          law.caps);
    visit(OptionInfo{"solutions", "first|cover|all|table",
                     "of a step with several: Lemke's first, Lemke's by a random cover, one of "
                     "all, or the one most frequent in a pilot run"},
          law.solutions);
  }
  static void check(const law::SetValued& law, int contacts) { validate(law.caps, contacts); }
  /// The law with uniform caps instead of each Sobol' component, since Sobol' points are not
  /// independent.
  static law::SetValued independent(const law::SetValued& law);
  static bool counts_solutions(const law::SetValued& law) {
    return law.solutions == Solutions::all;
  }
  static std::unique_ptr<LawMemory> plan(const law::SetValued& law,
                                         std::span<const ImpactProblem> problems,
                                         const SamplingOptions& options, SamplingPlan& plan);
};

}  // namespace carom
