#include "carom/law_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "carom/error.hpp"
#include "host/laws/law_list.hpp"
#include "host/run/evidence.hpp"
#include "host/run/net_search.hpp"
#include "host/run/run_engine.hpp"
#include "host/run/run_notes.hpp"
#include "host/sampling/default_sampling.hpp"
#include "host/sampling/observed_stages.hpp"
#include "host/set/net/coverage.hpp"

namespace carom {
namespace {

/// The restitutions (m each) with which a law is sampled.
std::vector<Eigen::VectorXd> variants(const ImpactProblem& problem,
                                      const std::vector<double>& wanted) {
  const auto constant = [&](double e) { return Eigen::VectorXd::Constant(problem.contacts(), e); };
  std::vector<Eigen::VectorXd> list;
  list.reserve(wanted.size());
  for (const double e : wanted) list.push_back(constant(e));
  if (!wanted.empty()) return list;
  if (problem.restitution.size() == 0) return {constant(0.0), constant(0.5), constant(1.0)};
  list.push_back(constant(0.0));
  if (has_restitution(problem)) list.push_back(problem.restitution);
  return list;
}

SamplingOptions options_for(const Law& law, const SamplingOptions& given) {
  SamplingOptions options = given;
  if (law.index() == given.law.index()) return options;
  options.law = law;
  if (step_kind(law) != step_kind(given.law)) options.max_steps = {};  // other steps
  return options;
}

/// One entry per law and restitution, without sets.
std::vector<LawSet> list_laws(const ImpactProblem& problem, const SamplingOptions& sampling,
                              const std::vector<double>& restitutions) {
  std::vector<LawSet> list;
  for (const Law& law : all_laws()) {
    ImpactProblem plastic = problem;
    plastic.restitution = {};
    const bool has = restitution_of(plastic, law).has_value();
    if (!has) {
      list.push_back({.problem = plastic, .sampling = options_for(law, sampling)});
      continue;
    }
    for (const Eigen::VectorXd& restitution : variants(problem, restitutions)) {
      ImpactProblem own = problem;
      own.restitution = restitution;
      SamplingOptions options = options_for(law, sampling);
      if (auto* const stated = replacement_of(options.law, "restitution")) stated->clear();
      list.push_back(
          {.problem = std::move(own), .sampling = std::move(options), .restitution = restitution});
    }
  }
  return list;
}

/// Samples the set of a law and searches beyond its trajectories, as long as `goes_on`. Where
/// nothing promises that impacts end, and none of a few trajectories does, these are the sample:
/// more would take long and find nothing.
void sample(LawSet& one, const ChunkObserver& goes_on) {
  const auto set_of = [&] {
    return grow(one.problem, one.sampling, {}, {}, goes_on, {}, *this_process(0));
  };
  constexpr std::uint64_t few = 64;
  const auto wanted = *one.sampling.trajectories;
  if (wanted > few && !friction_cone_support(one.problem)) {
    one.sampling.trajectories = few;
    one.set = set_of();
    if (one.set->summary.outcomes() == 0) return;
    one.sampling.trajectories = wanted;
  }
  one.set = set_of();
  if (!one.set->complete || !is_searched(one.sampling.law) || !is_searched(one.set->summary))
    return;
  search_beyond(
      one.problem, one.sampling, {},
      [&](std::uint64_t, std::uint64_t) { return goes_on({}, *one.set); }, *one.set);
  note_evidence(one.problem, one.sampling, *one.set);
}

void compare(LawSets& found) {
  const auto size = static_cast<Eigen::Index>(found.laws.size());
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  found.inside = found.farthest = Eigen::MatrixXd::Constant(size, size, none);
  const auto net_of = [&](Eigen::Index i) -> const EpsilonNet* {
    const auto& set = found.laws[static_cast<std::size_t>(i)].set;
    return set && set->net.size() > 0 ? &set->net : nullptr;
  };
  for (Eigen::Index i = 0; i < size; ++i) {
    for (Eigen::Index j = 0; j < size; ++j) {
      const EpsilonNet* of = net_of(i);
      const EpsilonNet* by = net_of(j);
      if (of == nullptr || by == nullptr) continue;
      const Coverage coverage = coverage_of(*of, *by);
      found.inside(i, j) = coverage.share;
      found.farthest(i, j) = coverage.farthest;
    }
  }
}

}  // namespace

LawSets sets_of_laws(const ImpactProblem& given, const SamplingOptions& sampling,
                     const std::vector<double>& restitutions,
                     const std::function<bool(std::size_t done, std::size_t all)>& progress) {
  const ImpactProblem problem = validated(given);
  validate(sampling);
  if (const char* const drawn = drawn_option(sampling.law)) {
    throw InputError(fmt::format(
        "{} is a distribution (must be a number where laws are compared: only law {} draws it)",
        drawn, law_name(sampling.law)));
  }
  for (const double e : restitutions) {
    if (e >= 0.0 && e <= 1.0) continue;
    throw InputError(fmt::format("restitution is {} (must be from 0 to 1)", e));
  }
  LawSets found;
  found.laws = list_laws(problem, sampling, restitutions);
  bool goes_on = true;
  const auto asked = [&](std::size_t done) {
    goes_on = goes_on && (!progress || progress(done, found.laws.size()));
    return goes_on;
  };
  const StageObserver pilots = [&](const std::string&, std::uint64_t, std::uint64_t) {
    return asked(0);
  };
  for (LawSet& one : found.laws) {
    if (!goes_on) break;
    try {
      one.problem = validated(std::move(one.problem));
      one.sampling = resolved(one.sampling, std::span(&one.problem, 1), pilots);
    } catch (const InputError& error) {
      one.refusal = error.what();
    } catch (const RunError&) {
      if (goes_on) throw;
    }
  }
  // What one restitution cannot change is said once.
  for (std::size_t i = found.laws.size(); i-- > 1;) {
    const LawSet& one = found.laws[i];
    const LawSet& before = found.laws[i - 1];
    if (one.refusal.empty() || one.refusal != before.refusal) continue;
    if (one.sampling.law.index() != before.sampling.law.index()) continue;
    found.laws.erase(found.laws.begin() + static_cast<std::ptrdiff_t>(i));
    found.laws[i - 1].restitution.reset();
  }
  for (std::size_t done = 0; done < found.laws.size(); ++done) {
    LawSet& one = found.laws[done];
    if (!asked(done)) break;
    if (!one.refusal.empty()) continue;
    try {
      sample(one, [&](const SampleSet&, const PostImpactSet&) { return asked(done); });
    } catch (const StageStopped&) {  // before the search was done
      one.set->complete = false;
    }
    if (!one.set->complete) break;
  }
  compare(found);
  return found;
}

}  // namespace carom
