#include "carom/evidence_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "host/base/field_error.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_list.hpp"
#include "host/options/option_text.hpp"

namespace carom {
namespace {

// Below it, a double can no longer tell 1 - delta from 1 once delta is split over many tests.
constexpr double least_delta = 1e-9;
// A bound that is wrong in half of the cases is no evidence.
constexpr double least_confidence = 0.5;
// A test of a smaller miss probability needs more than 10^9 trajectories even without a miss.
constexpr double least_miss = 1e-9;

template <class Value>
[[noreturn]] void fail(const char* option, Value value, const std::string& rule) {
  throw FieldError(fmt::format("evidence.{}", option),
                   fmt::format("{} is {} (must be {})", option, value, rule));
}

}  // namespace

EvidenceOptions resolved(EvidenceOptions options, const SamplingOptions& sampling) {
  constexpr std::uint64_t usual = 4096;
  constexpr std::uint64_t least = 1024;  // of trajectories that somebody stated, however few
  const bool stated = sampling.trajectories.is_stated();
  const std::uint64_t trajectories = *sampling.trajectories;
  options.comparison = options.comparison && steps_by_cones(sampling.law);
  options.hold_out.choose(
      std::min(usual, stated ? std::max(trajectories, least) : trajectories / 2));
  return options;
}

void validate(const EvidenceOptions& options) {
  for_each_option(
      [](const OptionInfo& info, const auto& value) { check_range("evidence", info, value); },
      options);
  if (!(options.confidence >= least_confidence && options.confidence <= 1.0 - least_delta)) {
    fail("confidence", options.confidence,
         fmt::format(">= {} and <= 1 - {}", least_confidence, least_delta));
  }
  if (!(options.miss == 0.0 || (options.miss >= least_miss && options.miss < 1.0))) {
    fail("miss", options.miss, fmt::format("0, or >= {} and < 1", least_miss));
  }
  if (options.miss > 0.0 && options.hold_out.value_or(1) == 0) {
    fail("hold_out", *options.hold_out, "> 0 where miss is wanted");
  }
}

}  // namespace carom
