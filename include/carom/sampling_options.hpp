#pragma once

#include <cstdint>
#include <optional>

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
  std::uint64_t trajectories = 16384;  ///< M, per problem
  int max_steps = 10;                  ///< N, LCPs of Algorithm 1 per trajectory
  /// h, N·s: the largest cap. None: the stopping impulse of the (first) problem, 1 N·s where no
  /// contact approaches.
  std::optional<double> impulse_step = {};
  /// Resolution of the net, in units of `norm`; 0 < epsilon < h. None: 0.01, or a tenth of h where
  /// h is at most 0.01.
  std::optional<double> epsilon = {};
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
inline constexpr int max_step_limit = 65535;

/// Checks the options.
/// @throws InputError naming the option and the rule.
void validate(const SamplingOptions& options);

/// The options with h and epsilon filled in: their defaults depend on the problem.
SamplingOptions resolved(SamplingOptions options, const ImpactProblem& problem);

}  // namespace carom
