#include "carom/extremes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "carom/epsilon_net.hpp"
#include "carom/error.hpp"
#include "host/evidence/extremes_objectives.hpp"
#include "host/evidence/extremes_search.hpp"
#include "host/evidence/scripted_sampler.hpp"
#include "host/laws/set_valued/caps_plan.hpp"
#include "host/problem/no_restitution.hpp"
#include "host/sampling/sampled_chunks.hpp"

namespace carom {
namespace {

// Greatest count of script numbers in memory at a time, 64 MB.
constexpr std::size_t max_script_numbers = std::size_t{1} << 23;
constexpr std::size_t max_trials_at_once = 4096;  // so that an interrupt takes effect soon

/// The quantity whose end is sought, of a velocity.
double quantity(const SoughtOutcome& sought, const double* velocity) {
  double sum = 0.0;
  for (std::size_t j = 0; j < sought.direction.size(); ++j) {
    sum += sought.direction[j] * velocity[j];
  }
  return sum;
}

/// What the search maximises.
double score(const SoughtOutcome& sought, double quantity) {
  return sought.greatest ? quantity : -quantity;
}

/// The difference of quantities that 1 % of epsilon can make: velocities at a distance d of the
/// norm |F v| differ by at most d |F^-T direction|.
double gain_tolerance(const SoughtOutcome& sought, const Eigen::MatrixXd& metric, double epsilon) {
  constexpr double part = 0.01;
  Eigen::VectorXd direction = Eigen::Map<const Eigen::VectorXd>(
      sought.direction.data(), static_cast<Eigen::Index>(sought.direction.size()));
  if (metric.size() > 0) {  // upper triangular
    metric.transpose().triangularView<Eigen::Lower>().solveInPlace(direction);
  }
  return part * epsilon * direction.norm();
}

/// A trajectory of the run, for one objective.
struct Start {
  std::uint64_t trajectory = 0;
  double value = 0.0;  // what the search maximises
  std::uint32_t steps = 0;
};

/// Repeats the run to find each objective's best trajectories (by decreasing value, then index) and
/// best outcome. Returns an empty list if the run has no outcome.
std::vector<std::vector<Start>> best_of_run(const ImpactProblem& problem,
                                            const SamplingOptions& options,
                                            const SampleObserver& observer,
                                            std::vector<SoughtOutcome>& list) {
  const std::size_t nv = static_cast<std::size_t>(problem.velocities());
  std::vector<std::vector<Start>> starts(list.size());
  for_each_chunk(problem, options, observer, [&](const SampleSet& chunk) {
    for (std::size_t row = 0; row < chunk.size(); ++row) {
      if (chunk.status[row] != Status::separated) continue;
      const double* const velocity = chunk.velocity.data() + row * nv;
      for (std::size_t o = 0; o < list.size(); ++o) {
        const double value = score(list[o], quantity(list[o], velocity));
        std::vector<Start>& best = starts[o];
        if (best.size() == ExtremeSearch::starts && !(value > best.back().value)) continue;
        const auto place =
            std::ranges::find_if(best, [&](const Start& kept) { return kept.value < value; });
        if (place == best.begin()) {
          list[o].sampled = quantity(list[o], velocity);
          list[o].found = list[o].sampled;
          list[o].velocity.assign(velocity, velocity + nv);
        }
        best.insert(place, {chunk.first + row, value, step_counts(chunk)[row]});
        if (best.size() > ExtremeSearch::starts) best.pop_back();
      }
    }
  });
  const bool none = std::ranges::all_of(starts, [](const auto& best) { return best.empty(); });
  return none ? std::vector<std::vector<Start>>{} : starts;
}

/// A script that was proposed for one objective, and its outcome; an empty velocity means no
/// outcome.
struct Trial {
  ScriptedSteps script;
  std::vector<double> velocity;
};

/// Runs the trials and fills in their results; calls `heed` before every part.
/// @param cut whether trials have fewer steps than the run: those that take all have no outcome
template <class Heed>
void run_trials(const ScriptedSampler& sampler, const ScriptMoves& moves, std::size_t velocities,
                bool cut, const Heed& heed, std::span<Trial> trials) {
  const std::size_t width = sampler.script_size();
  const std::size_t most =
      std::clamp<std::size_t>(max_script_numbers / width, 1, max_trials_at_once);
  std::vector<double> numbers;
  SampleSet outcomes;
  for (std::size_t first = 0; first < trials.size(); first += most) {
    heed();
    const std::span batch = trials.subspan(first, std::min(most, trials.size() - first));
    numbers.clear();
    numbers.reserve(batch.size() * width);
    for (const Trial& trial : batch) {
      const std::size_t end = numbers.size() + width;
      const std::vector<double>& last = moves.last_step(trial.script.component);
      numbers.insert(numbers.end(), trial.script.numbers.begin(), trial.script.numbers.end());
      while (numbers.size() < end) numbers.insert(numbers.end(), last.begin(), last.end());
    }
    sampler.sample(numbers, outcomes);
    for (std::size_t row = 0; row < batch.size(); ++row) {
      if (outcomes.status[row] != Status::separated) continue;
      if (cut && outcomes.final_step[row] != 0) continue;
      const double* const velocity = outcomes.velocity.data() + row * velocities;
      batch[row].velocity.assign(velocity, velocity + velocities);
      batch[row].script.steps_taken = static_cast<int>(outcomes.lcp_count[row]);
    }
  }
}

/// Passes all trials of a generation to one objective's search, which proposed those at [own, own +
/// population). Trials for other objectives count as well, since ends of the set lie near each
/// other.
void tell(int generation, std::vector<Trial>& trials, std::size_t own, ExtremeSearch& search,
          SoughtOutcome& sought) {
  std::vector<ScriptedSteps> tried;
  const Trial* best = nullptr;
  const Trial* best_other = nullptr;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Trial& trial = trials[i];
    const bool mine = i >= own && i < own + ExtremeSearch::population;
    if (!trial.velocity.empty()) {
      trial.script.value = score(sought, quantity(sought, trial.velocity.data()));
      if (best == nullptr || trial.script.value > best->script.value) best = &trial;
      const bool best_so_far =
          best_other == nullptr || trial.script.value > best_other->script.value;
      if (!mine && best_so_far) best_other = &trial;
    }
    if (mine) tried.push_back(trial.script);
  }
  if (best != nullptr && best->script.value > score(sought, sought.found)) {
    sought.found = quantity(sought, best->velocity.data());
    sought.velocity = best->velocity;
  }
  search.learn(generation, tried);
  if (best_other != nullptr) search.adopt(generation, best_other->script);
  sought.evaluations += ExtremeSearch::population;
}

/// Steps of the scripts of a search. Those of the run are far more than most trajectories take, and
/// a script has numbers for all of them.
int script_steps(int max_steps, const std::vector<std::vector<Start>>& starts) {
  std::uint32_t longest = 0;
  for (const std::vector<Start>& of_one : starts) {
    for (const Start& start : of_one) longest = std::max(longest, start.steps);
  }
  constexpr std::int64_t growth = 2, more = 32;
  return static_cast<int>(std::min<std::int64_t>(max_steps, growth * longest + more));
}

/// Searches each objective's end from the best trajectories of the run.
void search(const ImpactProblem& problem, const SamplingOptions& options, const law::SetValued& law,
            const std::vector<std::vector<Start>>& starts, const SampleObserver& observer,
            std::vector<SoughtOutcome>& list) {
  const CapsPlan plan = plan_caps(law.caps, problem.contacts(), options.max_steps);
  const CapsView view = plan.view();
  const Philox random(options.seed, options.problem_id, 0);
  SamplingOptions of_scripts = options;
  of_scripts.max_steps = script_steps(options.max_steps, starts);
  const ScriptedSampler sampler(problem, of_scripts);
  const ScriptMoves moves(view, problem.contacts());
  std::vector<ExtremeSearch> searches;
  for (std::size_t o = 0; o < list.size(); ++o) {
    ExtremeSearch& search =
        searches.emplace_back(moves, of_scripts.max_steps, random, static_cast<std::uint32_t>(o));
    for (const Start& start : starts[o]) {
      ScriptedSteps script = moves.draw(random.of(start.trajectory), start.trajectory, start.steps);
      script.steps_taken = static_cast<int>(start.steps);
      script.value = start.value;
      search.start_from(script);
    }
  }
  for (int generation = 0; generation < ExtremeSearch::generations; ++generation) {
    const auto heed = [&] {
      report(observer, static_cast<std::uint64_t>(generation), ExtremeSearch::generations);
    };
    std::vector<Trial> trials;
    for (const ExtremeSearch& search : searches) {
      for (ScriptedSteps& script : search.propose(generation)) {
        trials.push_back({std::move(script), {}});
      }
    }
    run_trials(sampler, moves, static_cast<std::size_t>(problem.velocities()),
               *of_scripts.max_steps < *options.max_steps, heed, trials);
    for (std::size_t o = 0; o < list.size(); ++o) {
      heed();
      tell(generation, trials, o * ExtremeSearch::population, searches[o], list[o]);
    }
  }
}

/// The ends among the outcomes of the run, and beyond them if a law is given to search with.
std::vector<SoughtOutcome> find_ends(const ImpactProblem& problem, const SamplingOptions& options,
                                     const law::SetValued* law, const SampleObserver& observer,
                                     std::vector<SoughtOutcome> list) {
  const Eigen::MatrixXd metric = net_metric(problem, options.norm);
  for (SoughtOutcome& sought : list) {
    sought.tolerance = gain_tolerance(sought, metric, *options.epsilon);
  }
  const std::vector<std::vector<Start>> starts = best_of_run(problem, options, observer, list);
  if (starts.empty()) return {};
  if (law != nullptr) search(problem, options, *law, starts, observer, list);
  return list;
}

}  // namespace

