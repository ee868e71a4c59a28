#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "host/base/field_error.hpp"
#include "host/base/nearest_name.hpp"
#include "host/problem/systems/builders.hpp"

namespace carom {

const std::vector<System>& systems() {
  static const std::vector<System> list = {
      builders::rocking_block(), builders::compass_gait(), builders::box_wall(), builders::ramone(),
      builders::disk_stack(),    builders::billiards(),    builders::trex()};
  return list;
}

namespace builders {
namespace {

using Rule = SystemParameter::Rule;

constexpr double half_turn_degrees = 180.0;

void check_rule(const SystemParameter& parameter, double value) {
  if (!std::isfinite(value)) fail_parameter(parameter.name, value, "must be finite");
  if (parameter.rule == Rule::positive && value <= 0.0) {
    fail_parameter(parameter.name, value, "must be > 0");
  }
  if (parameter.rule == Rule::not_negative && value < 0.0) {
    fail_parameter(parameter.name, value, "must be >= 0");
  }
}

}  // namespace

void fail_parameter(const std::string& name, double value, const std::string& rule) {
  throw FieldError("parameters." + name,
                   fmt::format("[parameters] {} is {} ({})", name, value, rule));
}

ParameterValues complete_parameters(const System& system, const ParameterValues& given) {
  ParameterValues values;
  std::vector<std::string> names;
  for (const SystemParameter& parameter : system.parameters) {
    names.push_back(parameter.name);
    const auto found = given.find(parameter.name);
    const double value = found == given.end() ? parameter.value : found->second;
    check_rule(parameter, value);
    values[parameter.name] = value;
  }
  for (const auto& [name, value] : given) {
    if (values.contains(name)) continue;
    throw FieldError("parameters." + name,
                     fmt::format("unknown key \"{}\" in [parameters] of system \"{}\"{}", name,
                                 system.name, suggestion_or_all(name, names)));
  }
  return values;
}

SamplingOptions paper_sampling(double impulse_step, int max_steps, int samples_log2) {
  SamplingOptions options;
  options.impulse_step = Choice<double>::preset(impulse_step);
  options.epsilon = Choice<double>::preset(0.01);
  options.law = law::SetValued{.caps = CapsDistribution{}};
  options.max_steps = Choice<int>::preset(max_steps);
  options.trajectories = Choice<std::uint64_t>::preset(std::uint64_t{1} << samples_log2);
  return options;
}

double radians(double degrees) { return degrees * (std::numbers::pi / half_turn_degrees); }

Eigen::Matrix<double, 2, 3> point_jacobian(const Eigen::Vector2d& offset) {
  Eigen::Matrix<double, 2, 3> jacobian;
  jacobian << 1.0, 0.0, -offset.y(), 0.0, 1.0, offset.x();
  return jacobian;
}

ImpactProblem planar_problem(int contacts, int velocities, double friction) {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Zero(velocities, velocities);
  problem.normal_jacobian = Eigen::MatrixXd::Zero(contacts, velocities);
  problem.tangent_jacobian = Eigen::MatrixXd::Zero(contacts, velocities);
  problem.friction = Eigen::VectorXd::Constant(contacts, friction);
  problem.pre_impact_velocity = Eigen::VectorXd::Zero(velocities);
  return problem;
}

}  // namespace builders
}  // namespace carom
