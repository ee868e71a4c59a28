#include "carom/certificate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "host/laws/law_list.hpp"
#include "host/run/hold_out.hpp"

namespace carom {
namespace {

/// A bound in two digits, rounded upwards, so that the sentence does not claim more than the test
/// showed.
std::string bound_text(double bound) {
  if (!(bound < 1.0)) return "1";
  const double unit = std::pow(10.0, std::floor(std::log10(bound)) - 1.0);
  return fmt::format("{:.1e}", std::ceil(bound / unit) * unit);
}

std::string percent(double share) { return fmt::format("{:.10g} %", 100.0 * share); }

std::string counted(std::uint64_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::string test_text(const HoldOut& test) {
  std::string text = counted(test.misses, "miss", "misses");
  if (test.failures > 0) text += fmt::format(", {} of them without an outcome,", test.failures);
  return text + " in " + counted(test.trials, "fresh trajectory", "fresh trajectories");
}

}  // namespace

Certificate blank_certificate(const SamplingOptions& options, const EvidenceOptions& evidence) {
  Certificate certificate;
  certificate.epsilon = *options.epsilon;
  certificate.confidence = evidence.confidence;
  certificate.miss = evidence.miss;
  certificate.reached = evidence.miss == 0.0;
  certificate.norm = options.norm;
  certificate.law = independent(options.law);
  certificate.impulse_step = *options.impulse_step;
  certificate.max_steps = options.max_steps;
  return certificate;
}

std::string Certificate::sentence() const {
  if (tests.empty()) return "Nothing is claimed: no fresh trajectory has tested the net.";
  const HoldOut& last = tests.back();
  std::string made = test_text(last);
  if (miss > 0.0) {
    made += fmt::format(
        "; test {} of a growing run, whose tests are all right with this confidence", tests.size());
  }
  std::string text = fmt::format(
      "With confidence {}, a new trajectory ({}, N = {}) ends "
      "farther than epsilon = {:.10g} ({} norm) from the net, or without an outcome, with "
      "probability at most {} ({}). This bounds probability mass under these draws; it does not "
      "bound how far the last unseen outcome lies.",
      percent(confidence), law_words(law, fmt::format("{:.10g} N·s", impulse_step)), max_steps,
      epsilon, norm == Norm::euclidean ? "Euclidean" : "kinetic", bound_text(last.miss_bound),
      made);
  if (!reached) text += fmt::format(" The wanted bound, {:.10g}, was not reached.", miss);
  return text;
}

}  // namespace carom
