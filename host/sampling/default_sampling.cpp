#include "host/sampling/default_sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "carom/epsilon_net.hpp"
#include "carom/error.hpp"
#include "carom/sampler.hpp"
#include "host/base/clock.hpp"
#include "host/laws/law_list.hpp"
#include "host/sampling/default_impulse_step.hpp"
#include "host/sampling/problem_notes.hpp"

namespace carom {
namespace {

constexpr std::size_t most_pilots = 16;        // problems
constexpr std::uint64_t pilot_outcomes = 256;  // trajectories of all pilots, for the diameter
constexpr std::uint64_t cover_part =
    16;  // of the usual trajectories, each pilot's for the net's cover
// Far beyond the trajectories of any run, its tests and the pilots of tables.
constexpr std::uint64_t first_pilot = (std::uint64_t{1} << 62) + (std::uint64_t{1} << 61);

/// Velocities (rows) in coordinates whose Euclidean norm is the net's.
RowMatrix in_norm(const ImpactProblem& problem, Norm norm, const RowMatrix& velocities) {
  const Eigen::MatrixXd metric = net_metric(problem, norm);
  if (metric.size() == 0) return velocities;
  return velocities * metric.transpose();
}

double speed_before(const ImpactProblem& problem, Norm norm) {
  return in_norm(problem, norm, problem.pre_impact_velocity.transpose()).norm();
}

/// The largest distance between two of the points (rows).
double diameter(const RowMatrix& points) {
  double squared = 0.0;
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      squared = std::max(squared, (points.row(i) - points.row(j)).squaredNorm());
    }
  }
  return std::sqrt(squared);
}

/// The distance within which most of the last quarter of the points (rows) have a neighbour among
/// the others. Of new trajectories, about 1 % then end outside the net of the default number; at
/// 1 % of the diameter, 12 to 44 % of them do in six dimensions and more.
double neighbourhood(const RowMatrix& points) {
  constexpr double most = 0.9;
  const Eigen::Index known = points.rows() * 3 / 4;
  std::vector<double> squared;
  for (Eigen::Index i = known; known > 0 && i < points.rows(); ++i) {
    squared.push_back(
        (points.topRows(known).rowwise() - points.row(i)).rowwise().squaredNorm().minCoeff());
  }
  if (squared.empty()) return 0.0;
  const auto place =
      squared.begin() + static_cast<std::ptrdiff_t>(most * static_cast<double>(squared.size()));
  std::nth_element(squared.begin(), place, squared.end());
  return std::sqrt(*place);
}

double rounded(double value, int digits) {
  return std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
}

/// Lines cost over a hundred times as much as a single solution.
std::uint64_t usual_trajectories(const ImpactProblem& problem, const Law& law) {
  return std::uint64_t{1} << (finds_solutions_by_lines(problem, law) ? 12 : 14);
}

/// Tells of the trajectories of the pilots that choose an option.
class PilotStage {
 public:
  PilotStage(const StageObserver& observer, std::string option, std::uint64_t total)
      : observer_(observer), name_("pilot for " + std::move(option)), total_(total) {
    add(0);
  }
  void add(std::uint64_t trajectories) {
    done_ += trajectories;
    if (observer_ && !observer_(name_, done_, total_))
      throw RunError("the pilots were interrupted");
  }

 private:
  const StageObserver& observer_;
  std::string name_;
  std::uint64_t total_;
  std::uint64_t done_ = 0;
};

/// Calls use(rows) with a pilot's trajectories, in parts that take about a second.
template <class Use>
void sample_pilot(const ImpactProblem& problem, const SamplingOptions& options, PilotStage& stage,
                  const Use& use) {
  constexpr double short_time = 0.2;  // s
  const Sampler sampler({&problem, 1}, options);
  SampleSet rows;
  std::uint64_t part = 32;
  for (std::uint64_t done = 0; done < *options.trajectories; done += rows.size()) {
    const Clock::time_point start = Clock::now();
    sampler.sample(first_pilot + done, std::min(part, *options.trajectories - done), rows);
    use(rows);
    stage.add(rows.size());
    if (seconds_since(start) < short_time) part *= 4;
  }
}

/// Shares the pilots' trajectories among the problems: those of each that is a pilot.
template <class Use>
void for_each_pilot(std::span<const ImpactProblem> problems, const SamplingOptions& options,
                    const Use& use) {
  const std::size_t pilots = std::min(problems.size(), most_pilots);
  for (std::size_t i = 0; i < pilots; ++i) {
    const std::size_t place = i * problems.size() / pilots;
    SamplingOptions own = options;
    own.problem_id += static_cast<std::uint32_t>(place);
    use(problems[place], own);
  }
}

