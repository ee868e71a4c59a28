#include "host/laws/plus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "host/base/field_error.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_text.hpp"
#include "kernels/problem/problem_arrays.hpp"

namespace carom {
namespace {

struct PlusMemory : LawMemory {
  std::vector<double> restitution, static_friction;  ///< per problem and contact
};

}  // namespace

void LawEntry<law::Plus>::check(const law::Plus& law, int contacts) {
  for_each_option(
      law, [](const OptionInfo& info, const auto& value) { check_range("law", info, value); });
  if (!(law.theta_max < 0.5 * std::numbers::pi)) {
    throw FieldError(
        "law.theta_max",
        fmt::format("theta_max is {} (must be > 0 and below pi / 2, in rad)", law.theta_max));
  }
  const auto count = static_cast<int>(law.mu_static.size());
  if (count > 1 && count != contacts) {
    throw FieldError("law.mu_static",
                     fmt::format("mu_static has {} numbers (must have 1 or one per contact, {})",
                                 count, contacts));
  }
  for (const double friction : law.mu_static) {
    if (friction >= 0.0 && friction <= max_friction) continue;
    throw FieldError("law.mu_static", fmt::format("mu_static is {} (must be >= 0 and at most {})",
                                                  friction, max_friction));
  }
}

std::unique_ptr<LawMemory> LawEntry<law::Plus>::plan(const law::Plus& law,
                                                     std::span<const ImpactProblem> problems,
                                                     const SamplingOptions&, SamplingPlan& plan) {
  auto memory = std::make_unique<PlusMemory>();
  for (const ImpactProblem& problem : problems) {
    const Eigen::VectorXd all = *restitution_of(problem, law);
    memory->restitution.insert(memory->restitution.end(), all.begin(), all.end());
    for (int i = 0; i < problem.contacts(); ++i) {
      const std::size_t stated = law.mu_static.size() == 1 ? 0 : static_cast<std::size_t>(i);
      memory->static_friction.push_back(law.mu_static.empty() ? problem.friction(i)
                                                              : law.mu_static[stated]);
    }
  }
  plan.law = PlusPlan{.parameters = {.capture_speed = law.v_capture,
                                     .plastic_speed = law.v_plastic,
                                     .transition_speed = law.v_transition,
                                     .sine = std::sin(law.theta_max),
                                     .cosine = std::cos(law.theta_max),
                                     .viscous_friction = law.mu_viscous},
                      .max_rounds = static_cast<std::uint32_t>(law.max_rounds),
                      .restitution = memory->restitution.data(),
                      .static_friction = memory->static_friction.data()};
  return memory;
}

}  // namespace carom
