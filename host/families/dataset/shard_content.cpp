#include "host/families/dataset/shard_content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "carom/comparison.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/roll_io.hpp"
#include "host/base/clock.hpp"
#include "host/base/note_list.hpp"
#include "host/evidence/comparison_note.hpp"
#include "host/families/dataset/shard_layout.hpp"
#include "host/families/member_sampler.hpp"
#include "host/laws/law_list.hpp"

namespace carom {
namespace {

constexpr std::uint64_t most_members_at_once = 4096;

/// The stored data of a member.
struct Kept {
  ProblemOutcomes picked = {};
  std::vector<std::uint8_t> modes = {};
  double mode_tolerance = 0.0;
  Comparison comparison = {};
  std::vector<Note> notes = {};
};

template <class Values>
void append(const Values& values, std::vector<double>& to) {
  for (Eigen::Index row = 0; row < values.rows(); ++row) {
    for (Eigen::Index column = 0; column < values.cols(); ++column) {
      to.push_back(values(row, column));
    }
  }
}

/// All data of a member, after all its trajectories are sampled.
Kept look_at(const DatasetSpec& spec, const ImpactProblem& problem, OutcomePicker& picker) {
  Kept kept{.picked = picker.finish()};
  kept.notes = member_notes(problem, spec.sampling, kept.picked.findings);
  const auto nv = static_cast<std::size_t>(problem.velocities());
  if (spec.content.modes) {
    const OutcomeModes modes(problem);
    kept.mode_tolerance = modes.tolerance();
    for (std::size_t row = 0; row < kept.picked.rows.size(); ++row) {
      for (const ContactMode mode : modes.classify(&kept.picked.rows.velocity[row * nv])) {
        kept.modes.push_back(static_cast<std::uint8_t>(mode));
      }
    }
  }
  if (spec.content.comparison && rebounds(problem, spec.sampling.law)) {
    kept.notes.push_back(
        make_note("no_comparison", fmt::format("the {}: problems with e > 0 have no rows of "
                                               "/comparison",
                                               comparison_needs_no_restitution)));
  } else if (spec.content.comparison) {
    ComparisonOptions options;
    options.termination_tolerance = spec.sampling.termination_tolerance;
    options.seed = spec.sampling.seed;
    kept.comparison = compare_laws(problem, options);
  }
  return kept;
}

/// Puts what every kind of member has in front of its rows, or among those that were left out.
/// @return whether it has rows
template <class Member>
bool begin_problem(const DatasetSpec& spec, const Member& item, ShardContent& content) {
  if (!item.refusal.empty()) {
    content.skipped.member.push_back(item.member);
    content.skipped.reason.push_back(item.refusal);
    return false;
  }
  auto& problems = content.problems;
  problems.member.push_back(item.member);
  const std::vector<double> values = spec.family.values(item.member);
  problems.values.insert(problems.values.end(), values.begin(), values.end());
  problems.split.push_back(static_cast<std::uint8_t>(split_of(spec, item.member)));
  problems.first_outcome.push_back(content.outcomes.size());
  return true;
}

/// Puts the rollouts that are whole.
void put(const DatasetSpec& spec, const RolledMember& item, ShardContent& content) {
  if (!begin_problem(spec, item, content)) return;
  const Rollouts& rollouts = item.rollouts;
  content.notes.add(item.member, rollouts.notes);
  std::uint32_t by_status[rollout_status_count] = {};
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < rollouts.size(); ++i) {
    ++by_status[static_cast<int>(rollouts.status[i])];
    if (is_whole(rollouts.status[i])) whole.push_back(i);
  }
  auto& problems = content.problems;
  problems.outcome_count.push_back(static_cast<std::uint32_t>(whole.size()));
  problems.status_counts.insert(problems.status_counts.end(), std::begin(by_status),
                                std::end(by_status));
  content.outcome_member.insert(content.outcome_member.end(), whole.size(), item.member);
  content.outcomes.trajectory.insert(content.outcomes.trajectory.end(), whole.begin(), whole.end());
  for_each_rollout_column(
      [&](const RolloutColumnInfo& info, auto& to, const auto& from) {
        const std::size_t numbers = info.numbers(rollouts);
        for (const std::size_t i : whole) {
          const auto row = from.begin() + static_cast<std::ptrdiff_t>(i * numbers);
          to.insert(to.end(), row, row + static_cast<std::ptrdiff_t>(numbers));
        }
      },
      content.rollouts, rollouts);
}

void put(const DatasetSpec& spec, const ReadMember& item, const Kept& kept, ShardContent& content) {
  if (!begin_problem(spec, item, content)) return;
  auto& problems = content.problems;
  const ImpactProblem& problem = item.problem;
  const OutcomeRows& rows = kept.picked.rows;
  content.notes.add(item.member, kept.notes);
  problems.other_contacts.push_back(item.other_contacts);
  append(problem.mass_matrix, problems.mass_matrix);
  append(problem.normal_jacobian, problems.normal_jacobian);
  append(problem.tangent_jacobian, problems.tangent_jacobian);
  append(problem.friction, problems.friction);
  if (const auto restitution = restitution_of(problem, spec.sampling.law)) {
    append(*restitution, problems.restitution);
  }
  append(problem.pre_impact_velocity, problems.pre_impact_velocity);
  problems.energy.push_back(kinetic_energy(problem, problem.pre_impact_velocity));
  problems.mode_tolerance.push_back(kept.mode_tolerance);
  problems.outcome_count.push_back(static_cast<std::uint32_t>(rows.size()));
  for (const std::uint32_t count : kept.picked.status_counts) {
    problems.status_counts.push_back(count);
  }
  problems.net_members.push_back(kept.picked.net_members);
  problems.cover.push_back(kept.picked.cover);

  for (std::size_t row = 0; row < rows.size(); ++row) content.outcomes.add(rows, row);
  content.outcome_member.insert(content.outcome_member.end(), rows.size(), item.member);
  content.outcome_modes.insert(content.outcome_modes.end(), kept.modes.begin(), kept.modes.end());
  auto& comparison = content.comparison;
  for (const LawOutcome& law : kept.comparison.outcomes) {
    comparison.member.push_back(item.member);
    comparison.law.push_back(static_cast<std::uint8_t>(law.law));
    comparison.terminated.push_back(law.terminated ? 1 : 0);
    comparison.unique.push_back(law.unique ? 1 : 0);
    comparison.order.push_back(law.order);
    append(law.velocity, comparison.velocity);
    comparison.energy.push_back(law.energy);
    for (const ContactMode mode : law.modes) {
      comparison.modes.push_back(static_cast<std::uint8_t>(mode));
    }
  }
}

/// How many members are taken at once: few at first, and twice as many while these take a short
/// time, so that the observer is called again and again. The content does not depend on it.
class Pace {
 public:
  explicit Pace(std::uint64_t most) : most_(most), now_(std::min(most, few)) {}

