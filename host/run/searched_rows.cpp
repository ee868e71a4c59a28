// What a set holds beyond its trajectories: ranges, contact modes and ends of outputs.
#include "host/run/searched_rows.hpp"

#include <algorithm>

#include "host/evidence/joined_ends.hpp"

namespace carom {

OutcomeRanges ranges_of(const ImpactProblem& problem, const PostImpactSet& set) {
  OutcomeRanges ranges = set.summary;
  for (const SoughtOutcome& outcome : set.sought) {
    ranges.include(
        problem, Eigen::Map<const Eigen::VectorXd>(outcome.velocity.data(), problem.velocities()));
  }
  const RowMatrixView searched = searched_rows(set);
  for (const auto& row : searched.rowwise()) ranges.include(problem, row.transpose());
  return ranges;
}

OutcomeModes searched_modes(const ImpactProblem& problem, const PostImpactSet& set) {
  OutcomeModes modes(problem);
  const std::vector<OutcomeMode> sampled = set.modes.table();
  const RowMatrixView searched = searched_rows(set);
  for (Eigen::Index i = 0; i < searched.rows(); ++i) {
    const double* const velocity = searched.row(i).data();
    std::vector<ContactMode> contacts = modes.classify(velocity);
    if (std::ranges::count(sampled, contacts, &OutcomeMode::contacts) > 0) continue;
    modes.join({.contacts = std::move(contacts),
                .count = 1,
                .example = static_cast<std::uint64_t>(i),
                .example_velocity = {velocity, velocity + problem.velocities()}});
  }
  return modes;
}

std::vector<OutputEnds> output_ends(const Outputs& outputs, const PostImpactSet& set) {
  std::vector<OutputEnds> list = output_ends(outputs, set.sought);
  if (list.empty()) return list;
  return joined_ends(std::move(list), output_ends(outputs, searched_rows(set)));
}

std::vector<Answer> answers(const ImpactProblem& problem, const Outputs& outputs,
                            const PostImpactSet& set, double termination_tolerance) {
  std::vector<OutputEnds> ends = output_ends(outputs, set);
  if (ends.empty()) ends = output_ends(outputs, set.net.velocity_rows());  // of an interrupted run
  return answers(problem, outputs, ends, set.bound ? &set.bound->bound : nullptr,
                 termination_tolerance);
}

}  // namespace carom
