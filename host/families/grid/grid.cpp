#include "carom/grid.hpp"

#include <fmt/format.h>

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <iterator>
#include <optional>
#include <thread>
#include <utility>

#include "carom/epsilon_net.hpp"
#include "carom/error.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/summary.hpp"
#include "host/base/clock.hpp"
#include "host/families/family_notes.hpp"
#include "host/families/grid/state_answers.hpp"
#include "host/families/member_notes.hpp"
#include "host/families/member_sampler.hpp"
#include "host/families/units.hpp"
#include "host/problem/step_lcp.hpp"
#include "host/run/run_notes.hpp"
#include "host/sampling/observed_stages.hpp"

namespace carom {
namespace {

/// The stored results of a state's rows.
struct KeptMember {
  KeptMember(const GridSpec& spec, const ReadMember& member)
      : net(member.problem.velocities(), *spec.sampling.epsilon,
            net_metric(member.problem, spec.sampling.norm)),
        modes(member.problem),
        answers(spec, member) {}

  EpsilonNet net;
  OutcomeModes modes;
  Summary summary;
  StateAnswers answers;
};

/// Rows [begin, end) as trajectories `first`, ... of a separate run.
SampleSet rows_of(const SampleSet& samples, std::size_t begin, std::size_t end,
                  std::uint64_t first) {
  SampleSet rows;
  rows.first = first;
  static_cast<RowShape&>(rows) = samples;
  for_each_column(
      [&](const ColumnInfo& info, const auto& from, auto& to) {
        const auto width = static_cast<std::ptrdiff_t>(samples.numbers(info.shape));
        to.assign(from.begin() + static_cast<std::ptrdiff_t>(begin) * width,
                  from.begin() + static_cast<std::ptrdiff_t>(end) * width);
      },
      samples, rows);
  return rows;
}

/// Greatest distance of two rows of `velocity`, in a net's metric.
double diameter_of(const std::vector<double>& velocity, Eigen::Index nv,
                   const Eigen::MatrixXd& metric) {
  const Eigen::Index size = static_cast<Eigen::Index>(velocity.size()) / nv;
  Eigen::MatrixXd points = Eigen::Map<const Eigen::MatrixXd>(velocity.data(), nv, size);
  if (metric.size() > 0) points = metric * points;
  double largest = 0.0;
  for (Eigen::Index i = 1; i < size; ++i) {
    const double its =
        (points.leftCols(i).colwise() - points.col(i)).colwise().squaredNorm().maxCoeff();
    largest = std::max(largest, its);
  }
  return std::sqrt(largest);
}

/// @param stops asked often whether to stop @throws StageStopped
GridState state_of(const GridSpec& spec, const ReadMember& member, std::optional<KeptMember>& kept,
                   const std::function<bool()>& stops) {
  GridState state;
  state.refusal = member.refusal;
  if (!kept) return state;
  const ImpactProblem& problem = member.problem;
  auto& [net, modes, summary, answers] = *kept;
  state.other_contacts = member.other_contacts;
  state.colliding =
      colliding(problem, problem.pre_impact_velocity, spec.sampling.termination_tolerance);
  state.status_counts = summary.status_counts;
  state.checksum = summary.checksum;
  state.energy_before = summary.energy_before;
  if (state.outcomes() > 0) {
    state.energy_mean = summary.mean_energy();
    state.energy_least = summary.energy.least;
    state.energy_greatest = summary.energy.greatest;
  }
  state.notes = member_notes(problem, spec.sampling,
                             {summary.energy, summary.solution_steps[solution_bins - 1]});
  tbb::this_task_arena::isolate([&] { state.answers = answers.take(stops); });
  for (const OutcomeMode& mode : modes.table()) state.modes[mode.contacts] = mode.count;
  state.net_size = net.size();
  state.net_diameter = diameter_of(net.velocity(), problem.velocities(), net.metric());
  if (spec.nets) {
    state.net_index = net.index();
    state.net_velocity = net.velocity();
  }
  return state;
}

/// The scenario without the tables that count for the questions of a grid, of which no note tells
/// that they do not.
Scenario scenario_of_notes(const GridSpec& spec) {
  Scenario base = spec.family.base();
  if (spec.ask.empty()) return base;
  if (has_bound(base.problem, spec.sampling.law)) base.evidence.bound.reset();
  if (base.evidence.outputs.questions.empty()) base.evidence.outputs = {};
  return base;
}

}  // namespace

GridBlock sample_block(const GridSpec& spec, std::uint64_t first,
                       const std::function<bool()>& goes_on) {
  const std::uint64_t count = std::min(block_size(spec), spec.family.size() - first);
  MemberSampler sampler(spec);
  const std::vector<ReadMember> members = sampler.read(first, count, false);
  std::vector<std::optional<KeptMember>> kept(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (members[i].refusal.empty()) kept[i].emplace(spec, members[i]);
  }
  const auto add = [&](std::size_t i, const SampleSet& samples, std::size_t begin, std::size_t end,
                       std::uint64_t its_first) {
    constexpr int threads = 1;
    const SampleSet rows = rows_of(samples, begin, end, its_first);
    kept[i]->net.add(rows, threads);
    kept[i]->summary.add(members[i].problem, rows);
    kept[i]->modes.add(rows);
    kept[i]->answers.add(rows);
  };
  const bool asks = !spec.ask.empty();
  const bool is_whole = sampler.sample(members, goes_on, add);
  if (asks && !is_whole) return {};  // answers can take much longer than the trajectories
  const auto is_done = [&](const std::optional<KeptMember>& its) {
    return !its || its->summary.trajectories == spec.sampling.trajectories;
  };
  const auto done =
      static_cast<std::size_t>(std::ranges::find_if_not(kept, is_done) - kept.begin());
  // One thread alone may call back, and not too often.
  const std::thread::id caller = std::this_thread::get_id();
  std::optional<Clock::time_point> last;
  std::atomic<bool> stopped = false;
  const auto stops = [&] {
    if (asks && std::this_thread::get_id() == caller && goes_on) {
      constexpr std::chrono::milliseconds often{50};
      const auto now = Clock::now();
      if (!last || now - *last > often) {
        last = now;
        if (!goes_on()) stopped = true;
      }
    }
    return stopped.load();
  };
  GridBlock states(done);
  std::vector<std::uint8_t> finished(done, 0);
  try {
    sampler.in_parallel(done, [&](std::size_t i) {
      if (stops()) throw StageStopped{};
      states[i] = state_of(spec, members[i], kept[i], stops);
      finished[i] = 1;
    });
  } catch (const StageStopped&) {
    const auto end = std::ranges::find(finished, std::uint8_t{0});
    states.resize(static_cast<std::size_t>(end - finished.begin()));
  }
  return states;
}

void continue_grid(const GridSpec& spec, GridResult& result, const GridObserver& observer,
                   const DoUnits<GridBlock>& sample) {
  validate(spec);
  const bool strict = spec.family.options().invalid == InvalidMembers::error;
  for (const GridState& state : result.states) {  // of a run that could skip
    if (state.valid() || !strict) continue;
    throw InputError(fmt::format("{}: {}; invalid = \"skip\" leaves such members out",
                                 spec.family.source(), state.refusal));
  }
  const std::uint64_t size = spec.family.size();
  std::vector<std::uint64_t> blocks;
  for (std::uint64_t first = result.states.size(); first < size; first += block_size(spec)) {
    blocks.push_back(first);
  }
  result.complete = blocks.empty();
  sample(blocks, [&](GridBlock&& states) {
    std::move(states.begin(), states.end(), std::back_inserter(result.states));
    result.complete = result.states.size() == size;
    return !observer || observer(result);
  });
}

void continue_grid(const GridSpec& spec, GridResult& result, const GridObserver& observer) {
  const std::function<bool()> goes_on = [&] { return !observer || observer(result); };
  const DoUnits<GridBlock> here = [&](const auto& blocks, const auto& take) {
    return std::all_of(blocks.begin(), blocks.end(), [&](std::uint64_t first) {
      GridBlock block = sample_block(spec, first, goes_on);
      const bool is_whole = block.size() == std::min(block_size(spec), spec.family.size() - first);
      return (block.empty() || take(std::move(block))) && is_whole;
    });
  };
  continue_grid(spec, result, observer, here);
}

std::vector<FamilyNote> notes(const GridSpec& spec, const GridResult& result) {
  FamilyNotes notes;
  for (std::size_t member = 0; member < result.states.size(); ++member) {
    const GridState& state = result.states[member];
    if (state.valid()) {
      std::vector<Note> its = state.notes;
      std::ranges::move(loss_notes(spec.sampling.max_steps, state.status_counts),
                        std::back_inserter(its));
      if (state.other_contacts != 0) its.push_back(note_on_other_contacts(spec.family));
      notes.add(member, its);
    } else {
      notes.add_left_out(member, state.refusal);
    }
  }
  notes.add_of_scenario(scenario_of_notes(spec));
  return notes.take();
}

GridResult sample_grid(const GridSpec& spec, const GridObserver& observer) {
  GridResult result;
  continue_grid(spec, result, observer);
  return result;
}

}  // namespace carom
