#include "bench/peers/peer.hpp"

#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <stdexcept>

namespace carom::peers {

namespace {

constexpr double wrong_above = 1e-6;       // scaled residual, 1000 times Carom's own tolerance
constexpr double seconds_per_round = 0.1;  // long against the clock's resolution

/// A point mass of 1 kg that falls at 1 m/s and slides at 3 m/s onto a floor with friction 0.5:
/// lambda_n stops the fall unless its cap is less, friction is half of that against the slip.
LcpSet point_mass() {
  LcpSet set;
  set.name = "point mass";
  set.contacts = 1;
  set.directions = 2;
  set.velocities = 2;
  set.count = 2;
  set.matrix = {0, -1,  0,  0,  0,   //
                1, 1,   0,  0,  0,   //
                0, 0,   1,  -1, 1,   //
                0, 0,   -1, 1,  1,   //
                0, 0.5, -1, -1, 0};  //
  set.cap = {10, 0.4};
  set.constant = {10, -1, 3, -3, 0, 0.4, -1, 3, -3, 0};
  set.velocity = {3, -1, 3, -1};
  set.velocity_scale = {3, 3};
  set.impulse_scale = {3, 0.4};
  return set;
}

void check_by_hand(const Peer& peer) {
  constexpr double known[2][5] = {{0, 1, 0, 0.5, 2.5}, {0.6, 0.4, 0, 0.2, 2.8}};
  constexpr double rounding = 1e-12;
  const LcpSet set = point_mass();
  const std::unique_ptr<LcpSolver> solver = peer.make(set);
  for (int lcp = 0; lcp < set.count; ++lcp) {
    double z[5] = {};
    bool right = solver->solve(lcp);
    solver->solution(lcp, z);
    for (int i = 0; i < set.size(); ++i)
      right = right && std::fabs(z[i] - known[lcp][i]) < rounding;
    if (!right) {
      throw std::runtime_error(peer.solver + " gives a wrong solution of the point mass with cap " +
                               std::to_string(set.cap[static_cast<std::size_t>(lcp)]) +
                               " N·s: its conventions are not those of bench/peers");
    }
  }
}

Figures measure(const LcpSet& set, const Peer& peer) {
  const std::unique_ptr<LcpSolver> solver = peer.make(set);
  std::vector<double> z(static_cast<std::size_t>(set.size()));
  Figures figures{.system = set.name, .size = set.size(), .solver = peer.solver, .lcps = set.count};
  for (int lcp = 0; lcp < set.count; ++lcp) {
    const bool solved = solver->solve(lcp);
    solver->solution(lcp, z.data());
    const bool wrong = !(set.residual(lcp, z.data()) <= wrong_above);
    figures.wrong += wrong ? 1 : 0;
    figures.reported += solved ? 0 : 1;
    figures.silent += wrong && solved ? 1 : 0;
  }
  figures.nanoseconds = time_passes([&] {
    for (int lcp = 0; lcp < set.count; ++lcp) solver->solve(lcp);
    return set.count;
  });
  return figures;
}

}  // namespace

void print(const Figures& figures) {
  std::printf(
      "{\"system\": \"%s\", \"n\": %d, \"solver\": \"%s\", \"ns_per_lcp\": %.1f, "
      "\"lcps\": %lld, \"wrong\": %lld, \"reported\": %lld, \"silent\": %lld}\n",
      figures.system.c_str(), figures.size, figures.solver.c_str(), figures.nanoseconds,
      figures.lcps, figures.wrong, figures.reported, figures.silent);
  std::fflush(stdout);
}

double time_passes(const std::function<long long()>& pass) {
  const std::clock_t start = std::clock();
  double seconds = 0.0;
  long long items = 0;
  do {
    items += pass();
    seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  } while (seconds < seconds_per_round);
  constexpr double nanoseconds_per_second = 1e9;
  return seconds * nanoseconds_per_second / static_cast<double>(items);
}

int run_round(int argc, char** argv, const std::vector<Peer>& peers) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s DUMP\n", argv[0]);
    return 2;
  }
  try {
    const std::vector<LcpSet> sets = read_dump(argv[1]);
    for (const Peer& peer : peers) check_by_hand(peer);
    for (const LcpSet& set : sets) {
      for (const Peer& peer : peers) print(measure(set, peer));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 1;
  }
  return 0;
}

}  // namespace carom::peers
