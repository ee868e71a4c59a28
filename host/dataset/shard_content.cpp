#include "host/dataset/shard_content.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "carom/comparison.hpp"
#include "carom/error.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/sampler.hpp"
#include "host/dataset/shard_layout.hpp"
#include "host/scenario/family_shape.hpp"
#include "kernels/launch.hpp"

namespace carom {
namespace {

constexpr std::uint64_t rows_at_once = std::uint64_t{1} << 17;
constexpr std::uint64_t most_members_at_once = 4096;

/// A member on its way through a shard.
struct Item {
  std::uint64_t member = 0;
  ImpactProblem problem;
  std::string refusal;  // empty: `problem` is valid
  ProblemOutcomes picked;
  std::vector<std::uint8_t> modes;
  double mode_tolerance = 0.0;
  Comparison comparison;
};

template <class Values>
void append(const Values& values, std::vector<double>& to) {
  for (Eigen::Index row = 0; row < values.rows(); ++row) {
    for (Eigen::Index column = 0; column < values.cols(); ++column) {
      to.push_back(values(row, column));
    }
  }
}

class ShardMaker {
 public:
  ShardMaker(const DatasetSpec& spec, const MemberRange& members)
      : spec_(spec), members_(members), arena_(usable_threads(spec.sampling.threads)) {}

  std::optional<ShardContent> make(const std::function<bool(std::uint64_t)>& observer);

 private:
  template <class Work>
  void in_parallel(std::size_t count, const Work& work) {
    arena_.execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, count, work); });
  }
  std::vector<Item> read_members(std::uint64_t first, std::uint64_t end);
  Item read_member(std::uint64_t member) const;
  /// Samples items [begin, end), whose members follow each other. @return false if stopped
  bool sample(std::vector<Item>& items, std::size_t begin, std::size_t end);
  void look_at(Item& item) const;
  void keep(const Item& item);

  const DatasetSpec& spec_;
  MemberRange members_;
  oneapi::tbb::task_arena arena_;
  std::function<bool()> goes_on_;
  ShardContent content_;
};

Item ShardMaker::read_member(std::uint64_t member) const {
  Item item;
  item.member = member;
  FamilyMember found = spec_.family.member(member);
  item.refusal = std::move(found.refusal);
  if (!found.scenario) return item;
  item.problem = std::move(found.scenario->problem);
  item.refusal = shape_refusal(spec_.family, member, item.problem);
  return item;
}

std::vector<Item> ShardMaker::read_members(std::uint64_t first, std::uint64_t end) {
  std::vector<Item> items(end - first);
  in_parallel(items.size(), [&](std::size_t i) { items[i] = read_member(first + i); });
  if (spec_.family.options().invalid == InvalidMembers::skip) return items;
  for (const Item& item : items) {
    if (!item.refusal.empty()) {
      throw InputError(item.refusal + "; invalid = \"skip\" leaves such members out");
    }
  }
  return items;
}

bool ShardMaker::sample(std::vector<Item>& items, std::size_t begin, std::size_t end) {
  std::vector<ImpactProblem> problems;
  std::vector<OutcomePicker> pickers;
  for (std::size_t i = begin; i < end; ++i) {
    problems.push_back(items[i].problem);
    pickers.emplace_back(items[i].problem, spec_);
  }
  SamplingOptions options = spec_.sampling;
  options.problem_id += static_cast<std::uint32_t>(items[begin].member);
  const Sampler sampler(problems, options);
  const std::uint64_t all = options.trajectories * problems.size();
  SampleSet samples;
  for (std::uint64_t first = 0; first < all; first += samples.size()) {
    sampler.sample(first, std::min(rows_at_once, all - first), samples);
    const std::uint64_t last = first + samples.size();
    const std::uint64_t problem = first / options.trajectories;
    const std::uint64_t touched = (last - 1) / options.trajectories - problem + 1;
    in_parallel(touched, [&](std::size_t i) {
      const std::uint64_t start = (problem + i) * options.trajectories;
      const std::uint64_t from = std::max(start, first);
      const std::uint64_t to = std::min(start + options.trajectories, last);
      pickers[problem + i].add(samples, from - first, to - first, from - start);
    });
    if (!goes_on_()) return false;
  }
  in_parallel(problems.size(), [&](std::size_t i) {
    items[begin + i].picked = pickers[i].finish();
    look_at(items[begin + i]);
  });
  return true;
}

