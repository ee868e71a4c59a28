#include "host/scenario/family_shape.hpp"

#include <fmt/format.h>

namespace carom {
namespace {

std::string shape_text(const ImpactProblem& p) {
  return fmt::format("{} contacts in {} dimensions, {} velocities, {} friction directions",
                     p.contacts(), p.tangent_dimension() + 1, p.velocities(),
                     p.friction_directions);
}

}  // namespace

std::string shape_refusal(const ProblemFamily& family, std::uint64_t member,
                          const ImpactProblem& problem) {
  const std::string shape = shape_text(problem);
  const std::string wanted = shape_text(family.base().problem);
  if (shape == wanted) return "";
  return fmt::format("{}: has {} (must have {}, as the scenario itself)",
                     family.description(member), shape, wanted);
}

}  // namespace carom
