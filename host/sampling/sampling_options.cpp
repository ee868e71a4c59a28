#include "carom/sampling_options.hpp"

#include <fmt/format.h>

#include <cmath>

#include "host/base/field_error.hpp"

namespace carom {
namespace {

// TOML and HDF5 attributes store counts as signed 64-bit integers.
constexpr std::uint64_t max_count = INT64_MAX;

template <class Value>
[[noreturn]] void fail(const char* option, Value value, const std::string& rule) {
  throw FieldError(fmt::format("sampling.{}", option),
                   fmt::format("{} is {} (must be {})", option, value, rule));
}

}  // namespace

void validate(const SamplingOptions& options) {
  if (options.trajectories < 1) fail("trajectories", options.trajectories, ">= 1");
  if (options.trajectories > max_count) {
    fail("trajectories", options.trajectories, fmt::format("<= {}", max_count));
  }
  if (options.max_steps < 1 || options.max_steps > max_step_limit) {
    fail("max_steps", options.max_steps, fmt::format(">= 1 and <= {}", max_step_limit));
  }
  if (!std::isfinite(options.impulse_step) || options.impulse_step <= 0.0) {
    fail("impulse_step", options.impulse_step, "> 0 and finite, in N·s");
  }
  if (!(options.epsilon > 0.0 && options.epsilon < options.impulse_step)) {
    fail("epsilon", options.epsilon,
         fmt::format("> 0 and < impulse_step = {}", options.impulse_step));
  }
  if (!std::isfinite(options.termination_tolerance) || options.termination_tolerance < 0.0) {
    fail("termination_tolerance", options.termination_tolerance, ">= 0 and finite, in m/s");
  }
  if (options.threads < 0) fail("threads", options.threads, ">= 0; 0 = all");
  if (options.device < 0) fail("device", options.device, ">= 0");
  if (options.chunk > max_count) fail("chunk", options.chunk, fmt::format("<= {}", max_count));
}

}  // namespace carom