/// Everything about an item that is no trajectory.
void ShardMaker::look_at(Item& item) const {
  const ImpactProblem& problem = item.problem;
  const auto nv = static_cast<std::size_t>(problem.velocities());
  if (spec_.content.modes) {
    const OutcomeModes modes(problem);
    item.mode_tolerance = modes.tolerance();
    for (std::size_t row = 0; row < item.picked.rows.size(); ++row) {
      for (const ContactMode mode : modes.classify(&item.picked.rows.velocity[row * nv])) {
        item.modes.push_back(static_cast<std::uint8_t>(mode));
      }
    }
  }
  if (spec_.content.comparison) {
    ComparisonOptions options;
    options.termination_tolerance = spec_.sampling.termination_tolerance;
    options.seed = spec_.sampling.seed;
    item.comparison = compare_laws(problem, options);
  }
}

void ShardMaker::keep(const Item& item) {
  if (!item.refusal.empty()) {
    content_.skipped.member.push_back(item.member);
    content_.skipped.reason.push_back(item.refusal);
    return;
  }
  auto& problems = content_.problems;
  const ImpactProblem& problem = item.problem;
  const OutcomeRows& rows = item.picked.rows;
  problems.member.push_back(item.member);
  const std::vector<double> values = spec_.family.values(item.member);
  problems.values.insert(problems.values.end(), values.begin(), values.end());
  append(problem.mass_matrix, problems.mass_matrix);
  append(problem.normal_jacobian, problems.normal_jacobian);
  append(problem.tangent_jacobian, problems.tangent_jacobian);
  append(problem.friction, problems.friction);
  append(problem.pre_impact_velocity, problems.pre_impact_velocity);
  problems.energy.push_back(kinetic_energy(problem, problem.pre_impact_velocity));
  problems.mode_tolerance.push_back(item.mode_tolerance);
  problems.split.push_back(static_cast<std::uint8_t>(split_of(spec_, item.member)));
  problems.first_outcome.push_back(content_.outcomes.size());
  problems.outcome_count.push_back(static_cast<std::uint32_t>(rows.size()));
  for (const std::uint32_t count : item.picked.status_counts) {
    problems.status_counts.push_back(count);
  }
  problems.net_members.push_back(item.picked.net_members);
  problems.cover.push_back(item.picked.cover);

  for (std::size_t row = 0; row < rows.size(); ++row) content_.outcomes.add(rows, row);
  content_.outcome_member.insert(content_.outcome_member.end(), rows.size(), item.member);
  content_.outcome_modes.insert(content_.outcome_modes.end(), item.modes.begin(), item.modes.end());
  auto& comparison = content_.comparison;
  for (const LawOutcome& law : item.comparison.outcomes) {
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

std::optional<ShardContent> ShardMaker::make(const std::function<bool(std::uint64_t)>& observer) {
  const std::uint64_t at_once = std::clamp(rows_at_once / spec_.sampling.trajectories,
                                           std::uint64_t{1}, most_members_at_once);
  for (std::uint64_t first = members_.first; first < members_.end; first += at_once) {
    goes_on_ = [&] { return !observer || observer(first - members_.first); };
    std::vector<Item> items = read_members(first, std::min(first + at_once, members_.end));
    // A launch numbers its problems one after the other: a member left out ends it.
    for (std::size_t begin = 0; begin < items.size();) {
      std::size_t end = begin;
      while (end < items.size() && items[end].refusal.empty()) ++end;
      if (end > begin && !sample(items, begin, end)) return std::nullopt;
      begin = std::max(end, begin + 1);
    }
    for (const Item& item : items) keep(item);
  }
  return std::move(content_);
}

}  // namespace

std::optional<ShardContent> make_shard(const DatasetSpec& spec, std::uint64_t number,
                                       const std::function<bool(std::uint64_t)>& observer) {
  return ShardMaker(spec, members_of(spec, number)).make(observer);
}

}  // namespace carom
