#include "carom/error.hpp"
#include "carom/mujoco.hpp"
#include "carom/mujoco_states.hpp"
#include "carom/roll.hpp"

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

std::vector<std::uint8_t> mujoco_approach(const mjModel_& /*model*/,
                                          std::span<const mjData_* const> /*data*/,
                                          const MujocoOptions& /*options*/, double /*threshold*/) {
  refuse();
}

void mujoco_find_within(mjModel_& /*model*/, double /*distance*/) { refuse(); }

RollOptions resolved(RollOptions /*options*/, const MujocoMotion& /*motion*/) { refuse(); }

Rollouts roll(const MujocoMotion& /*motion*/, const SamplingOptions& /*sampling*/,
              const RollOptions& /*options*/, const SampleObserver& /*observer*/,
              std::uint64_t /*first*/) {
  refuse();
}

std::vector<Note> notes_on_rollouts(const MujocoMotion& /*motion*/,
                                    const SamplingOptions& /*sampling*/,
                                    const Rollouts& /*rollouts*/) {
  refuse();
}

RolledSystem rolled_system(const MujocoMotion& /*motion*/) { refuse(); }

ImpactProblem first_impact(const MujocoMotion& /*motion*/, double /*duration*/) { refuse(); }

MujocoSupport mujoco_support() {
  MujocoSupport support;
  support.problem = reason;
  return support;
}

}  // namespace carom
