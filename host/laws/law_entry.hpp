#pragma once

#include <memory>
#include <span>
#include <string>

#include "carom/law.hpp"
#include "carom/sampler.hpp"
#include "carom/sampling_options.hpp"
#include "host/options/option_info.hpp"
#include "kernels/laws/plan_list.hpp"

namespace carom {

/// What a run under a law keeps in memory; the plan points into it.
struct LawMemory {
  virtual ~LawMemory() = default;
  TableInfo table{};
};

/// What a law is outside the kernels. Each law's own, in host/laws/NAME.hpp, says what differs.
struct LawDefaults {
  static constexpr bool has_impulse_step = false;  ///< whether h concerns it
  static constexpr bool has_scripts = false;       ///< whether searches can vary its draws

  /// Calls visit(OptionInfo, member) for each option of the law's own.
  template <class AnyLaw, class Visit>
  static void for_each_option(AnyLaw&, const Visit&) {}

  /// What an option must be for a problem of so many contacts. @throws InputError
  template <class AnyLaw>
  static void check(const AnyLaw&, int) {}

  /// The law whose trajectories are independent of each other.
  template <class AnyLaw>
  static AnyLaw independent(const AnyLaw& law) {
    return law;
  }
};

/// Specialised for each law: a name, what LawDefaults has where it differs, and
///   static bool counts_solutions(const law::NAME&);   whether rows have a solution_count
///   static std::unique_ptr<LawMemory> plan(const law::NAME&, std::span<const ImpactProblem>,
///                                          const SamplingOptions&, SamplingPlan&);
/// which completes a plan that has all but its law. @throws InputError where the law cannot serve
template <class AnyLaw>
struct LawEntry;

}  // namespace carom
