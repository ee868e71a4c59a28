#include "host/evidence/hold_out.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <span>

#include "carom/error.hpp"
#include "carom/sampler.hpp"
#include "kernels/launch.hpp"

namespace carom {
namespace {

struct Counts {
  std::uint64_t misses = 0;
  std::uint64_t failures = 0;
};

}  // namespace

CapsDistribution independent_caps(const CapsDistribution& caps) {
  CapsDistribution independent;
  independent.components.clear();
  for (const CapsComponent& component : caps.components) {
    CapsComponent drawn = component;
    if (component.kind == CapsKind::sobol) {
      drawn = CapsComponent{};
      drawn.weight = component.weight;
    }
    const auto same = std::find_if(
        independent.components.begin(), independent.components.end(), [&](const auto& other) {
          return drawn.kind == CapsKind::uniform && other.kind == CapsKind::uniform;
        });
    if (caps.uses(CapsKind::sobol) && same != independent.components.end()) {
      same->weight += drawn.weight;  // say "uniform" once
    } else {
      independent.components.push_back(std::move(drawn));
    }
  }
  return independent;
}

void count_trials(const SampleSet& samples, const EpsilonNet& net, HoldOut& test) {
  constexpr std::size_t grain = 256;  // searches of the net, some microseconds each
  const auto nv = static_cast<std::size_t>(samples.velocities);
  const Counts found = oneapi::tbb::parallel_reduce(
      oneapi::tbb::blocked_range<std::size_t>(0, samples.size(), grain), Counts{},
      [&](const auto& range, Counts counts) {
        for (std::size_t row = range.begin(); row < range.end(); ++row) {
          if (samples.status[row] != Status::separated) {
            ++counts.failures;
            ++counts.misses;
          } else if (!(net.distance(&samples.velocity[row * nv]) <= net.epsilon())) {
            ++counts.misses;
          }
        }
        return counts;
      },
      [](const Counts& a, const Counts& b) {
        return Counts{a.misses + b.misses, a.failures + b.failures};
      });
  test.trials += samples.size();
  test.misses += found.misses;
  test.failures += found.failures;
}

void check_hold_out(const HoldOutPlan& plan) {
  if (plan.trials > std::numeric_limits<std::uint64_t>::max() - plan.first) {
    throw InputError(fmt::format("trials is {} (with the first index, {}, it must stay below 2^64)",
                                 plan.trials, plan.first));
  }
}

std::optional<HoldOut> run_hold_out(const ImpactProblem& problem, const SamplingOptions& options,
                                    const EpsilonNet& net, const HoldOutPlan& plan,
                                    const StageObserver& observer) {
  check_hold_out(plan);
  SamplingOptions fresh = options;
  fresh.caps = independent_caps(options.caps);
  const Sampler sampler(std::span(&problem, 1), fresh);
  oneapi::tbb::task_arena arena(usable_threads(options.threads));

  HoldOut test;
  test.trajectories = plan.trajectories;
  test.first = plan.first;
  test.confidence = plan.confidence;
  SampleSet chunk;
  while (test.trials < plan.trials) {
    if (observer && !observer("hold-out", test.trials, plan.trials)) return std::nullopt;
    sampler.sample(plan.first + test.trials, std::min(sampler.chunk(), plan.trials - test.trials),
                   chunk);
    arena.execute([&] { count_trials(chunk, net, test); });
  }
  if (observer && !observer("hold-out", test.trials, plan.trials)) return std::nullopt;
  test.miss_bound = clopper_pearson_upper(test.misses, test.trials, plan.confidence);
  return test;
}

HoldOut hold_out(const ImpactProblem& problem, const SamplingOptions& options,
                 const EpsilonNet& net, std::uint64_t trajectories, std::uint64_t first,
                 std::uint64_t trials, double confidence) {
  return *run_hold_out(
      problem, options, net,
      {.trajectories = trajectories, .first = first, .trials = trials, .confidence = confidence},
      {});
}

}  // namespace carom
