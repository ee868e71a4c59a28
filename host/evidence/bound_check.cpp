#include "host/evidence/bound_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/base/note_list.hpp"
#include "host/problem/step_check.hpp"
#include "host/sampling/observed_stages.hpp"
#include "host/sampling/sampled_chunks.hpp"

namespace carom {

double bound_allowance(const ImpactProblem& problem) {
  constexpr double part = 1e-7;
  require_shapes(problem);
  const Eigen::VectorXd& v = problem.pre_impact_velocity;
  return part * std::max((problem.normal_jacobian * v).cwiseAbs().maxCoeff(),
                         (problem.tangent_jacobian * v).cwiseAbs().maxCoeff());
}

void BoundCheck::add(const RowMatrixView& rows, double allowance) {
  if (rows.rows() == 0 || bound.status == BoundStatus::none) return;
  const bool first = outcomes == 0;
  outcomes += static_cast<std::uint64_t>(rows.rows());
  if (first) worst = -std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double beyond = excess(bound, rows.row(i).transpose());
    worst = std::max(worst, beyond);
    outside += beyond > allowance ? 1 : 0;
  }
  const std::size_t count = bound.directions.size();
  found_low.resize(count, std::numeric_limits<double>::infinity());
  found_high.resize(count, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::VectorXd values = rows * bound.directions[i].row;
    found_low[i] = std::min(found_low[i], values.minCoeff());
    found_high[i] = std::max(found_high[i], values.maxCoeff());
  }
}

namespace {

/// The outcomes of at most so many steps, a final one included.
RowMatrix outcomes_within(const SampleSet& samples, int most) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < samples.size(); ++row) {
    const std::uint64_t steps = std::uint64_t{step_counts(samples)[row]} + samples.final_step[row];
    const bool counts = steps <= static_cast<std::uint64_t>(most);
    if (counts && samples.status[row] == Status::separated) rows.push_back(row);
  }
  const Eigen::Map<const RowMatrix> all(
      samples.velocity.data(), static_cast<Eigen::Index>(samples.size()), samples.velocities);
  return all(rows, Eigen::all);
}

}  // namespace

BoundCheck check_bound(const ImpactProblem& given, const SamplingOptions& sampling,
                       const BoundOptions& given_options, const Outputs& directions,
                       const StageObserver& observer) {
  const ImpactProblem problem = validated(given);
  BoundOptions options = given_options;
  options.termination_tolerance = sampling.termination_tolerance;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    options.directions.push_back(
        {directions.names[i], directions.matrix.row(static_cast<Eigen::Index>(i))});
  }
  const auto stage = [&](const char* name) -> SampleObserver {
    return [&observer, name](std::uint64_t done, std::uint64_t total) {
      return !observer || observer(name, done, total);
    };
  };
  constexpr std::uint64_t parts = 1000;
  const auto poll = [&](double done) {
    report(stage("proof"), static_cast<std::uint64_t>(parts * done), parts);
  };
  BoundCheck check{.bound = outer_bound(problem, options, sampling.law, poll)};
  if (check.bound.status == BoundStatus::none || sampling.trajectories == 0) return check;
  const double allowance = bound_allowance(problem);
  SamplingOptions compared = sampling;
  int most = std::numeric_limits<int>::max();
  if (check.bound.status == BoundStatus::n_steps) {  // trajectories with more steps may leave it
    most = check.bound.steps;
    compared.max_steps = std::min(*compared.max_steps, most);
  }
  for_each_chunk(problem, compared, stage("comparison with trajectories"),
                 [&](const SampleSet& chunk) {
                   const RowMatrix outcomes = outcomes_within(chunk, most);
                   check.add({outcomes.data(), outcomes.rows(), outcomes.cols()}, allowance);
                 });
  check.trajectories = sampling.trajectories;
  return check;
}

std::optional<Note> note_on(const BoundCheck& check) {
  if (check.outside == 0) return std::nullopt;
  const OuterBound& bound = check.bound;
  const char* const reason = bound.scope == BoundScope::inclusion
                                 ? "steps with large caps reach farther than the limit h -> 0, and "
                                   "a smaller h comes nearer"
                                 : "one of the two is wrong; please report it";
  return make_note(
      "outside_bound",
      fmt::format("{} of {} outcomes lie outside the bound ({}), by up to {:.2g} m/s: {}",
                  check.outside, check.outcomes, status_text(bound), check.worst, reason));
}

}  // namespace carom
