#pragma once

#include <cstdint>
#include <span>

#include "carom/choice.hpp"
#include "carom/impact_problem.hpp"
#include "carom/law.hpp"

namespace carom {

/// The processor that computes the trajectories. Results do not depend on it.
enum class Backend {
  automatic,  ///< the GPU if the build and the machine have one, else the CPU
  cpu,
  cuda,
};

/// Name of a backend in scenarios, flags, files and reports.
constexpr const char* backend_name(Backend backend) {
  constexpr const char* names[] = {"auto", "cpu", "cuda"};
  return names[static_cast<int>(backend)];
}

/// How to sample a problem: options of Algorithms 1 and 2, and of the machine.
struct SamplingOptions {
  /// M, per problem. Auto: 16,384; 4,096 where a step's solutions are found by whole lines
  /// (SolutionMethod::lines), which cost a hundred times as much.
  Choice<std::uint64_t> trajectories = {};
  /// N, steps per trajectory at most; costs nothing below the limit. Auto: 1,000 LCPs
  /// (20,000 of law sequential), or ten times as many, max_step_limit at most, if that at least
  /// halves the share of a pilot's trajectories that still collide; 100,000 impacts; 20,000
  /// intervals.
  Choice<int> max_steps = {};
  /// h, N·s: the largest cap. Auto: see default_impulse_step(), of each problem; in time, the
  /// stopping impulse of each impact, or what a contact needs that friction jams.
  Choice<double> impulse_step = {};
  /// Resolution of the net > 0, in units of `norm`. Auto: 1 % of the diameter of a pilot's
  /// outcomes, more where so fine a net would lack many outcomes (sets of six dimensions or more),
  /// but at least 1e-6 of the pre-impact speed and twice the distance that the termination
  /// tolerance tells apart, rounded to two digits.
  Choice<double> epsilon = {};
  Norm norm = Norm::euclidean;          ///< of the net
  double termination_tolerance = 1e-8;  ///< m/s: a contact that approaches slower is separated
  Law law{};                            ///< the impact law, with its own options
  std::uint32_t seed = 1;               ///< of all random numbers
  std::uint32_t problem_id = 0;         ///< stream of the first problem; the next ones follow

  // Results do not depend on the following options.
  Backend backend = Backend::automatic;  ///< the processor
  int threads = 0;                       ///< CPU threads; 0 = all
  int device = 0;                        ///< CUDA device
  std::uint64_t chunk = 0;               ///< trajectories per launch; 0 = chosen for the backend

  /// The set-valued law's own options. @throws std::bad_variant_access if the law is another one
  law::SetValued& set_valued() { return std::get<law::SetValued>(law); }
  const law::SetValued& set_valued() const { return std::get<law::SetValued>(law); }
};

/// Greatest max_steps. It keeps histograms and counters small; the paper's systems need less than
/// 30.
inline constexpr int max_step_limit = 131'072;

/// Checks the options.
/// @throws InputError naming the option and the rule.
void validate(const SamplingOptions& options);

/// h of a set where none is stated: the largest normal impulse of a contact in free steps, which do
/// not limit impulses. In each of them a contact alone, all, or (of three contacts) any two take
/// part; each begins at the velocity before the impact or where another one ended; 64 at most. At
/// least stopping_impulse(); 1 N·s where no contact approaches. A set whose trajectories take any
/// solution of their steps counts every solution of 16 free steps, too, where
/// SolutionMethod::modes finds them, 1.25 times.
double default_impulse_step(const ImpactProblem& problem);

/// The options with a value for each Choice. What Carom chooses is a function of problem, seed and
/// stated options; the pilot that epsilon needs runs trajectories that no run has.
/// @throws InputError if a stated option breaks a rule
SamplingOptions resolved(SamplingOptions options, const ImpactProblem& problem);

/// The same for problems that are sampled together: of several, each keeps its own h, and the
/// pilots are those of at most 16 problems, evenly spread.
SamplingOptions resolved(SamplingOptions options, std::span<const ImpactProblem> problems);

}  // namespace carom
