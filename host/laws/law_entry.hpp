#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "carom/law.hpp"
#include "carom/sampler.hpp"
#include "carom/sampling_options.hpp"
#include "host/options/option_info.hpp"
#include "kernels/laws/plan_list.hpp"

namespace carom {

/// Memory of a run under a law; the plan points into it.
struct LawMemory {
  virtual ~LawMemory() = default;
  TableInfo table{};
};

/// The numbers of some contacts.
template <class T>
std::vector<T> entries(const std::vector<T>& of_all, std::span<const int> contacts) {
  std::vector<T> some;
  for (const int contact : contacts) some.push_back(of_all[static_cast<std::size_t>(contact)]);
  return some;
}

/// Defaults of a law's entry outside the kernels. Each law's entry, in host/laws/NAME.hpp,
/// overrides what differs.
struct LawDefaults {
  static constexpr bool has_impulse_step = false;  ///< whether the law uses h
  static constexpr bool has_scripts = false;       ///< whether searches can vary its draws
  /// Whether each step is one of Halm & Posa's Eq. 72-75 for some caps: then their bounds hold, and
  /// their other laws are compared with the outcomes.
  static constexpr bool steps_by_cones = true;
  /// Restitution of a problem that states none; nothing: the law has no restitution.
  static constexpr std::optional<double> restitution = std::nullopt;
  static constexpr StepKind step = StepKind::lcp;
  static constexpr int max_steps = 1000;  ///< default

  /// Calls visit(OptionInfo, member) for each of the law's own options.
  template <class AnyLaw, class Visit>
  static void for_each_option(AnyLaw&, const Visit&) {}

  /// Chooses the options that are left to Carom, for a problem with this number of contacts.
  template <class AnyLaw>
  static void choose(AnyLaw&, int) {}

  /// Checks the options for a problem with this number of contacts, or any if it is not known yet.
  /// @throws InputError
  template <class AnyLaw>
  static void check(const AnyLaw&, std::optional<int>) {}

  /// Checks what only this law demands of a valid problem. @throws InputError naming field and rule
  template <class AnyLaw>
  static void check_problem(const AnyLaw&, const ImpactProblem&) {}

  /// How all solutions of a step are found, where counts_solutions(): by tables.
  /// @param problems of one shape
  static SolutionMethod solution_method(std::span<const ImpactProblem>) {
    return SolutionMethod::modes;
  }

  /// The shape in which problems are given to the law's program.
  static ProblemShape shape(const ProblemShape& shape) { return shape; }

  /// The law for some of the contacts, where options have a number for each.
  template <class AnyLaw>
  static AnyLaw of_contacts(const AnyLaw& law, std::span<const int>) {
    return law;
  }

  /// The law whose trajectories are independent of each other.
  template <class AnyLaw>
  static AnyLaw independent(const AnyLaw& law) {
    return law;
  }
};

/// Specialised for each law: a name, the members of LawDefaults that differ, and
///   static bool counts_solutions(const law::NAME&);   whether rows have a solution_count
///   static std::unique_ptr<LawMemory> plan(const law::NAME&, std::span<const ImpactProblem>,
///                                          const SamplingOptions&, SamplingPlan&);
/// which adds the law to a plan that is otherwise complete. @throws InputError if the law cannot be
/// used
template <class AnyLaw>
struct LawEntry;

}  // namespace carom
