#include "host/laws/sequential.hpp"

#include <vector>

#include "host/modes/mode_table.hpp"
#include "host/problem/step_lcp.hpp"

namespace carom {
namespace {

struct SequentialMemory : LawMemory {
  std::vector<double> alone;  ///< flat problems, per problem and contact
  ModeTables modes;           ///< per problem and contact
};

}  // namespace

ImpactProblem contact_alone(const ImpactProblem& problem, int contact) {
  const int d = problem.tangent_dimension();
  ImpactProblem alone = problem;
  alone.normal_jacobian = problem.normal_jacobian.row(contact);
  alone.tangent_jacobian = problem.tangent_jacobian.middleRows(contact * d, d);
  alone.friction = problem.friction.segment(contact, 1);
  if (problem.restitution.size() > 0) {
    alone.restitution = problem.restitution.segment(contact, 1);
  }
  alone.contact_names = {problem.contact_names[static_cast<std::size_t>(contact)]};
  return alone;
}

std::unique_ptr<LawMemory> LawEntry<law::Sequential>::plan(const law::Sequential&,
                                                           std::span<const ImpactProblem> problems,
                                                           const SamplingOptions& options,
                                                           SamplingPlan& plan) {
  constexpr bool capped = false;
  constexpr double no_cap = 1.0;  // h and the final cap; this law reads neither
  auto memory = std::make_unique<SequentialMemory>();
  for (const ImpactProblem& problem : problems) {
    for (int i = 0; i < problem.contacts(); ++i) {
      const ImpactProblem alone = contact_alone(problem, i);
      const std::vector<double> flat = flatten(alone, no_cap, no_cap);
      memory->alone.insert(memory->alone.end(), flat.begin(), flat.end());
      memory->modes.add(std::make_unique<ModeTable>(alone, capped, *options.trajectories));
    }
  }
  plan.law = SequentialPlan{memory->alone.data(), memory->modes.views()};
  return memory;
}

}  // namespace carom
