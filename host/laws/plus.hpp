#pragma once

#include "host/laws/law_entry.hpp"

namespace carom {

template <>
struct LawEntry<law::Plus> : LawDefaults {
  static constexpr const char* name = "plus";
  static constexpr bool steps_by_cones = false;
  static constexpr std::optional<double> restitution = 0.0;
  static constexpr StepKind step = StepKind::interval;
  static constexpr int max_steps = 20'000;

  template <class AnyLaw, class Visit>
  static void for_each_option(AnyLaw& law, const Visit& visit) {
    using enum OptionInfo::Sign;
    visit(OptionInfo{.name = "v_capture",
                     .argument = "SPEED",
                     .help = "a contact that approached slower has no restitution, in m/s",
                     .sign = not_negative,
                     .unit = "m/s"},
          law.v_capture);
    visit(OptionInfo{.name = "v_plastic",
                     .argument = "SPEED",
                     .help = "approach speed from which on restitution is the problem's, in m/s",
                     .sign = not_negative,
                     .unit = "m/s"},
          law.v_plastic);
    visit(OptionInfo{.name = "v_transition",
                     .argument = "SPEED",
                     .help = "slower slip can roll, in m/s",
                     .sign = positive,
                     .unit = "m/s"},
          law.v_transition);
    visit(OptionInfo{.name = "theta_max",
                     .argument = "ANGLE",
                     .help = "largest turn of a slip in one interval, in rad",
                     .sign = positive,
                     .unit = "rad"},
          law.theta_max);
    visit(OptionInfo{.name = "mu_static",
                     .argument = "MU,...|auto",
                     .help = "friction of contacts that slip slower than v_transition before the "
                             "impact, for all or for each; auto = the other friction"},
          law.mu_static);
    visit(OptionInfo{.name = "mu_viscous",
                     .argument = "MU",
                     .help = "friction per slip speed before the impact, in s/m",
                     .sign = not_negative,
                     .unit = "s/m"},
          law.mu_viscous);
    visit(OptionInfo{.name = "mu",
                     .argument = "MU,...|auto",
                     .help = "friction, for all contacts or for each; auto = the problem's",
                     .replaces = "friction"},
          law.mu);
    visit(OptionInfo{.name = "e_min",
                     .argument = "E,...|auto",
                     .help = "restitution of fast contacts, for all or for each; auto = the "
                             "problem's",
                     .replaces = "restitution"},
          law.e_min);
    visit(OptionInfo{.name = "v_before",
                     .argument = "SPEED,...|auto",
                     .help = "velocity before the impact, all its numbers; auto = the problem's",
                     .unit = "m/s",
                     .replaces = "pre_impact_velocity"},
          law.v_before);
    visit(OptionInfo{.name = "max_rounds",
                     .argument = "N",
                     .help = "rounds of compression and expansion at most",
                     .least = 1},
          law.max_rounds);
    visit(OptionInfo{.name = "backtrack",
                     .argument = "",
                     .help = "whether an interval whose contacts have no impulse tries to let some "
                             "roll or to leave one out"},
          law.backtrack);
  }
  static void check(const law::Plus& law, std::optional<int> contacts);
  static void check_problem(const law::Plus& law, const ImpactProblem& problem);
  static law::Plus of_contacts(law::Plus law, std::span<const int> contacts);
  static bool counts_solutions(const law::Plus&) { return false; }
  static std::unique_ptr<LawMemory> plan(const law::Plus& law,
                                         std::span<const ImpactProblem> problems,
                                         const SamplingOptions& options, SamplingPlan& plan);
};

}  // namespace carom
