#include "host/sampling/active_contacts.hpp"

#include <string>

namespace carom {
namespace {

/// The entries in a batch of the problem with this index.
/// @param shared whether all problems have the same
template <class T>
const T* at(const T* array, std::size_t index, int rows, int columns, bool shared = false) {
  return array +
         (shared ? 0 : index * static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
}

}  // namespace

ImpactProblem active_problem(const ImpactBatch& batch, std::size_t index,
                             std::vector<int>& contacts) {
  const int m = batch.contacts;
  const int nv = batch.velocities;
  const int d = batch.tangent_dimension;
  const RowMatrixView normals(at(batch.normal_jacobian, index, m, nv, batch.one_normal_jacobian), m,
                              nv);
  const RowMatrixView tangents(
      at(batch.tangent_jacobian, index, m * d, nv, batch.one_tangent_jacobian), m * d, nv);
  const RowMatrixView friction(at(batch.friction, index, m, 1, batch.one_friction), m, 1);
  contacts.clear();
  std::vector<int> rows;
  for (int i = 0; i < m; ++i) {
    if (batch.active != nullptr && at(batch.active, index, m, 1)[i] == 0) continue;
    contacts.push_back(i);
    for (int a = 0; a < d; ++a) rows.push_back(i * d + a);
  }
  ImpactProblem problem;
  problem.mass_matrix =
      RowMatrixView(at(batch.mass_matrix, index, nv, nv, batch.one_mass_matrix), nv, nv);
  problem.normal_jacobian = normals(contacts, Eigen::all);
  problem.tangent_jacobian = tangents(rows, Eigen::all);
  problem.friction = friction(contacts, 0);
  if (batch.restitution != nullptr) {
    const RowMatrixView restitution(at(batch.restitution, index, m, 1, batch.one_restitution), m,
                                    1);
    problem.restitution = restitution(contacts, 0);
  }
  problem.pre_impact_velocity = RowMatrixView(at(batch.pre_impact_velocity, index, nv, 1), nv, 1);
  problem.friction_directions = batch.friction_directions;
  for (const int contact : contacts) problem.contact_names.push_back(std::to_string(contact));
  return problem;
}

}  // namespace carom
