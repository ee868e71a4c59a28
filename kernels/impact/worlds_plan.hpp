#pragma once

#include "carom/impact_batch.hpp"
#include "kernels/impact/impact_plan.hpp"
#include "kernels/laws/plus/plan.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom {

/// The program of the worlds' trajectories.
enum class WorldsLaw : std::uint8_t {
  set_valued,   ///< without restitution
  restitution,  ///< set-valued, with the batch's restitution
  simultaneous,
  sequential,
  propagative,  ///< where restitution is one
  plus,
};

/// The impacts of many worlds, one trajectory each.
struct WorldsPlan {
  ImpactBatch batch;
  WorldsLaw which = WorldsLaw::set_valued;
  /// Caps and solutions of the set-valued law, and what every law needs; its problem id is the
  /// stream of world 0, and its rows are those of the worlds.
  ImpactPlan law;
  PlusPlan plus;  ///< of law plus; a null array means that each world has numbers of its own
  std::uint64_t trajectory = 0;        ///< of every world
  const double* weights = nullptr;     ///< components x m, of caps that are weighted; or none
  const double* directions = nullptr;  ///< k x d friction directions of a contact
  bool checks_all = false;             ///< problems in which nothing approaches are checked, too
  bool refuses = false;                ///< writes rows of worlds that break a rule

  CAROM_VIEW_FUNCTION constexpr const RowShape& rows() const { return law.run.rows; }
  /// The shape in which a world with this number of active contacts becomes flat.
  CAROM_VIEW_FUNCTION constexpr ProblemShape shape_of(int contacts) const {
    if (which == WorldsLaw::propagative) return {contacts, batch.velocities, 0, 0};
    return {contacts, batch.velocities, batch.tangent_dimension, batch.friction_directions};
  }
};

}  // namespace carom
