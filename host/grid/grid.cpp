#include "carom/grid.hpp"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "carom/epsilon_net.hpp"
#include "carom/error.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/sampler.hpp"
#include "carom/summary.hpp"
#include "host/scenario/family_shape.hpp"
#include "host/step_lcp.hpp"
#include "kernels/launch.hpp"

namespace carom {
namespace {

constexpr std::uint64_t rows_at_once = std::uint64_t{1} << 18;

/// A state on its way.
struct Item {
  ImpactProblem problem;
  std::string refusal;  // empty: `problem` is valid
  std::optional<EpsilonNet> net;
  OutcomeModes modes;
  Summary summary;
};

/// Rows [begin, end) as trajectories `first`, ... of a run of their own.
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

class BlockSampler {
 public:
  BlockSampler(const GridSpec& spec, const std::function<bool()>& goes_on)
      : spec_(spec), goes_on_(goes_on), arena_(usable_threads(spec.sampling.threads)) {}

  std::vector<GridState> sample(std::uint64_t first, std::uint64_t count) {
    items_.resize(count);
    in_parallel(count, [&](std::size_t i) { read(first + i, items_[i]); });
    for (const Item& item : items_) {
      if (item.refusal.empty() || spec_.family.options().invalid == InvalidMembers::skip) continue;
      throw InputError(item.refusal + "; invalid = \"skip\" leaves such states out");
    }
    // A launch numbers its problems one after the other: a state left out ends it, as does another
    // shape.
    for (std::size_t begin = 0; begin < count;) {
      std::size_t end = begin;
      while (end < count && items_[end].refusal.empty() &&
             shape_of(items_[end].problem) == shape_of(items_[begin].problem)) {
        ++end;
      }
      if (end > begin && !sample_items(first, begin, end)) return {};
      begin = std::max(end, begin + 1);
    }
    std::vector<GridState> states(count);
    in_parallel(count, [&](std::size_t i) { states[i] = finish(items_[i]); });
    return states;
  }

 private:
  template <class Work>
  void in_parallel(std::size_t count, const Work& work) {
    arena_.execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, count, work); });
  }

  void read(std::uint64_t member, Item& item) const {
    try {
      item.problem = spec_.family.scenario(member).problem;
      item.refusal = shape_refusal(spec_.family, member, item.problem);
      if (!item.refusal.empty()) return;
    } catch (const InputError& error) {
      item.refusal = error.what();
      return;
    }
    item.net.emplace(item.problem.velocities(), spec_.sampling.epsilon,
                     net_metric(item.problem, spec_.sampling.norm));
    item.modes = OutcomeModes(item.problem);
  }

  /// @return false if it was stopped
  bool sample_items(std::uint64_t first_member, std::size_t begin, std::size_t end) {
    std::vector<ImpactProblem> problems;
    for (std::size_t i = begin; i < end; ++i) problems.push_back(items_[i].problem);
    SamplingOptions options = spec_.sampling;
    options.problem_id += static_cast<std::uint32_t>(first_member + begin);
    const Sampler sampler(problems, options);
    const std::uint64_t trajectories = options.trajectories;
    const std::uint64_t all = trajectories * problems.size();
    SampleSet samples;
    for (std::uint64_t first = 0; first < all; first += samples.size()) {
      const auto observer = [&](std::uint64_t, std::uint64_t) { return !goes_on_ || goes_on_(); };
      if (!sampler.sample(first, std::min(rows_at_once, all - first), samples, observer)) {
        return false;
      }
      if (!observer(0, 0)) return false;  // the last part is not asked about
      const std::uint64_t last = first + samples.size();
      const std::uint64_t problem = first / trajectories;
      const std::uint64_t touched = (last - 1) / trajectories - problem + 1;
      in_parallel(touched, [&](std::size_t i) {
        const std::uint64_t start = (problem + i) * trajectories;
        const std::uint64_t from = std::max(start, first);
        const std::uint64_t to = std::min(start + trajectories, last);
        add(items_[begin + problem + i], rows_of(samples, from - first, to - first, from - start));
      });
    }
    return true;
  }

  static void add(Item& item, const SampleSet& rows) {
    constexpr int threads = 1;
    item.net->add(rows, threads);
    item.summary.add(item.problem, rows);
    item.modes.add(rows);
  }

  GridState finish(Item& item) const {
    GridState state;
    state.refusal = item.refusal;
    if (!state.valid()) return state;
    state.colliding = colliding(item.problem, item.problem.pre_impact_velocity,
                                spec_.sampling.termination_tolerance);
    state.status_counts = item.summary.status_counts;
    state.checksum = item.summary.checksum;
    state.energy_before = item.summary.energy_before;
    if (state.outcomes() > 0) {
      state.energy_mean = item.summary.mean_energy();
      state.energy_least = item.summary.energy.least;
      state.energy_greatest = item.summary.energy.greatest;
    }
    for (const OutcomeMode& mode : item.modes.table()) state.modes[mode.contacts] = mode.count;
    state.net_size = item.net->size();
    state.diameter = diameter_of(item.net->velocity(), item.problem.velocities(),
                                 net_metric(item.problem, spec_.sampling.norm));
    if (spec_.nets) {
      state.net_index = item.net->index();
      state.net_velocity = item.net->velocity();
    }
    return state;
  }

  const GridSpec& spec_;
  const std::function<bool()>& goes_on_;
  oneapi::tbb::task_arena arena_;
  std::vector<Item> items_;
};

}  // namespace

std::vector<GridState> sample_states(const GridSpec& spec, std::uint64_t first, std::uint64_t count,
                                     const std::function<bool()>& goes_on) {
  return BlockSampler(spec, goes_on).sample(first, count);
}

void continue_grid(const GridSpec& spec, GridResult& result, const GridObserver& observer) {
  validate(spec);
  const std::uint64_t size = spec.family.size();
  const std::function<bool()> goes_on = [&] { return !observer || observer(result); };
  do {
    const std::uint64_t first = result.states.size();
    result.complete = first == size;
    if (result.complete) return;
    std::vector<GridState> block =
        sample_states(spec, first, std::min(grid_block, size - first), goes_on);
    if (block.empty()) return;
    std::move(block.begin(), block.end(), std::back_inserter(result.states));
    result.complete = result.states.size() == size;
  } while (goes_on());
}

GridResult sample_grid(const GridSpec& spec, const GridObserver& observer) {
  GridResult result;
  continue_grid(spec, result, observer);
  return result;
}

}  // namespace carom
