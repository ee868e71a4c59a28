#pragma once

#include "host/laws/law_entry.hpp"

namespace carom {

template <>
struct LawEntry<law::Simultaneous> : LawDefaults {
  static constexpr const char* name = "simultaneous";

  static bool counts_solutions(const law::Simultaneous&) { return true; }
  static SolutionMethod solution_method(std::span<const ImpactProblem> problems);
  static std::unique_ptr<LawMemory> plan(const law::Simultaneous& law,
                                         std::span<const ImpactProblem> problems,
                                         const SamplingOptions& options, SamplingPlan& plan);
};

}  // namespace carom
