#pragma once

#include <vector>

#include "carom/impact_problem.hpp"

namespace carom::test {

ImpactProblem frictionless(const Eigen::MatrixXd& mass, const Eigen::MatrixXd& normal,
                           const Eigen::VectorXd& velocity);

/// Point masses along a line, kg, with normals as rows.
ImpactProblem point_masses(const std::vector<double>& masses,
                           const std::vector<std::vector<double>>& normals,
                           const std::vector<double>& velocity);

/// Balls in a row that touch.
ImpactProblem cradle(const std::vector<double>& masses, const std::vector<double>& velocity);

/// `balls` balls of 1 and 2 kg in turn; each is slower than the one before.
ImpactProblem uneven_cradle(int balls);

}  // namespace carom::test
