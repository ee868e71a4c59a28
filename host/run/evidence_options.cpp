#include "carom/evidence_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "host/base/field_error.hpp"

namespace carom {
namespace {

// TOML and HDF5 attributes store counts as signed 64-bit integers.
constexpr std::uint64_t max_count = INT64_MAX;
// Below it, a double can no longer tell 1 - delta from 1 once delta is split over many tests.
constexpr double least_delta = 1e-9;
// A bound that is as often wrong as right is no evidence.
constexpr double least_confidence = 0.5;
// A direction takes up to seconds.
constexpr int most_random_directions = 1000;
// A test of a smaller miss probability takes more than 10^9 trajectories even without a miss.
constexpr double least_miss = 1e-9;

template <class Value>
[[noreturn]] void fail(const char* option, Value value, const std::string& rule) {
  throw FieldError(fmt::format("evidence.{}", option),
                   fmt::format("{} is {} (must be {})", option, value, rule));
}

void check_count(const char* option, std::uint64_t value) {
  if (value > max_count) fail(option, value, fmt::format("<= {}", max_count));
}

}  // namespace

void validate(const EvidenceOptions& options) {
  check_count("hold_out", options.hold_out);
  if (!(options.confidence >= least_confidence && options.confidence <= 1.0 - least_delta)) {
    fail("confidence", options.confidence,
         fmt::format(">= {} and <= 1 - {}", least_confidence, least_delta));
  }
  if (!(options.miss == 0.0 || (options.miss >= least_miss && options.miss < 1.0))) {
    fail("miss", options.miss, fmt::format("0, or >= {} and < 1", least_miss));
  }
  if (options.miss > 0.0 && options.hold_out == 0) {
    fail("hold_out", options.hold_out, "> 0 where miss is wanted");
  }
  check_count("max_trajectories", options.max_trajectories);
  if (!std::isfinite(options.max_seconds) || options.max_seconds < 0.0) {
    fail("max_seconds", options.max_seconds, ">= 0 and finite; 0 = no limit");
  }
  check_count("net_size", options.net_size);
  if (options.seek_extremes < -1 || options.seek_extremes > most_random_directions) {
    fail("seek_extremes", options.seek_extremes,
         fmt::format(">= 0 and <= {}; none, or -1 in a file, for no search",
                     most_random_directions));
  }
}

}  // namespace carom
