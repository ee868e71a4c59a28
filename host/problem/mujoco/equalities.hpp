#pragma once

#include <Eigen/Core>
#include <span>

#include "host/problem/mujoco/contacts.hpp"
#include "host/problem/mujoco/model.hpp"

namespace carom::mujoco {

/// Whether the model has active equality constraints at the state.
inline bool has_equalities(const ModelView& model) { return model.data().ne > 0; }

/// Makes the active equality constraints A v = 0 at the state hold through an impact, as rigidly as
/// numbers allow: what breaks them is made heavy. Velocities that keep them and those that they
/// take away by the impulses of least energy, M^-1 A', are orthogonal in the metric of M; the
/// mass of the latter is multiplied by 1e7, by more where the contacts would give way to them much
/// more than without, such as a light part that is held and hit by a heavy one. An impulse leaves
/// some 1e-7 of the A v that it would give without equalities. The velocity loses its part that
/// breaks them; but a mocap body may move, and MuJoCo does not say how fast: the rows of A that
/// hold bodies to one keep the A v that they have.
/// @param contacts of the state
/// @param mass nv x nv
/// @param velocity nv
void hold_equalities(const ModelView& model, std::span<const Contact> contacts,
                     Eigen::Ref<Eigen::MatrixXd> mass, Eigen::Ref<Eigen::VectorXd> velocity);

}  // namespace carom::mujoco
