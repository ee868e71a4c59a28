#include "carom/error.hpp"
#include "carom/mujoco.hpp"
#include "carom/mujoco_states.hpp"

namespace carom {
namespace {

constexpr const char* reason =
    "this Carom was built without MuJoCo (its headers were not found; see docs/mujoco.md)";

[[noreturn]] void refuse() {
  throw InputError(std::string("system \"mujoco\" needs MuJoCo: ") + reason);
}

}  // namespace

ImpactProblem impact_problem_from_mujoco(const MujocoOptions& /*options*/) { refuse(); }

ImpactProblem impact_problem_from_mujoco(const mjModel_& /*model*/, const mjData_* /*data*/,
                                         const MujocoOptions& /*options*/) {
  refuse();
}

MujocoContacts mujoco_contacts(const mjModel_& /*model*/, std::span<const mjData_* const> /*data*/,
                               const MujocoOptions& /*options*/) {
  refuse();
}

MujocoSupport mujoco_support() {
  MujocoSupport support;
  support.problem = reason;
  return support;
}

}  // namespace carom
