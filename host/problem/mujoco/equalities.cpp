#include "host/problem/mujoco/equalities.hpp"

#include <Eigen/Cholesky>

namespace carom::mujoco {
namespace {

/// A, ne x nv: MuJoCo's constraints begin with its equalities.
Eigen::MatrixXd equality_rows(const ModelView& model) {
  const mjData& data = model.data();
  const auto nv = static_cast<Eigen::Index>(model.model().nv);
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(data.ne, nv);
  const bool sparse = model.functions().is_sparse(&model.model()) != 0;
  for (int i = 0; i < data.ne; ++i) {
    if (!sparse) {
      rows.row(i) = Eigen::Map<const Eigen::RowVectorXd>(data.efc_J + i * nv, nv);
      continue;
    }
    for (int k = 0; k < data.efc_J_rownnz[i]; ++k) {
      const int at = data.efc_J_rowadr[i] + k;
      rows(i, data.efc_J_colind[at]) = data.efc_J[at];
    }
  }
  return rows;
}

}  // namespace

void hold_equalities(const ModelView& model, Eigen::Ref<Eigen::MatrixXd> mass,
                     Eigen::Ref<Eigen::VectorXd> velocity) {
  if (!has_equalities(model)) return;
  constexpr double heavy = 1e7;
  constexpr double redundant = 1e-12;  // of a row's own part, so that others may repeat the row
  const Eigen::MatrixXd rows = equality_rows(model);
  const Eigen::MatrixXd response = mass.llt().solve(rows.transpose());
  Eigen::MatrixXd inverse_mass = rows * response;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double own = inverse_mass(i, i);
    // A constraint between bodies that cannot move.
    if (!(own > 0.0)) {
      inverse_mass(i, i) = 1.0;
      continue;
    }
    mass += heavy / own * rows.row(i).transpose() * rows.row(i);
    inverse_mass(i, i) += redundant * own;
  }
  velocity -= response * inverse_mass.llt().solve(rows * velocity);
}

}  // namespace carom::mujoco
