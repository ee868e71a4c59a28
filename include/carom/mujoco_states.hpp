#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "carom/mujoco.hpp"

// MuJoCo's mjModel and mjData, which only their owner and carom's library need to know.
struct mjModel_;
struct mjData_;

namespace carom {

/// The impact problem of a model in memory.
/// @param data the state, which options.qpos and options.qvel override; null: that of the options
/// @param options without `model`; without `keyframe` if there are data
/// @throws as impact_problem_from_mujoco(options). The model's and the data's memory stay
/// unchanged.
ImpactProblem impact_problem_from_mujoco(const mjModel_& model, const mjData_* data,
                                         const MujocoOptions& options);

/// What many states of one model give an ImpactLaw.
struct MujocoContacts {
  std::size_t size = 0;  ///< B
  int velocities = 0;
  int contacts = 1;           ///< m: the most that a state has, 1 at least
  int tangent_dimension = 2;  ///< d: 1 where no contact of any state can slip in two directions
  std::vector<double> mass_matrix;       ///< B x nv x nv
  std::vector<double> normal_jacobian;   ///< B x m x nv; what is not active is 0
  std::vector<double> tangent_jacobian;  ///< B x m d x nv
  std::vector<double> friction;          ///< B x m
  /// B x nv: qvel; where a contact approaches, by more than 1e-8 m/s, without the part that breaks
  /// active equality constraints.
  std::vector<double> pre_impact_velocity;
  std::vector<std::uint8_t> active;  ///< B x m
  std::vector<std::int32_t> id;  ///< B x m: place in the data's contacts; -1 of a limit, or none
};

/// Reads the contacts as they lie in the data, without MuJoCo's collision detection: where its last
/// call to mj_fwdPosition (mj_forward, mj_step1) found them, with the margins and gaps of the
/// model. Rows are those of impact_problem_from_mujoco(). Nobody may change the data meanwhile.
/// @param options `geoms`, `distance`, `merge` and `limits`
/// @throws InputError naming the state, on what impact_problem_from_mujoco() refuses of a state
MujocoContacts mujoco_contacts(const mjModel_& model, std::span<const mjData_* const> data,
                               const MujocoOptions& options);

/// For each state, 0 where mujoco_contacts() would have no contact that approaches faster than
/// `threshold` (m/s, rad/s of limits of angles); else, and where equality constraints are
/// active, 1. Takes a small part of the time of mujoco_contacts() where models have many bodies.
/// @param data evaluated, as for mujoco_contacts()
/// @param options `distance` and `limits`
std::vector<std::uint8_t> mujoco_approach(const mjModel_& model,
                                          std::span<const mjData_* const> data,
                                          const MujocoOptions& options, double threshold);

/// Lets MuJoCo find contacts up to `distance`, m, farther apart than its margins, so that
/// mujoco_contacts() can count them; MuJoCo's forces do not change. Distances of calls add up.
void mujoco_find_within(mjModel_& model, double distance);

}  // namespace carom
