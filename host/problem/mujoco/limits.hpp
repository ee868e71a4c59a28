#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "host/problem/mujoco/model.hpp"

namespace carom::mujoco {

/// One end of the range of a joint or tendon, which pushes away from itself only.
struct Limit {
  mjtObj object = mjOBJ_JOINT;  ///< or mjOBJ_TENDON
  int id = 0;
  bool is_upper = false;

  bool operator==(const Limit&) const = default;
};

/// A limit at a state.
struct ReachedLimit : Limit {
  double gap = 0.0;     ///< m or rad to the end, less the margin
  double margin = 0.0;  ///< m or rad from the end: MuJoCo's forces act from there on
};

/// Both ends of each joint and tendon that is limited, the lower one first, joints first; of a
/// ball's angle the upper one alone, if it is below half a turn. None where the model's flags
/// disable limits.
std::vector<Limit> limits_of(const mjModel& model);

/// Those whose gap at the state is at most `distance`, in the same order.
std::vector<ReachedLimit> limits_within(const ModelView& model, double distance);

/// The limit's row of Jn (nv): times qvel, how fast the joint or tendon moves away from this end.
Eigen::RowVectorXd limit_row(const ModelView& model, const Limit& limit);

/// Whether that speed is an angle's: of a joint that turns, or of a fixed tendon of such joints.
bool is_of_angle(const mjModel& model, const Limit& limit);

/// "knee upper limit"
std::string limit_name(const ModelView& model, const Limit& limit);

}  // namespace carom::mujoco
