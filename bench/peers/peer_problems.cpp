#include "bench/peers/peer_problems.hpp"

#include <cmath>
#include <map>
#include <numbers>
#include <random>

namespace carom::peers {

namespace {

// More than a branch predictor learns by heart at small sizes, seconds for the slowest peer at
// large ones.
int lcps_of_size(int contacts) { return contacts <= 2 ? 8192 : (contacts <= 5 ? 2048 : 256); }

PeerProblem built_in(const System& system) {
  std::map<std::string, double> parameters;
  for (const SystemParameter& parameter : system.parameters) {
    parameters[parameter.name] = parameter.value;
  }
  return {system.name, system.build(parameters), system.sampling, 0};
}

/// Three disks on the floor, two on these, one on top, each of 1 m and 1 kg and with the disk
/// stack's friction; the top one falls at 1 m/s. Velocities x', y', theta' disk by disk.
ImpactProblem disk_pyramid() {
  const double half_root = 0.5 * std::numbers::sqrt3;
  std::vector<Eigen::Vector2d> centres;
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 3 - row; ++i) centres.emplace_back(2 * i + row, 1 + 2 * half_root * row);
  }
  constexpr Eigen::Index contacts = 12;
  const Eigen::Index nv = 3 * static_cast<Eigen::Index>(centres.size());
  ImpactProblem problem;
  problem.mass_matrix = Eigen::MatrixXd::Identity(nv, nv);
  for (Eigen::Index spin = 2; spin < nv; spin += 3) problem.mass_matrix(spin, spin) = 0.5;
  problem.normal_jacobian = Eigen::MatrixXd::Zero(contacts, nv);
  problem.tangent_jacobian = Eigen::MatrixXd::Zero(contacts, nv);
  problem.friction = Eigen::VectorXd::Constant(contacts, std::numbers::sqrt3);
  Eigen::Index contact = 0;
  // `normal` points from the other body to this disk; both surfaces turn alike at the contact.
  const auto add = [&](Eigen::Index disk, const Eigen::Vector2d& normal, double sign) {
    problem.normal_jacobian.block<1, 2>(contact, 3 * disk) = sign * normal.transpose();
    problem.tangent_jacobian.block<1, 3>(contact, 3 * disk) << sign * normal.y(),
        -sign * normal.x(), 1.0;
  };
  for (std::size_t disk = 0; disk < centres.size(); ++disk) {
    if (centres[disk].y() < 1.5) {
      add(static_cast<Eigen::Index>(disk), {0.0, 1.0}, 1.0);
      ++contact;
    }
    for (std::size_t other = 0; other < disk; ++other) {
      const Eigen::Vector2d apart = centres[disk] - centres[other];
      if (apart.norm() > 2.5) continue;
      add(static_cast<Eigen::Index>(disk), 0.5 * apart, 1.0);
      add(static_cast<Eigen::Index>(other), 0.5 * apart, -1.0);
      ++contact;
    }
  }
  problem.pre_impact_velocity = Eigen::VectorXd::Zero(nv);
  problem.pre_impact_velocity(nv - 2) = -1.0;
  return problem;
}

/// Gaussian Jacobians, a well-conditioned mass matrix, friction uniform on [0, 1.5].
ImpactProblem random_problem() {
  constexpr Eigen::Index contacts = 12;
  constexpr Eigen::Index nv = 2 * contacts;  // no redundant contact
  std::mt19937_64 engine(4);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 1.5);
  const auto gaussian = [&](Eigen::Index rows, Eigen::Index columns) {
    Eigen::MatrixXd matrix(rows, columns);
    for (Eigen::Index i = 0; i < rows; ++i) {
      for (Eigen::Index j = 0; j < columns; ++j) matrix(i, j) = normal(engine);
    }
    return matrix;
  };
  ImpactProblem problem;
  const Eigen::MatrixXd factor = gaussian(nv, nv);
  const Eigen::MatrixXd square = factor * factor.transpose() / static_cast<double>(nv);
  problem.mass_matrix =
      0.5 * (square + square.transpose()) + 0.1 * Eigen::MatrixXd::Identity(nv, nv);
  problem.normal_jacobian = gaussian(contacts, nv);
  problem.tangent_jacobian = gaussian(contacts, nv);
  problem.friction.resize(contacts);
  for (double& coefficient : problem.friction) coefficient = uniform(engine);
  problem.pre_impact_velocity = gaussian(nv, 1);
  return problem;
}

PeerProblem of_twelve_contacts(const std::string& name, const ImpactProblem& problem) {
  SamplingOptions sampling;
  sampling.impulse_step = stopping_impulse(problem);
  sampling.epsilon = 0.1 * sampling.impulse_step;
  sampling.max_steps = 20;
  return {name, problem, sampling, 0};
}

}  // namespace

std::vector<PeerProblem> peer_problems() {
  std::vector<PeerProblem> problems;
  for (const System& system : systems()) {
    const bool has_lcps = std::holds_alternative<law::SetValued>(system.sampling.law);
    if (has_lcps) problems.push_back(built_in(system));
  }
  problems.push_back(of_twelve_contacts("disk_pyramid", disk_pyramid()));
  problems.push_back(of_twelve_contacts("random_12", random_problem()));
  for (PeerProblem& problem : problems) {
    problem.problem = validated(std::move(problem.problem));
    problem.lcps = lcps_of_size(problem.problem.contacts());
    problem.sampling.backend = Backend::cpu;
    problem.sampling.threads = 1;
  }
  return problems;
}

}  // namespace carom::peers