std::vector<SoughtOutcome> seek_extremes(const ImpactProblem& problem,
                                         const SamplingOptions& options, int random_directions,
                                         const Outputs& outputs) {
  if (random_directions < 0) {
    throw InputError(fmt::format("random_directions is {} (must be >= 0)", random_directions));
  }
  return find_extremes(problem, options, random_directions, outputs, {});
}

std::vector<SoughtOutcome> find_extremes(const ImpactProblem& problem,
                                         const SamplingOptions& stated, int random_directions,
                                         const Outputs& outputs, const SampleObserver& observer) {
  const ImpactProblem checked = validated(problem);
  validate(outputs, checked);
  const SamplingOptions options = resolved(stated, checked);
  const auto* law = std::get_if<law::SetValued>(&options.law);
  const bool searches = random_directions >= 0;
  if (searches) require_no_restitution(checked, "to seek extremes");
  if (searches && law == nullptr) {
    throw InputError(
        fmt::format("law is \"{}\" (must be set_valued to seek extremes: the search "
                    "varies caps)",
                    law_name(options.law)));
  }
  const Philox random(options.seed, options.problem_id, 0);
  return find_ends(checked, options, searches ? law : nullptr, observer,
                   extreme_objectives(checked, random, random_directions, outputs));
}

std::vector<SoughtOutcome> search_ends(const ImpactProblem& problem, const SamplingOptions& options,
                                       std::vector<SoughtOutcome> objectives,
                                       const SampleObserver& observer) {
  return find_ends(problem, options, &std::get<law::SetValued>(options.law), observer,
                   std::move(objectives));
}

}  // namespace carom
