#include "host/problem/step_lcp.hpp"

#include <fmt/format.h>

#include "host/base/field_error.hpp"
#include "host/problem/step_check.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/problem/problem_arrays.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

ProblemShape shape_of(const ImpactProblem& problem) {
  return {problem.contacts(), problem.velocities(), problem.tangent_dimension(),
          problem.friction_directions};
}

void require_lcp_capacity(const ImpactProblem& problem, const std::string& what) {
  if (fits_capacity(shape_of(problem))) return;
  throw FieldError(
      "problem.normal_jacobian",
      fmt::format("the problem has {} contacts and {} velocities (must be at most {} "
                  "and {} {}; law propagative takes more)",
                  problem.contacts(), problem.velocities(),
                  max_lcp_size / (3 + problem.friction_directions), max_velocities, what));
}

Eigen::MatrixXd interleaved_jacobian(const ImpactProblem& problem) {
  const int d = problem.tangent_dimension();
  Eigen::MatrixXd jacobian(problem.contacts() * (1 + d), problem.velocities());
  for (int i = 0; i < problem.contacts(); ++i) {
    jacobian.row(i * (1 + d)) = problem.normal_jacobian.row(i);
    jacobian.middleRows(i * (1 + d) + 1, d) = problem.tangent_jacobian.middleRows(i * d, d);
  }
  return jacobian;
}

FlatProblem assemble_unchecked(const ImpactProblem& problem, Norm norm, const ProblemShape& shape) {
  FlatProblem flat;
  if (!fits_assembly(shape)) return flat;
  flat.data.resize(static_cast<std::size_t>(StepLcpView{shape, nullptr}.data_size()));
  const RowMajor normals = problem.normal_jacobian;
  const RowMajor tangents = problem.tangent_jacobian;
  const RowMajor directions = friction_direction_matrix(problem);
  // The order of M's entries does not matter: those across the diagonal are made equal.
  flat.report = item_runner().assemble(
      shape,
      {problem.mass_matrix.data(), normals.data(), tangents.data(), problem.friction.data(),
       problem.pre_impact_velocity.data(), directions.data()},
      norm == Norm::kinetic, flat.data.data());
  return flat;
}

FlatProblem assemble(const ImpactProblem& problem, Norm norm) {
  return assemble(problem, norm, shape_of(problem));
}

FlatProblem assemble(const ImpactProblem& problem, Norm norm, const ProblemShape& shape) {
  require_shapes(problem);
  FlatProblem flat = assemble_unchecked(problem, norm, shape);
  if (flat.report.status != AssemblyStatus::usable) {
    validated(problem);  // throws with the broken rule
  }
  return flat;
}

std::vector<double> flatten(const ImpactProblem& problem, double impulse_step, double final_cap) {
  FlatProblem flat = assemble(problem);
  set_steps(shape_of(problem), impulse_step, final_cap, flat.data.data());
  return std::move(flat.data);
}

double psi(const ImpactProblem& problem, Norm norm) { return assemble(problem, norm).report.psi; }

double stopping_impulse(const ImpactProblem& problem) {
  return assemble(problem).report.stopping_impulse;
}

Eigen::MatrixXd delassus_matrix(const ImpactProblem& problem) {
  const FlatProblem flat = assemble(problem);
  const StepLcpView view{shape_of(problem), flat.data.data()};
  const int size = view.shape.bounded_size();
  const int directions = view.shape.contacts + view.shape.frictions();
  return view.impulse_unit() * Eigen::Map<const Eigen::MatrixXd>(view.matrix(), size, size)
                                   .topLeftCorner(directions, directions);
}

}  // namespace carom
