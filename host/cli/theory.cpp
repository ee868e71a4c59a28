#include "host/cli/theory.hpp"

#include <fmt/core.h>

#include <cmath>

#include "host/cli/options.hpp"
#include "host/cli/terminal.hpp"
#include "host/laws/law_list.hpp"

namespace carom::cli {
namespace {

using nlohmann::ordered_json;

constexpr double most_trajectories = 0.99;  // share at which the tails are compared

/// "536", or "10^44.6" for very large numbers.
std::string power_of_ten(double log10) {
  constexpr double readable = 6.0;
  return log10 < readable ? fmt::format("{:.0f}", std::ceil(std::pow(10.0, log10)))
                          : fmt::format("10^{:.1f}", log10);
}

std::string bound_text(const Theory& theory) {
  if (!theory.bound) return "none: the friction cone is not pointed";
  if (!theory.uniform_caps) return "none: it is about law set_valued with uniform caps only";
  const TerminationBound& bound = *theory.bound;
  return fmt::format(
      "99 % of the trajectories end within {:.6g} LCPs; P(more than {:.6g} + k) <= exp(-k / {})",
      bound.lcps_within(most_trajectories), bound.certain, bound.decay);
}

std::string tail_text(const Law& law, const MeasuredTail& tail) {
  std::string text =
      fmt::format("99 % within {}, at most {}, on average {:.4g} {}s ({} trajector{}",
                  tail.within_99, tail.most, tail.mean, step_name(step_kind(law)),
                  tail.trajectories, tail.trajectories == 1 ? "y" : "ies");
  if (tail.unfinished > 0) {
    text += fmt::format("; {} still collided after {} steps", tail.unfinished, tail.max_steps);
  }
  return text + ")";
}

std::string samples_text(const Scenario& scenario, const Theory& theory) {
  if (!theory.uniform_caps) return "none: it is about law set_valued with uniform caps only";
  if (theory.ambiguous.value_or(0.0) > 0.0) {
    return fmt::format("none: {:.3g} % of the steps have several solutions (against Assumption 6)",
                       percent * *theory.ambiguous);
  }
  if (theory.slope.pairs == 0) return "none: no pair of trajectories could be compared";
  if (theory.slope.jumps) {
    return "none: the outcome jumps where the caps hardly differ (no Lipschitz constant)";
  }
  return fmt::format("M = {} for epsilon = {} and confidence {:.10g} % (Lipschitz constant {})",
                     power_of_ten(theory.log10_trajectories), number(*scenario.sampling.epsilon),
                     percent * scenario.evidence.confidence, number(theory.slope.constant));
}

}  // namespace

Theory examine_theory(const Scenario& scenario) {
  const SamplingOptions& options = scenario.sampling;
  Theory theory;
  theory.bound = termination_bound(scenario.problem, *options.impulse_step);
  theory.uniform_caps = has_uniform_caps(options);
  theory.tail = measure_tail(scenario.problem, options);
  if (step_kind(options.law) != StepKind::lcp) return theory;  // the rest is about caps
  theory.ambiguous = measure_ambiguity(scenario.problem, options);
  theory.slope = measure_slope(scenario.problem, options);
  theory.dimensions = static_cast<double>(options.max_steps) * scenario.problem.contacts();
  theory.log10_trajectories =
      log10_dense_samples(theory.dimensions, *options.impulse_step, theory.slope.constant,
                          *options.epsilon, 1.0 - scenario.evidence.confidence);
  return theory;
}

std::string theory_text(const Scenario& scenario, const Theory& theory) {
  std::string text = "Theory (Halm & Posa) and measurement\n";
  text += line("Theorem 8", bound_text(theory));
  text += line("measured", tail_text(scenario.sampling.law, theory.tail));
  text += line("Lemma 1", samples_text(scenario, theory));
  constexpr double feasible = 12.0;  // log10 of the trajectories of a computer per day
  if (theory.lemma_holds() && theory.log10_trajectories > feasible) {
    text +=
        line("", "astronomically large, although the constant is measured and so the least one;");
    text += line("", "what M trajectories do cover is told by the certificate of carom sample");
  }
  return text;
}

ordered_json theory_json(const Theory& theory) {
  ordered_json document = {{"uniform_caps", theory.uniform_caps}, {"theorem_8", nullptr}};
  if (theory.bound && theory.uniform_caps) {
    document["theorem_8"] = {{"c", theory.bound->c},
                             {"certain", theory.bound->certain},
                             {"decay", theory.bound->decay},
                             {"lcps_within_99", theory.bound->lcps_within(most_trajectories)}};
  }
  const MeasuredTail& tail = theory.tail;
  document["measured"] = {{"trajectories", tail.trajectories},
                          {"max_steps", tail.max_steps},
                          {"mean", tail.mean},
                          {"lcps_within_99", tail.within_99},
                          {"most", tail.most},
                          {"unfinished", tail.unfinished}};
  document["ambiguous_steps"] =
      theory.ambiguous ? ordered_json(*theory.ambiguous) : ordered_json(nullptr);
  document["lipschitz"] = {{"constant", theory.slope.constant},
                           {"jumps", theory.slope.jumps},
                           {"pairs", theory.slope.pairs}};
  document["lemma_1"] = nullptr;
  if (theory.lemma_holds()) {
    document["lemma_1"] = {{"dimensions", theory.dimensions},
                           {"log10_trajectories", theory.log10_trajectories}};
  }
  return document;
}

}  // namespace carom::cli
