#pragma once

#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

#include "carom/scenario.hpp"

namespace carom::builders {

using ParameterValues = std::map<std::string, double>;

System rocking_block();
System compass_gait();
System box_wall();
System ramone();
System disk_stack();
System billiards();
System trex();

/// The parameters `given`, completed with the system's defaults.
/// @throws InputError on an unknown name, or a value that is not finite or breaks its rule.
ParameterValues complete_parameters(const System& system, const ParameterValues& given);

/// @throws InputError "[parameters] name is value (must ...)"
[[noreturn]] void fail_parameter(const std::string& name, double value, const std::string& rule);

/// Sampling options of one of the paper's tables: h, N and M = 2^samples_log2.
SamplingOptions paper_sampling(double impulse_step, int max_steps, int samples_log2);

inline constexpr double quarter_turn_degrees = 90.0;
double radians(double degrees);

/// Jacobian rows of the velocity (x, y) of a point at `offset` from the centre of a planar body
/// with velocity (x', y', theta').
Eigen::Matrix<double, 2, 3> point_jacobian(const Eigen::Vector2d& offset);

/// A planar problem of m contacts and nv velocities, all zero, with friction `mu` at every contact.
ImpactProblem planar_problem(int contacts, int velocities, double friction);

}  // namespace carom::builders