/// Steps that trajectories take at most: more than is usual where that at least halves the share
/// that still collides.
int pilot_max_steps(SamplingOptions options, std::span<const ImpactProblem> problems,
                    const StageObserver& observer) {
  const int usual = default_max_steps(options.law);
  const int generous = generous_max_steps(options.law);
  if (generous == usual) return usual;
  constexpr std::uint64_t all = 64;  // trajectories of all pilots
  PilotStage stage(observer, "max_steps", 2 * all);
  const auto dropped = [&](int max_steps) {
    std::uint64_t count = 0;
    options.max_steps = max_steps;
    for_each_pilot(problems, options, [&](const ImpactProblem& problem, SamplingOptions& its) {
      if (!its.impulse_step.has_value()) {
        its.impulse_step.choose(default_impulse_step(problem, its.law));
      }
      its.epsilon.choose(default_epsilon(*its.impulse_step));
      its.trajectories = all / std::min(problems.size(), most_pilots);
      sample_pilot(problem, its, stage, [&](const SampleSet& rows) {
        count += static_cast<std::uint64_t>(std::ranges::count(rows.status, Status::step_limit));
      });
    });
    return count;
  };
  const std::uint64_t left = dropped(usual);
  return left > 0 && 2 * dropped(generous) <= left ? generous : usual;
}

/// The resolution of the net from the outcomes of pilots.
double pilot_epsilon(SamplingOptions options, std::span<const ImpactProblem> problems,
                     const StageObserver& observer) {
  constexpr double part = 0.01;   // of the diameter
  constexpr double least = 1e-6;  // of the pre-impact speed: below, rounding shows
  const std::size_t pilots = std::min(problems.size(), most_pilots);
  options.trajectories = usual_trajectories(problems.front(), options.law) / cover_part;
  PilotStage stage(observer, "epsilon", pilots * *options.trajectories);
  double widest = 0.0;
  double apart = 0.0;
  double speed = 0.0;
  double told_apart = 0.0;  // the least distance that means something
  for_each_pilot(problems, options, [&](const ImpactProblem& problem, SamplingOptions& own) {
    speed = std::max(speed, speed_before(problem, own.norm));
    told_apart = std::max(told_apart, resolved_distance(problem, own));
    const double epsilon = epsilon_before_pilots(problem, own.norm);
    if (!(epsilon > 0.0)) return;
    own.epsilon.choose(epsilon);
    RowMatrix velocities(0, problem.velocities());
    sample_pilot(problem, own, stage, [&](const SampleSet& rows) {
      const RowMatrix more = rows.outcomes();
      velocities.conservativeResize(velocities.rows() + more.rows(), Eigen::NoChange);
      velocities.bottomRows(more.rows()) = more;
    });
    const RowMatrix outcomes = in_norm(problem, own.norm, velocities);
    const auto few = static_cast<Eigen::Index>(pilot_outcomes / pilots);
    widest = std::max(widest, diameter(outcomes.topRows(std::min(few, outcomes.rows()))));
    apart = std::max(apart, neighbourhood(outcomes));
  });
  constexpr double where_nothing_moves = 0.01;
  if (!(speed > 0.0)) return where_nothing_moves;
  return rounded(std::max({part * widest, apart, least * speed, 2.0 * told_apart}), 2);
}

}  // namespace

void choose_steps(double needed_impulse, SamplingOptions& options) {
  options.impulse_step.choose(default_impulse_step(needed_impulse));
  options.epsilon.choose(default_epsilon(*options.impulse_step));
}

double epsilon_before_pilots(const ImpactProblem& problem, Norm norm) {
  constexpr double part = 1e-4;
  return part * speed_before(problem, norm);
}

SamplingOptions without_presets(SamplingOptions options) {
  const auto drop = [](auto& choice) {
    if (choice.is_preset()) choice = {};
  };
  drop(options.trajectories);
  drop(options.max_steps);
  drop(options.impulse_step);
  drop(options.epsilon);
  return options;
}

SamplingOptions resolved(SamplingOptions options, std::span<const ImpactProblem> problems) {
  return resolved(std::move(options), problems, {});
}

SamplingOptions resolved(SamplingOptions options, std::span<const ImpactProblem> problems,
                         const StageObserver& pilots) {
  if (problems.empty()) throw InputError("problems is empty (must hold at least one problem)");
  const ImpactProblem& first = problems.front();
  validate(options);
  validate(options.law, first);
  // A system's own limit counts LCPs.
  if (options.max_steps.is_preset() && step_kind(options.law) != StepKind::lcp) {
    options.max_steps = {};
  }
  if (problems.size() > 1) {
    if (!options.impulse_step.is_stated()) options.impulse_step = {};  // each has its own
  }
  choose(options.law, first.contacts());
  if (problems.size() == 1 && !options.impulse_step.has_value()) {
    options.impulse_step.choose(default_impulse_step(first, options.law));
  }
  if (!options.max_steps.has_value()) {
    options.max_steps.choose(pilot_max_steps(options, problems, pilots));
  }
  if (!options.trajectories.has_value()) {
    options.trajectories.choose(usual_trajectories(first, options.law));
  }
  if (!options.epsilon.has_value()) {
    options.epsilon.choose(pilot_epsilon(options, problems, pilots));
  }
  return options;
}

SamplingOptions resolved(SamplingOptions options, const ImpactProblem& problem) {
  return resolved(std::move(options), std::span(&problem, 1));
}

}  // namespace carom
