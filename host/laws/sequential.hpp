#pragma once

#include "host/laws/law_entry.hpp"

namespace carom {

template <>
struct LawEntry<law::Sequential> : LawDefaults {
  static constexpr const char* name = "sequential";
  // A body that strikes one a hundred times lighter against a wall takes 13,000.
  static constexpr int max_steps = 20'000;

  static bool counts_solutions(const law::Sequential&) { return true; }
  static std::unique_ptr<LawMemory> plan(const law::Sequential& law,
                                         std::span<const ImpactProblem> problems,
                                         const SamplingOptions& options, SamplingPlan& plan);
};

}  // namespace carom
