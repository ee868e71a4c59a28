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

ProblemArrays active_arrays(const ImpactBatch& batch, std::size_t index, const double* directions,
                            ActiveContacts& own) {
  const int m = batch.contacts;
  const int nv = batch.velocities;
  const int d = batch.tangent_dimension;
  ProblemArrays problem{at(batch.mass_matrix, index, nv, nv, batch.one_mass_matrix),
                        at(batch.normal_jacobian, index, m, nv, batch.one_normal_jacobian),
                        at(batch.tangent_jacobian, index, m * d, nv, batch.one_tangent_jacobian),
                        at(batch.friction, index, m, 1, batch.one_friction),
                        at(batch.pre_impact_velocity, index, nv, 1),
                        directions};
  own.contacts.clear();
  for (int i = 0; i < m; ++i) {
    if (batch.active == nullptr || at(batch.active, index, m, 1)[i] != 0) {
      own.contacts.push_back(i);
    }
  }
  if (static_cast<int>(own.contacts.size()) == m) return problem;
  own.normal_jacobian.clear();
  own.tangent_jacobian.clear();
  own.friction.clear();
  for (const int i : own.contacts) {
    const double* normal = problem.normal_jacobian + i * nv;
    const double* tangent = problem.tangent_jacobian + i * d * nv;
    own.normal_jacobian.insert(own.normal_jacobian.end(), normal, normal + nv);
    own.tangent_jacobian.insert(own.tangent_jacobian.end(), tangent, tangent + d * nv);
    own.friction.push_back(problem.friction[i]);
  }
  problem.normal_jacobian = own.normal_jacobian.data();
  problem.tangent_jacobian = own.tangent_jacobian.data();
  problem.friction = own.friction.data();
  return problem;
}

ImpactProblem impact_problem(const ProblemShape& shape, const ProblemArrays& arrays,
                             const ActiveContacts& own) {
  const int nv = shape.velocities;
  ImpactProblem problem;
  problem.mass_matrix = RowMatrixView(arrays.mass_matrix, nv, nv);
  problem.normal_jacobian = RowMatrixView(arrays.normal_jacobian, shape.contacts, nv);
  problem.tangent_jacobian = RowMatrixView(arrays.tangent_jacobian, shape.tangents(), nv);
  problem.friction = RowMatrixView(arrays.friction, shape.contacts, 1);
  problem.pre_impact_velocity = RowMatrixView(arrays.pre_impact_velocity, nv, 1);
  problem.friction_directions = shape.friction_directions;
  for (const int contact : own.contacts) {
    problem.contact_names.push_back(std::to_string(contact));
  }
  return problem;
}

}  // namespace carom
