#include "host/run/net_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "host/base/note_list.hpp"
#include "host/explore/set_search.hpp"
#include "host/explore/slot_runner.hpp"
#include "host/problem/dual_norms.hpp"
#include "host/sampling/observed_stages.hpp"
#include "host/set/net/coverage.hpp"

namespace carom {
namespace {

constexpr std::uint64_t least_budget = 2'000, most_budget = 320'000;  // LCPs

/// What an island found, beside the net of a set.
struct IslandFinds {
  const EpsilonNet* members;
  std::vector<double> distances;  ///< of the members to the set's net
};

/// Greatest distance of an outcome that one island found to the set's net and to the other islands'
/// members.
double apart(const std::vector<IslandFinds>& finds, int threads,
             const std::function<void()>& heed) {
  double farthest = 0.0;
  for (const IslandFinds& one : finds) {
    std::vector<double> nearest = one.distances;
    for (const IslandFinds& other : finds) {
      if (&other == &one) continue;
      const std::vector<double> to = distances_of(*one.members, *other.members, threads, heed);
      std::ranges::transform(nearest, to, nearest.begin(), std::ranges::min);
    }
    for (const double distance : nearest) farthest = std::max(farthest, distance);
  }
  return farthest;
}

/// What all outcomes of a set reach along contact axes and outputs.
class Reached {
 public:
  Reached(const ImpactProblem& problem, const Outputs& outputs, const PostImpactSet& set)
      : problem_(problem), speeds_(ranges_of(problem, set)), outputs_(output_ends(outputs, set)) {}

  /// How far an end lies beyond: of an output without ends, nowhere.
  double beyond(const ExploredEnd& end) const {
    Range range{end.speed, end.speed};
    if (end.contact >= 0) {
      range = speeds_.along(end.contact, end.axis);
    } else if (!outputs_.empty()) {
      const OutputEnds& its = outputs_[static_cast<std::size_t>(end.axis)];
      range = {its.found_low, its.found_high};
    }
    return end.greatest ? end.speed - range.greatest : range.least - end.speed;
  }
  void include(const ExploredEnd& end) {
    const Eigen::Map<const Eigen::VectorXd> velocity(end.velocity.data(), problem_.velocities());
    speeds_.include(problem_, velocity);
    for (OutputEnds& its : outputs_) {
      const Eigen::Map<const Eigen::VectorXd> row(its.direction.data(), velocity.size());
      its.found_low = std::min(its.found_low, row.dot(velocity));
      its.found_high = std::max(its.found_high, row.dot(velocity));
    }
  }

 private:
  const ImpactProblem& problem_;
  OutcomeRanges speeds_;
  std::vector<OutputEnds> outputs_;
};

/// Adds what lies outside the net, and the ends beyond what the set reaches, to the net and to its
/// search.
void join(const ImpactProblem& problem, Norm norm, const Outputs& outputs,
          const std::vector<IslandFinds>& finds, const std::vector<ExploredEnd>& ends,
          PostImpactSet& set) {
  NetSearch& search = *set.search;
  std::uint64_t rows = 0;
  const auto joins = [&](const double* velocity) {
    const bool is_member = set.net.add_found(EpsilonNet::searched_index + rows, velocity);
    search.members += is_member ? 1 : 0;
    return is_member;
  };
  const auto keep = [&](const double* velocity) {
    search.velocity.insert(search.velocity.end(), velocity, velocity + problem.velocities());
    ++rows;
  };
  for (const auto& [members, distances] : finds) {
    const RowMatrixView velocities = members->velocity_rows();
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const double* const velocity = velocities.row(static_cast<Eigen::Index>(i)).data();
      if (distances[i] > set.net.epsilon() && joins(velocity)) keep(velocity);
    }
  }
  constexpr double noticed = 1e-2;  // of epsilon
  const Eigen::VectorXd scales = dual_norms(problem, norm, outputs.matrix);
  Reached reached(problem, outputs, set);
  for (const ExploredEnd& end : ends) {
    const double scale = end.contact >= 0 ? 1.0 : scales(end.axis);
    if (reached.beyond(end) <= noticed * set.net.epsilon() * scale) continue;
    joins(end.velocity.data());
    keep(end.velocity.data());
    reached.include(end);
  }
}

}  // namespace

bool is_searched(const Law& law) {
  const auto* const set_valued = std::get_if<law::SetValued>(&law);
  if (set_valued == nullptr) return false;
  if (!set_valued->caps.has_value()) return true;
  return std::ranges::any_of(set_valued->caps->components, [](const CapsComponent& part) {
    return part.kind != CapsKind::simplex && part.kind != CapsKind::weighted;
  });
}

bool is_searched(const Summary& summary) {
  return summary.outcomes() > 0 && summary.lcps >= least_budget;
}

void search_beyond(const ImpactProblem& problem, const SamplingOptions& options,
                   const Outputs& outputs, const SampleObserver& observer, PostImpactSet& set) {
  SamplingOptions own = exploration_options(problem, options);
  own.backend = Backend::cpu;
  const ExploreOptions explore{.outputs = outputs};
  SetSearch search(problem, own, explore);
  // Steps that are repeated go on where the run's trajectories were dropped.
  const bool dropped = set.summary.outcomes() < set.summary.trajectories;
  if (dropped && search.most_repeats() > 1) {
    set.search.emplace();
    return;
  }
  const std::uint64_t budget = std::min(2 * set.summary.lcps, most_budget);
  if (!search.run_to(budget, observer)) throw StageStopped{};
  const auto heed = [&] { report(observer, budget, budget); };
  std::vector<IslandFinds> finds;
  for (const EpsilonNet* const net : search.nets()) {
    finds.push_back({net, distances_of(*net, set.net, options.threads, heed)});
  }
  const std::vector<ExploredEnd> ends = search.ends();
  NetSearch result{.lcps = search.lcps(),
                   .outcomes = search.outcomes(),
                   .islands_apart = apart(finds, options.threads, heed),
                   .settled = search.settled()};
  for (const IslandFinds& one : finds) {
    for (const double distance : one.distances) {
      result.farthest = std::max(result.farthest, distance);
    }
  }
  for (const ExploredEnd& end : ends) {
    result.farthest = std::max(result.farthest, set.net.distance(end.velocity.data()));
  }
  set.search = std::move(result);
  join(problem, options.norm, outputs, finds, ends, set);
}

std::optional<Note> note_on(const NetSearch& search, const EpsilonNet& net) {
  constexpr double far = 2.0;   // epsilons; islands that have found the whole set are 1.4 apart
  constexpr double many = 0.1;  // of the net's members
  if (search.settled) return std::nullopt;
  std::string found;
  if (search.islands_apart > far * net.epsilon()) {
    found = fmt::format(
        "half of the search beyond the trajectories found outcomes up to {:.2g} from all others "
        "(epsilon = {:.10g})",
        search.islands_apart, net.epsilon());
  } else if (static_cast<double>(search.members) > many * static_cast<double>(net.size())) {
    found = fmt::format(
        "{} of the net's {} members come from the search beyond the trajectories, which has not "
        "settled",
        search.members, net.size());
  }
  if (found.empty()) return std::nullopt;
  return make_note("search_open",
                   found +
                       ": more outcomes, which random caps hardly ever reach, are missing; "
                       "explore, which searches until nothing new is found");
}

}  // namespace carom
