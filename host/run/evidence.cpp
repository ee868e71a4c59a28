#include "host/run/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "carom/error.hpp"
#include "host/evidence/comparison_note.hpp"
#include "host/laws/law_list.hpp"
#include "host/problem/step_lcp.hpp"
#include "host/run/hold_out.hpp"
#include "host/run/run_notes.hpp"
#include "host/sampling/observed_stages.hpp"
#include "kernels/problem/default_steps.hpp"

namespace carom {
namespace {

/// Whether ends of the set are wanted, by a search or along directions.
bool wants_extremes(const EvidenceOptions& evidence) {
  return evidence.seek_extremes >= 0 || evidence.outputs.size() > 0;
}

void add_sought(const ImpactProblem& problem, const SamplingOptions& options,
                const EvidenceOptions& evidence, const SampleObserver& observer,
                PostImpactSet& set) {
  set.sought = find_extremes(problem, options, evidence.seek_extremes, evidence.outputs, observer);
  for (SoughtOutcome& outcome : set.sought) {
    outcome.net_distance = set.net.distance(outcome.velocity.data());
  }
  for (std::size_t number = 0; number < set.sought.size(); ++number) {
    set.net.add_sought(number, set.sought[number].velocity.data());
  }
}

/// Whether an outcome is none of the run's, and the bound holds for it: of how many steps it is is
/// not known.
bool is_compared(const SoughtOutcome& sought, const OuterBound& bound) {
  return sought.found != sought.sampled && bound.closed();
}

/// Returns false if the observer stopped the stage.
bool add_certificate(const ImpactProblem& problem, const SamplingOptions& options,
                     const EvidenceOptions& evidence, const StageObserver& observer,
                     RunEngine& engine, PostImpactSet& set) {
  const HoldOutPlan plan{.trajectories = options.trajectories,
                         .first = options.trajectories,
                         .trials = evidence.hold_out,
                         .confidence = evidence.confidence};
  const std::optional<HoldOut> test = engine.test(problem, options, set.net, plan, observer);
  if (!test) return false;
  set.certificate = blank_certificate(options, evidence);
  set.certificate->tests.push_back(*test);
  if (evidence.miss > 0.0) set.certificate->reached = test->miss_bound <= evidence.miss;
  return true;
}

/// Computes the requested evidence, stage by stage. @throws StageStopped if the observer stops a
/// stage
void add_stages(const ImpactProblem& problem, const SamplingOptions& options,
                const EvidenceOptions& evidence, const StageObserver& observer, RunEngine& engine,
                PostImpactSet& set) {
  const bool outcomes = set.summary.outcomes() > 0;
  const auto stage = [&](const char* name) -> SampleObserver {
    return [&observer, name](std::uint64_t done, std::uint64_t total) {
      return !observer || observer(name, done, total);
    };
  };

  if (wants_extremes(evidence) && set.sought.empty() && outcomes) {
    add_sought(problem, options, evidence, stage("extremes"), set);
  }
  // A growing run has its certificate already; members added later can only reduce the misses.
  if (evidence.hold_out > 0 && !set.certificate && outcomes) {
    if (!add_certificate(problem, options, evidence, observer, engine, set)) return;
  }
  if (evidence.comparison && has_restitution(problem)) {
    set.comparison.note = "The simultaneous and the sequential law have no restitution.";
  } else if (evidence.comparison) {
    report(stage("comparison"), 0, 1);
    set.comparison = compare_laws(problem, options, set.net);
  }
  if (evidence.net_size > 0 && outcomes) {
    set.selection = farthest_points(problem, options, evidence.net_size, stage("selection"));
  }
  if (evidence.verify_net && outcomes) {
    set.net_check = check_net(problem, options, set.net, stage("net check"));
  }
  if (evidence.bound && outcomes) {
    set.bound = check_bound(problem, options, *evidence.bound, evidence.outputs, stage("bound"));
    for (const SoughtOutcome& sought : set.sought) {
      if (!is_compared(sought, set.bound->bound)) continue;
      set.bound->add({sought.velocity.data(), 1, problem.velocities()}, bound_allowance(problem));
    }
  }
  const bool set_valued = std::holds_alternative<law::SetValued>(options.law);
  if (!set.audit && set_valued && finds_solutions_by_lines(problem, options.law) &&
      !has_restitution(problem)) {
    set.audit = audit_solutions(problem, options, {}, stage("audit"));
  }
}

}  // namespace

PostImpactSet empty_set(const ImpactProblem& problem, const SamplingOptions& options) {
  PostImpactSet set{
      .net = EpsilonNet(problem.velocities(), *options.epsilon, net_metric(problem, options.norm)),
      .modes = OutcomeModes(problem),
      .complete = false,
      .psi = psi(problem, options.norm)};
  set.final_cap = final_cap(*options.epsilon, set.psi);
  // The histogram of most runs has a fixed length; it grows where a run needs more.
  constexpr int usual = 1000;
  set.summary.lcp_histogram.resize(
      static_cast<std::size_t>(std::min(*options.max_steps, usual)) + 1, 0);
  return set;
}

void require_set_of(const ImpactProblem& problem, const SamplingOptions& options,
                    const PostImpactSet& set) {
  const PostImpactSet own = empty_set(problem, options);
  const auto require = [](bool holds, const std::string& what) {
    if (!holds) throw InputError(fmt::format("the set is of another run: its {}", what));
  };
  const Eigen::Index nv = set.net.velocity_rows().cols();
  require(nv == problem.velocities(),
          fmt::format("net has {} velocities (must have {})", nv, problem.velocities()));
  require(set.net.epsilon() == own.net.epsilon(),
          fmt::format("epsilon is {} (must be {})", set.net.epsilon(), own.net.epsilon()));
  const Eigen::MatrixXd& metric = set.net.metric();
  require(metric.size() == own.net.metric().size() && metric == own.net.metric(),
          "net has another metric (must have that of norm)");
}

void drop_evidence(const ImpactProblem& problem, const SamplingOptions& options,
                   PostImpactSet& set) {
  const std::vector<std::uint64_t>& index = set.net.index();
  const auto sampled =
      std::lower_bound(index.begin(), index.end(), EpsilonNet::sought_index) - index.begin();
  if (static_cast<std::size_t>(sampled) < index.size()) {
    std::vector<std::uint64_t> members(index.begin(), index.begin() + sampled);
    std::vector<double> velocity = set.net.velocity();
    velocity.resize(members.size() * static_cast<std::size_t>(problem.velocities()));
    EpsilonNet net(problem.velocities(), *options.epsilon, net_metric(problem, options.norm));
    net.restore(members, velocity);
    set.net = std::move(net);
  }
  set.sought.clear();
  set.certificate.reset();
  set.comparison = {};
  set.selection.reset();
  set.net_check.reset();
  set.bound.reset();
  set.audit.reset();
}

std::vector<std::string> missing_evidence(const EvidenceOptions& evidence,
                                          const PostImpactSet& set) {
  const bool outcomes = set.summary.outcomes() > 0;
  std::vector<std::string> missing;
  const auto expect = [&](bool wanted, bool found, const char* name) {
    if (wanted && !found) missing.emplace_back(name);
  };
  expect(wants_extremes(evidence) && outcomes, !set.sought.empty(), "sought extremes");
  expect(evidence.hold_out.value_or(1) > 0 && outcomes, set.certificate.has_value(), "certificate");
  expect(evidence.comparison, !set.comparison.outcomes.empty() || !set.comparison.note.empty(),
         "comparison laws");
  expect(evidence.net_size > 0 && outcomes, set.selection.has_value(), "net selection");
  expect(evidence.verify_net && outcomes, set.net_check.has_value(), "check of the net");
  expect(evidence.bound && outcomes, set.bound.has_value(), "bound");
  return missing;
}

void add_evidence(const ImpactProblem& problem, const SamplingOptions& options,
                  const EvidenceOptions& evidence, PostImpactSet& set,
                  const StageObserver& observer) {
  add_evidence(problem, options, evidence, set, observer, *this_process(0));
}

void add_evidence(const ImpactProblem& given, const SamplingOptions& given_options,
                  const EvidenceOptions& evidence, PostImpactSet& set,
                  const StageObserver& observer, RunEngine& engine) {
  validate(evidence);
  const ImpactProblem problem = validated(given);
  validate(evidence.outputs, problem);
  if (!set.complete) {
    throw InputError(fmt::format("evidence is asked for after {} trajectories (must be after all)",
                                 set.summary.trajectories));
  }
  SamplingOptions options = resolved(given_options, problem);
  require_set_of(problem, options, set);
  const EvidenceOptions wanted = resolved(evidence, options);
  options.trajectories = set.summary.trajectories;
  try {
    add_stages(problem, options, wanted, observer, engine, set);
  } catch (const StageStopped&) {  // the set keeps the evidence found so far
  }
  note_evidence(options, set);
}

}  // namespace carom
