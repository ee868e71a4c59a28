// One step LCP: Lemke's method on LCPs met along trajectories, by system.
#include <benchmark/benchmark.h>

#include <random>

#include "bench/bench_problems.hpp"
#include "kernels/cpu/run_items.hpp"

namespace carom::bench {
namespace {

constexpr std::size_t steps_per_loop = 1024;

/// Velocities on the way of trajectories and caps as the sampler draws them.
struct Steps {
  std::vector<Eigen::VectorXd> velocity;
  std::vector<Eigen::VectorXd> cap;
};

Steps collect(const System& system, const ImpactProblem& problem) {
  SamplingOptions options = system.sampling;
  options.backend = Backend::cpu;
  const Sampler sampler(std::span(&problem, 1), options);
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(0.0, *options.impulse_step);
  Steps steps;
  const Eigen::Index nv = problem.velocities();
  for (std::uint64_t trajectory = 0; steps.velocity.size() < steps_per_loop; ++trajectory) {
    const std::vector<double> path = sampler.path(trajectory);
    for (std::size_t at = 0; at + static_cast<std::size_t>(nv) < path.size();
         at += static_cast<std::size_t>(nv)) {
      steps.velocity.emplace_back(Eigen::Map<const Eigen::VectorXd>(&path[at], nv));
      steps.cap.emplace_back(Eigen::VectorXd::NullaryExpr(
          problem.contacts(), [&](Eigen::Index) { return uniform(engine); }));
    }
  }
  return steps;
}

void step_lcp(benchmark::State& state, const System& system) {
  const ImpactProblem problem = build(system);
  const Steps steps = collect(system, problem);
  const std::vector<double> data = flatten(problem, 1.0, 1.0);
  const StepLcpView view{.shape = shape_of(problem), .data = data.data()};
  const int m = problem.contacts();
  Eigen::VectorXd slack(m), normal(m), direction(view.shape.frictions()), slip(m),
      impulse(view.shape.impulses()), velocity(problem.velocities());
  std::size_t at = 0;
  std::int64_t pivots = 0;
  std::int64_t failures = 0;
  for (auto _ : state) {
    velocity = steps.velocity[at];
    const StepOutcome outcome = item_runner().step(view, steps.cap[at].data(), Effort::thorough,
                                                   {slack.data(), normal.data(), direction.data(),
                                                    slip.data(), impulse.data(), velocity.data()});
    benchmark::DoNotOptimize(velocity.data());
    pivots += outcome.pivots;
    failures += outcome.status != Status::separated;
    at = (at + 1) % steps.velocity.size();
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["n"] = view.shape.lcp_size();
  state.counters["pivots"] =
      benchmark::Counter(static_cast<double>(pivots), benchmark::Counter::kAvgIterations);
  state.counters["failures"] = static_cast<double>(failures);
}

}  // namespace

void register_all() {
  for (const System& system : set_valued_systems()) {
    benchmark::RegisterBenchmark(("step_lcp/" + system.name).c_str(), step_lcp, system);
  }
}

}  // namespace carom::bench

int main(int argc, char** argv) {
  return carom::bench::run(argc, argv, carom::bench::register_all);
}
