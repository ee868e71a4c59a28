#pragma once

#include <Eigen/Core>
#include <vector>

#include "carom/impact_problem.hpp"
#include "host/problem/mujoco/contacts.hpp"

namespace carom::mujoco {

/// Contacts that a step's LCP holds, in the plane (2 friction directions) or in space (4).
int most_contacts(int friction_directions);

/// At the model's state, whose positions are evaluated; nv x nv.
Eigen::MatrixXd mass_matrix(const ModelView& model);

/// The impact of one contact at least at the model's state: not validated, and without names.
/// Settles the contacts' tangents.
ImpactProblem problem_of(const ModelView& model, std::vector<Contact>& contacts);

}  // namespace carom::mujoco
