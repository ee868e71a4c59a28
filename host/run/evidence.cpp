#include "host/run/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "carom/error.hpp"
#include "host/evidence/comparison_note.hpp"
#include "host/laws/law_list.hpp"
#include "host/problem/step_lcp.hpp"
#include "host/run/hold_out.hpp"
#include "host/run/net_search.hpp"
#include "host/run/run_notes.hpp"
#include "host/run/searched_rows.hpp"
#include "host/sampling/observed_stages.hpp"
#include "kernels/problem/default_steps.hpp"

namespace carom {
namespace {

/// Whether ends of the set are wanted, by a search or along directions.
bool wants_extremes(const EvidenceOptions& evidence) {
  return evidence.seek_extremes >= 0 || evidence.outputs.size() > 0;
}

/// Removes the members of no trajectory from the net.
void keep_sampled(const ImpactProblem& problem, const SamplingOptions& options, EpsilonNet& net) {
  const std::vector<std::uint64_t>& index = net.index();
  const auto sampled =
      std::lower_bound(index.begin(), index.end(), EpsilonNet::sought_index) - index.begin();
  if (static_cast<std::size_t>(sampled) == index.size()) return;
  std::vector<double> velocity = net.velocity();
  velocity.resize(static_cast<std::size_t>(sampled * problem.velocities()));
  EpsilonNet kept(problem.velocities(), *options.epsilon, net_metric(problem, options.norm));
  kept.restore({index.begin(), index.begin() + sampled}, velocity);
  net = std::move(kept);
}

void add_sought(const ImpactProblem& problem, const SamplingOptions& options,
                const EvidenceOptions& evidence, const SampleObserver& observer,
                PostImpactSet& set) {
  set.sought = find_extremes(problem, options, evidence.seek_extremes, evidence.outputs, observer);
  for (SoughtOutcome& outcome : set.sought) {
    outcome.net_distance = set.net.distance(outcome.velocity.data());
  }
  keep_sampled(problem, options, set.net);
  for (std::size_t number = 0; number < set.sought.size(); ++number) {
    set.net.add_found(EpsilonNet::sought_index + number, set.sought[number].velocity.data());
  }
  // What an earlier call searched comes after them.
  const RowMatrixView searched = searched_rows(set);
  std::uint64_t members = 0;
  for (Eigen::Index row = 0; row < searched.rows(); ++row) {
    const std::uint64_t index = EpsilonNet::searched_index + static_cast<std::uint64_t>(row);
    members += set.net.add_found(index, searched.row(row).data()) ? 1 : 0;
  }
  if (!set.search || members == set.search->members) return;
  set.search->members = members;
  // The net that was tested had others; that of a growing run was tested before the search.
  if (set.certificate && set.certificate->miss == 0.0) set.certificate.reset();
  set.net_check.reset();
}

/// Whether the set is to be searched beyond its trajectories.
bool wants_search(const SamplingOptions& options, const EvidenceOptions& evidence,
                  const PostImpactSet& set) {
  return evidence.search && is_searched(options.law) && is_searched(set.summary);
}

/// Compares outcomes that are none of the run's with the bound, if it holds for any number of
/// steps: of how many these outcomes are is not known.
void compare_found(const ImpactProblem& problem, PostImpactSet& set) {
  if (!set.bound->bound.closed()) return;
  const int nv = problem.velocities();
  const double allowance = bound_allowance(problem);
  for (const SoughtOutcome& sought : set.sought) {
    if (sought.found != sought.sampled) set.bound->add({sought.velocity.data(), 1, nv}, allowance);
  }
  set.bound->add(searched_rows(set), allowance);
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
  if (wants_search(options, evidence, set) && !set.search) {
    search_beyond(problem, options, evidence.outputs, stage("search"), set);
  }
  // A growing run has its certificate already; members added later can only reduce the misses.
  if (evidence.hold_out > 0 && !set.certificate && outcomes) {
    if (!add_certificate(problem, options, evidence, observer, engine, set)) return;
  }
  if (evidence.comparison && rebounds(problem, options.law)) {
    set.comparison.note = fmt::format("The {}.", comparison_needs_no_restitution);
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
    set.bound = check_bound(problem, options, *evidence.bound, evidence.outputs, observer);
    compare_found(problem, set);
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
  keep_sampled(problem, options, set.net);
  set.sought.clear();
  set.search.reset();
  set.certificate.reset();
  set.comparison = {};
  set.selection.reset();
  set.net_check.reset();
  set.bound.reset();
  set.audit.reset();
}

std::vector<std::string> missing_evidence(const SamplingOptions& options,
                                          const EvidenceOptions& evidence,
                                          const PostImpactSet& set) {
  const bool outcomes = set.summary.outcomes() > 0;
  std::vector<std::string> missing;
  const auto expect = [&](bool wanted, bool found, const char* name) {
    if (wanted && !found) missing.emplace_back(name);
  };
  expect(wants_extremes(evidence) && outcomes, !set.sought.empty(), "sought extremes");
  expect(wants_search(options, evidence, set), set.search.has_value(), "search");
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
  note_evidence(problem, options, set);
}

}  // namespace carom
