#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "carom/roll.hpp"
#include "tests/support/system_data.hpp"

namespace carom::test {

/// A plate of tests/data/compliant.
inline CompliantSystem plate_of(const nlohmann::json& data) {
  const nlohmann::json& its = data.at("parameters");
  return {SpringPlate{.positions = vector_of(data.at("positions")),
                      .height = its.at("L0"),
                      .mass = its.at("m"),
                      .inertia = its.at("I"),
                      .stiffness = its.at("K"),
                      .damping = its.at("C"),
                      .gravity = its.at("g")}};
}

/// A mass on a vertical axis with one spring: above it (normal 1) or below a soft ceiling (-1).
inline CompliantSystem bouncer(double stiffness, double normal, double offset) {
  const auto one = [](double value) { return Eigen::MatrixXd::Constant(1, 1, value); };
  return {Springs{.mass_matrix = one(1.0),
                  .force = one(-9.81),
                  .normal_jacobian = one(normal),
                  .gap_offset = one(offset),
                  .contact_stiffness = one(stiffness)}};
}

/// The order test of Anderson & Revzen, Table 1.
inline CompliantSystem order_test(const nlohmann::json& data) {
  PiecewiseAffine table;
  table.guards = Eigen::Vector3d(1.0, 1.0, -1.0).asDiagonal();
  table.guard_offset = Eigen::Vector3d::Zero();
  for (int s = 0; s < 8; ++s) {
    std::string bits;
    for (int k = 0; k < 3; ++k) bits += (s >> k & 1) != 0 ? '1' : '0';
    table.matrices.push_back(matrix_of(data.at("modes").at(bits).at("A")));
    table.vectors.push_back(vector_of(data.at("modes").at(bits).at("b")));
  }
  return {table};
}

/// A system's motion from one start (position, then velocity). Without times, its last state alone
/// is kept.
inline Rollouts roll_from(const CompliantSystem& stated, const std::vector<double>& start,
                          RollOptions options) {
  const CompliantSystem system = validated(stated);
  const auto nq = static_cast<std::size_t>(system.coordinate_count());
  options.rollouts = 1;
  if (options.times.empty()) options.times = {options.duration};
  for (std::size_t i = 0; i < start.size(); ++i) {
    options.start.push_back({system.coordinates[i % nq], i >= nq, start[i], start[i]});
  }
  return roll(system, {}, options);
}

inline std::vector<double> last_state(const Rollouts& rollouts) {
  std::vector<double> state = rollouts.position;
  state.insert(state.end(), rollouts.velocity.begin(), rollouts.velocity.end());
  return state;
}

inline double farthest(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace carom::test
