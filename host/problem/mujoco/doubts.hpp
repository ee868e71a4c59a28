#pragma once

#include <vector>

#include "carom/note.hpp"
#include "host/problem/mujoco/contacts.hpp"

namespace carom::mujoco {

/// What an impact at the model's state leaves out, and normals of its contacts that may be wrong:
/// ImpactProblem::doubts.
std::vector<Note> doubts_about(Model& model, const std::vector<Contact>& contacts);

/// Joints that are at a limit, by numbers.
std::vector<int> joints_at_limits(const ModelView& model);

}  // namespace carom::mujoco
