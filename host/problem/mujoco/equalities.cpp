#include "host/problem/mujoco/equalities.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/problem/decompositions.hpp"

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

/// Whether a body is a mocap body or a fixed part of one.
bool is_mocap(const mjModel& model, int body) {
  for (; body > 0 && model.body_jntnum[body] == 0; body = model.body_parentid[body]) {
    if (model.body_mocapid[body] >= 0) return true;
  }
  return false;
}

/// Whether a row holds a body to one that mocap data move.
bool is_driven(const ModelView& model, Eigen::Index row) {
  const mjModel& its = model.model();
  const int equality = model.data().efc_id[row];
  const int type = its.eq_type[equality];
  if (type != mjEQ_CONNECT && type != mjEQ_WELD) return false;
  const bool of_sites = its.eq_objtype[equality] == mjOBJ_SITE;
  const auto moves = [&](int object) {
    return is_mocap(its, of_sites ? its.site_bodyid[object] : object);
  };
  return moves(its.eq_obj1id[equality]) || moves(its.eq_obj2id[equality]);
}

/// Of the rows of A, those whose bodies can move against one another: others hold the rounding of
/// their coordinates.
std::vector<Eigen::Index> without_rounding(const ModelView& model, const Eigen::MatrixXd& rows) {
  constexpr double rounding = 1e-12;  // of 1 m, or of the farthest body's coordinate
  const auto coordinates = static_cast<Eigen::Index>(model.model().nbody) * 3;
  const double farthest =
      Eigen::Map<const Eigen::VectorXd>(model.data().xpos, coordinates).cwiseAbs().maxCoeff();
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    if (rows.row(i).cwiseAbs().maxCoeff() > rounding * std::max(farthest, 1.0)) kept.push_back(i);
  }
  return kept;
}

/// Directions of the velocities, times L', that break the rows: orthonormal columns.
/// @param lower L of the mass matrix L L'
Eigen::MatrixXd broken_by(const Eigen::MatrixXd& rows, const Cholesky& lower) {
  constexpr double redundant = 1e-10;  // of the largest singular value of rows of length 1
  const Eigen::MatrixXd scaled = lower.solve_lower(rows.transpose()).colwise().normalized();
  const SingularVectors found = singular_vectors(scaled, /*with_right=*/false);
  const Eigen::Index rank = (found.values.array() > redundant * found.values(0)).count();
  return found.left.leftCols(rank);
}

/// How much more a contact would give way, at most, if what breaks the equalities were free.
double largest_share(std::span<const Contact> contacts, const Cholesky& lower,
                     const Eigen::MatrixXd& broken) {
  constexpr double held = 1e-12;  // of its admittance: such a contact cannot give way at all
  double largest = 0.0;
  for (const Contact& contact : contacts) {
    const Eigen::MatrixXd motion = lower.solve_lower(contact.motion.transpose());
    const double all = motion.squaredNorm();
    const double share = (broken.transpose() * motion).squaredNorm();
    if (all - share > held * all) largest = std::max(largest, share / (all - share));
  }
  return largest;
}

}  // namespace

void hold_equalities(const ModelView& model, std::span<const Contact> contacts,
                     Eigen::Ref<Eigen::MatrixXd> mass, Eigen::Ref<Eigen::VectorXd> velocity) {
  if (!has_equalities(model)) return;
  constexpr double heavy = 1e7;
  constexpr double heaviest = 1e11;  // more would be felt in the digits of other motions
  const Eigen::MatrixXd all = equality_rows(model);
  const std::vector<Eigen::Index> kept = without_rounding(model, all);
  const Eigen::MatrixXd rows = all(kept, Eigen::all);
  const Cholesky lower(mass);
  if (rows.rows() == 0 || !lower.succeeded()) return;
  Eigen::VectorXd speeds = rows * velocity;  // A v afterwards
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!is_driven(model, kept[i])) speeds(static_cast<Eigen::Index>(i)) = 0.0;
  }
  const Eigen::MatrixXd broken = broken_by(rows, lower);
  const Eigen::MatrixXd momenta = lower.lower() * broken;
  Eigen::VectorXd change = -momenta.transpose() * velocity;
  if (!speeds.isZero(0.0))
    change += OrthogonalFactors(rows * lower.solve_upper(broken)).solve(speeds);
  velocity += lower.solve_upper(broken * change);
  const double share = largest_share(contacts, lower, broken);
  const double weight = std::min(heavy * std::sqrt(std::max(share, 1.0)), heaviest);
  for (const auto& momentum : momenta.colwise()) mass += weight * momentum * momentum.transpose();
}

}  // namespace carom::mujoco
