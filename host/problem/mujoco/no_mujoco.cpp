#include "carom/error.hpp"
#include "carom/mujoco.hpp"

namespace carom {
namespace {

constexpr const char* reason =
    "this Carom was built without MuJoCo (its headers were not found; see docs/mujoco.md)";

}  // namespace

ImpactProblem impact_problem_from_mujoco(const MujocoOptions& /*options*/) {
  throw InputError(std::string("system \"mujoco\" needs MuJoCo: ") + reason);
}

MujocoSupport mujoco_support() {
  MujocoSupport support;
  support.problem = reason;
  return support;
}

}  // namespace carom
