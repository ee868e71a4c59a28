#include "host/families/dataset/outcome_rows.hpp"

#include <utility>

#include "host/set/net/farthest_selection.hpp"

namespace carom {
namespace {

/// Appends row `row` of a row-major array with `rows` rows.
void append_row(const std::vector<double>& from, std::size_t rows, std::size_t row,
                std::vector<double>& to) {
  const std::size_t width = from.size() / rows;
  const auto begin = from.begin() + static_cast<std::ptrdiff_t>(row * width);
  to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
}

/// Steps of a trajectory of which not all solutions were found.
std::uint32_t incomplete_steps(const SampleSet& samples, std::size_t row) {
  if (!samples.counts_solutions) return 0;
  return samples.solution_count[(row + 1) * solution_bins - 1];
}

}  // namespace

void OutcomeRows::add(const SampleSet& samples, std::size_t row, std::uint64_t its_trajectory) {
  trajectory.push_back(its_trajectory);
  append_row(samples.velocity, samples.size(), row, velocity);
  append_row(samples.energy, samples.size(), row, energy);
  append_row(samples.impulse, samples.size(), row, impulse);
}

void OutcomeRows::add(const OutcomeRows& rows, std::size_t row) {
  trajectory.push_back(rows.trajectory[row]);
  append_row(rows.velocity, rows.size(), row, velocity);
  append_row(rows.energy, rows.size(), row, energy);
  append_row(rows.impulse, rows.size(), row, impulse);
}

OutcomePicker::OutcomePicker(const ImpactProblem& problem, const DatasetSpec& spec)
    : content_(spec.content), metric_(net_metric(problem, spec.sampling.norm)) {
  if (content_.choice == OutcomeChoice::net) {
    net_.emplace(problem.velocities(), *spec.sampling.epsilon, metric_);
  }
}

bool OutcomePicker::joins_net(const SampleSet& samples, std::size_t row, std::uint64_t trajectory) {
  const auto nv = static_cast<std::size_t>(samples.velocities);
  const double* velocity = &samples.velocity[row * nv];
  if (net_->size() > 0 && net_->distance(velocity) <= net_->epsilon()) return false;
  constexpr int threads = 1;
  const std::size_t before = net_->size();
  net_->add({trajectory}, {velocity, velocity + nv}, threads);
  return net_->size() > before;
}

void OutcomePicker::add(const SampleSet& samples, std::size_t begin, std::size_t end,
                        std::uint64_t first) {
  for (std::size_t row = begin; row < end; ++row) {
    ++picked_.status_counts[static_cast<std::size_t>(samples.status[row])];
    picked_.findings.incomplete_steps += incomplete_steps(samples, row);
    if (samples.status[row] != Status::separated) continue;
    picked_.findings.energy.include(samples.energy[row]);
    const std::uint64_t trajectory = first + (row - begin);
    if (net_ && !joins_net(samples, row, trajectory)) continue;
    const bool all = content_.choice != OutcomeChoice::iid;
    if (all || picked_.rows.size() < content_.outcomes) picked_.rows.add(samples, row, trajectory);
  }
}

ProblemOutcomes OutcomePicker::finish() {
  ProblemOutcomes picked = std::move(picked_);
  if (net_) picked.net_members = net_->size();
  const bool chooses = content_.choice == OutcomeChoice::farthest ||
                       (net_ && picked.rows.size() > content_.outcomes);
  if (!chooses || picked.rows.size() == 0) return picked;
  const OutcomeRows candidates = std::move(picked.rows);
  const std::size_t nv = candidates.velocity.size() / candidates.size();
  FarthestSelection selection(metric_, nv);
  selection.reserve(candidates.size());
  for (std::size_t row = 0; row < candidates.size(); ++row) {
    selection.add(&candidates.velocity[row * nv]);
  }
  const FarthestSelection::Choice choice = selection.choose_first(content_.outcomes);
  picked.rows = {};
  for (const std::size_t candidate : choice.candidates) picked.rows.add(candidates, candidate);
  picked.cover = choice.cover;
  return picked;
}

}  // namespace carom
