#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "carom/note.hpp"
#include "host/problem/mujoco/contacts.hpp"

namespace carom::mujoco {

/// What an impact at the model's state leaves out, and normals of its contacts that may be wrong:
/// ImpactProblem::doubts.
std::vector<Note> doubts_about(Model& model, const MujocoOptions& options,
                               const std::vector<Contact>& contacts);

/// Of a velocity that equality constraints changed by much; nothing else.
/// @param held the velocity without what breaks them
std::optional<Note> doubt_about_velocity(const ModelView& model, const Eigen::VectorXd& held);

/// "\"foot/floor\" 0.02 m, of 0.1 m,": geoms at this distance, if they are more than a twentieth of
/// the thinner one's thickness in one another; else "".
std::string depth_text(const ModelView& model, int one, int other, double distance);

}  // namespace carom::mujoco
