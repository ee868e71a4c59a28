// Writes the LCPs that trajectories of every peer problem meet: `dump_lcps FILE`.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <random>

#include "bench/peers/lcp_dump.hpp"
#include "bench/peers/peer_problems.hpp"
#include "host/problem/step_lcp.hpp"

namespace carom::peers {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// W of Eq. 75 with impulses as speeds: Carom's own with the rows and columns of beta.
std::vector<double> lcp_matrix(const ImpactProblem& problem, const StepLcpView& view) {
  const int m = problem.contacts();
  const int k = problem.friction_directions;
  const int impulses = (1 + k) * m;
  const int size = view.shape.bounded_size();
  RowMajor w = RowMajor::Zero(2 * m + impulses, 2 * m + impulses);
  w.block(m, m, impulses, impulses) = Eigen::Map<const Eigen::MatrixXd>(view.matrix(), size, size)
                                          .topLeftCorner(impulses, impulses);
  for (int i = 0; i < m; ++i) {
    w(i, m + i) = -1.0;
    w(m + i, i) = 1.0;
    w(m + impulses + i, m + i) = problem.friction(i);
    for (int j = 0; j < k; ++j) {
      w(2 * m + i * k + j, m + impulses + i) = 1.0;
      w(m + impulses + i, 2 * m + i * k + j) = -1.0;
    }
  }
  return {w.data(), w.data() + w.size()};
}

/// Appends w of Eq. 75, rounded as Carom's own step does, and the two scales of the residual.
void add_lcp(const ImpactProblem& problem, const StepLcpView& view, const double* velocity,
             const double* cap, LcpSet& set) {
  const int m = set.contacts;
  const int nv = set.velocities;
  const auto speed_of = [&](const Eigen::MatrixXd& jacobian, int row) {
    double sum = 0.0;
    for (int j = 0; j < nv; ++j) sum = std::fma(jacobian(row, j), velocity[j], sum);
    return sum;
  };
  std::vector<double> w;
  for (int i = 0; i < m; ++i) w.push_back(cap[i] * view.impulse_unit());
  for (int i = 0; i < m; ++i) w.push_back(speed_of(problem.normal_jacobian, i));
  for (int i = 0; i < m; ++i) {
    const double slip = speed_of(problem.tangent_jacobian, i);  // planar: directions +1 and -1
    w.push_back(slip);
    w.push_back(-slip);
  }
  double fastest = 0.0;
  for (auto entry = w.begin() + m; entry != w.end(); ++entry) {
    fastest = std::max(fastest, std::fabs(*entry));
  }
  w.resize(static_cast<std::size_t>(set.size()), 0.0);
  const double largest_cap = *std::max_element(cap, cap + m);
  set.constant.insert(set.constant.end(), w.begin(), w.end());
  set.velocity.insert(set.velocity.end(), velocity, velocity + nv);
  set.cap.insert(set.cap.end(), cap, cap + m);
  set.velocity_scale.push_back(fastest);
  set.impulse_scale.push_back(std::min(largest_cap, fastest / view.least_admittance()) *
                              view.impulse_unit());
  ++set.count;
}

/// Velocities on the way of trajectories, with caps drawn as Algorithms 1 and 2 draw them: a step's
/// caps do not depend on the velocity before it, so fresh ones have the right distribution.
LcpSet collect(const PeerProblem& source) {
  const ImpactProblem& problem = source.problem;
  const SamplingOptions& options = source.sampling;
  const double final_cap = *options.epsilon / (3.0 * psi(problem, options.norm));
  const std::vector<double> data = flatten(problem, *options.impulse_step, final_cap);
  const StepLcpView view{.shape = shape_of(problem), .data = data.data()};
  LcpSet set;
  set.name = source.name;
  set.contacts = problem.contacts();
  set.directions = problem.friction_directions;
  set.velocities = problem.velocities();
  set.matrix = lcp_matrix(problem, view);

  const Sampler sampler(std::span(&problem, 1), options);
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(0.0, *options.impulse_step);
  const auto nv = static_cast<std::size_t>(set.velocities);
  std::vector<double> cap(static_cast<std::size_t>(set.contacts));
  for (std::uint64_t trajectory = 0; set.count < source.lcps; ++trajectory) {
    const std::vector<double> path = sampler.path(trajectory);
    const int steps = static_cast<int>(path.size() / nv) - 1;
    for (int step = 0; step < steps && set.count < source.lcps; ++step) {
      for (double& one : cap) one = step < options.max_steps ? uniform(engine) : final_cap;
      add_lcp(problem, view, path.data() + static_cast<std::size_t>(step) * nv, cap.data(), set);
    }
  }
  return set;
}

}  // namespace

}  // namespace carom::peers

int main(int argc, char** argv) {
  using namespace carom::peers;
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE\n", argv[0]);
    return 2;
  }
  try {
    std::vector<LcpSet> sets;
    for (const PeerProblem& problem : peer_problems()) sets.push_back(collect(problem));
    write_dump(argv[1], sets);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}