  /// Members of [first, end) to take next; the time of the call before ends here.
  std::uint64_t next(std::uint64_t first, std::uint64_t end) {
    constexpr double seconds = 0.5;
    if (seconds_since(since_) < seconds) now_ = std::min(2 * now_, most_);
    since_ = Clock::now();
    return std::min(now_, end - first);
  }

 private:
  static constexpr std::uint64_t few = 16;
  std::uint64_t most_;
  std::uint64_t now_;
  Clock::time_point since_ = {};  // long ago
};

/// make_shard() of rollouts.
std::optional<ShardContent> roll_shard(const DatasetSpec& spec, std::uint64_t number,
                                       const std::function<bool(std::uint64_t)>& observer) {
  constexpr std::uint64_t rollouts_at_once = 1024;
  constexpr std::uint64_t enough = 64;  // rollouts of one member, for all threads
  MemberSampler sampler(spec);
  const MemberRange range = members_of(spec, number);
  const std::uint64_t rollouts = spec.rows_per_problem();
  Pace pace(rollouts < enough ? rollouts_at_once / rollouts : 1);
  ShardContent content;
  static_cast<RolloutShape&>(content.rollouts) = rollout_shape(spec.family.base());
  for (std::uint64_t first = range.first; first < range.end;) {
    const std::vector<RolledMember> members = sampler.roll(first, pace.next(first, range.end), [&] {
      return !observer || observer(first - range.first);
    });
    if (members.empty()) return std::nullopt;
    first += members.size();
    for (const RolledMember& member : members) put(spec, member, content);
  }
  return content;
}

}  // namespace

std::optional<ShardContent> make_shard(const DatasetSpec& spec, std::uint64_t number,
                                       const std::function<bool(std::uint64_t)>& observer) {
  if (spec.rolled) return roll_shard(spec, number, observer);
  MemberSampler sampler(spec);
  const MemberRange range = members_of(spec, number);
  Pace pace(std::clamp(MemberSampler::rows_at_once / spec.sampling.trajectories, std::uint64_t{1},
                       most_members_at_once));
  ShardContent content;
  for (std::uint64_t first = range.first; first < range.end;) {
    const std::vector<ReadMember> members = sampler.read(first, pace.next(first, range.end), true);
    std::vector<std::optional<OutcomePicker>> pickers(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i].refusal.empty()) pickers[i].emplace(members[i].problem, spec);
    }
    const auto goes_on = [&] { return !observer || observer(first - range.first); };
    const auto add = [&](std::size_t i, const SampleSet& samples, std::size_t begin,
                         std::size_t end, std::uint64_t its_first) {
      pickers[i]->add(samples, begin, end, its_first);
    };
    if (!sampler.sample(members, goes_on, add)) return std::nullopt;
    std::vector<Kept> kept(members.size());
    sampler.in_parallel(members.size(), [&](std::size_t i) {
      if (pickers[i]) kept[i] = look_at(spec, members[i].problem, *pickers[i]);
    });
    for (std::size_t i = 0; i < members.size(); ++i) put(spec, members[i], kept[i], content);
    first += members.size();
  }
  return content;
}

}  // namespace carom
