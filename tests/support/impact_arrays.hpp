#pragma once

#include <algorithm>
#include <vector>

#include "carom/impact_batch.hpp"
#include "tests/support/random_problem.hpp"

namespace carom::test {

/// Problems and the arrays that an ImpactBatch names.
struct Problems {
  std::vector<ImpactProblem> list;
  std::vector<double> mass, normals, tangents, friction, velocity;
  std::vector<double> restitution;  ///< or none

  /// Of m contacts with nv velocities, d tangents and k friction directions each.
  explicit Problems(std::size_t size, int m = 2, int nv = 4, int d = 1, int k = 2) {
    Random random(5);
    for (std::size_t i = 0; i < size; ++i) {
      list.push_back(random_problem(random, m, nv, -1.0, d, k));
      const ImpactProblem& problem = list.back();
      append(mass, problem.mass_matrix);
      append(normals, problem.normal_jacobian);
      append(tangents, problem.tangent_jacobian);
      append(friction, problem.friction);
      append(velocity, problem.pre_impact_velocity);
    }
  }

  void remove_friction() {
    std::fill(friction.begin(), friction.end(), 0.0);
    for (ImpactProblem& problem : list) problem.friction.setZero();
  }

  /// One number for all contacts of a problem, as any law takes it; the first problem has 0.
  void add_restitution() {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const double e = 0.9 * static_cast<double>(i) / static_cast<double>(list.size());
      list[i].restitution = Eigen::VectorXd::Constant(list[i].contacts(), e);
      append(restitution, list[i].restitution);
    }
  }

  ImpactBatch batch(std::size_t begin, std::size_t end) const {
    const ImpactProblem& one = list.front();
    ImpactBatch batch;
    batch.size = end - begin;
    batch.velocities = one.velocities();
    batch.contacts = one.contacts();
    batch.tangent_dimension = one.tangent_dimension();
    batch.friction_directions = one.friction_directions;
    const auto from = [&](const std::vector<double>& all) {
      return all.data() + begin * (all.size() / list.size());
    };
    batch.mass_matrix = from(mass);
    batch.normal_jacobian = from(normals);
    batch.tangent_jacobian = from(tangents);
    batch.friction = from(friction);
    batch.pre_impact_velocity = from(velocity);
    if (!restitution.empty()) batch.restitution = from(restitution);
    return batch;
  }

 private:
  static void append(std::vector<double>& all, const Eigen::MatrixXd& matrix) {
    const Eigen::MatrixXd rows = matrix.transpose();
    all.insert(all.end(), rows.data(), rows.data() + rows.size());
  }
};

}  // namespace carom::test
