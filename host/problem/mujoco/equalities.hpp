#pragma once

#include <Eigen/Core>

#include "host/problem/mujoco/model.hpp"

namespace carom::mujoco {

/// Whether the model has active equality constraints at the state.
inline bool has_equalities(const ModelView& model) { return model.data().ne > 0; }

/// Makes the active equality constraints A v = 0 at the state hold through an impact, as rigidly as
/// numbers allow: what breaks them is made heavy. Each row a of A adds w a'a to the mass matrix,
/// where w is 1e7 times its effective mass 1 / (a M^-1 a'), so that an impulse leaves some 1e-7 of
/// the A v that it would give without them. The velocity loses its part that breaks them, by the
/// impulses that take the least energy.
/// @param mass nv x nv
/// @param velocity nv
void hold_equalities(const ModelView& model, Eigen::Ref<Eigen::MatrixXd> mass,
                     Eigen::Ref<Eigen::VectorXd> velocity);

}  // namespace carom::mujoco
