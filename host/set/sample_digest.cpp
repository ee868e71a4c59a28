#include "host/set/sample_digest.hpp"

#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "host/sampling/sampler_state.hpp"
#include "host/set/energy_unit.hpp"
#include "host/set/mode_codes.hpp"
#include "host/set/net/net_points.hpp"
#include "host/set/row_counts.hpp"

namespace carom {
namespace {

/// The coordinate in which points lie farthest apart: sorted by it, few are near a query.
std::size_t widest_axis(const NetPoints& points) {
  std::size_t widest = 0;
  double width = -1.0;
  for (std::size_t j = 0; j < points.dimension; ++j) {
    double least = NearestPoint::unbounded;
    double greatest = -NearestPoint::unbounded;
    for (std::size_t i = 0; i < points.size(); ++i) {
      least = std::min(least, points[i][j]);
      greatest = std::max(greatest, points[i][j]);
    }
    if (greatest - least <= width) continue;
    width = greatest - least;
    widest = j;
  }
  return widest;
}

/// A version number that is unique in this process.
std::uint64_t next_version() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

/// The host reads rows whose columns a digest does not count.
bool can_digest(const SamplingPlan& plan) {
  return plan.rows.step == StepKind::lcp && can_digest(plan.shape);
}

}  // namespace

void join(const ImpactProblem& problem, const SampleDigest& next, SampleDigest& digest) {
  digest.summary.join(next.summary);
  OutcomeModes modes(problem);
  for (const SampleDigest* part : {static_cast<const SampleDigest*>(&digest), &next}) {
    for (const OutcomeMode& mode : part->modes) modes.join(mode);
  }
  digest.modes = modes.table();
  digest.open_index.insert(digest.open_index.end(), next.open_index.begin(), next.open_index.end());
  digest.open_velocity.insert(digest.open_velocity.end(), next.open_velocity.begin(),
                              next.open_velocity.end());
}

SampleDigest digest_rows(const ImpactProblem& problem, const SampleSet& samples,
                         const EpsilonNet& net, int threads) {
  SampleDigest digest;
  oneapi::tbb::task_arena arena(usable_threads(threads));
  arena.execute([&] {
    OutcomeModes modes(problem);
    const double before = kinetic_energy(problem, problem.pre_impact_velocity);
    const RowCounts counts = count_rows(samples, problem.normal_jacobian, problem.tangent_jacobian,
                                        energy_units_per_joule(before), modes.tolerance());
    digest.summary = summary_of(problem, samples, counts);
    join_modes(counts.modes, static_cast<std::size_t>(problem.contacts()), samples, modes);
    digest.modes = modes.table();
    const auto nv = static_cast<std::size_t>(samples.velocities);
    for (const std::size_t row : net.uncovered(samples, threads)) {
      const double* velocity = &samples.velocity[row * nv];
      digest.open_index.push_back(samples.first + row);
      digest.open_velocity.insert(digest.open_velocity.end(), velocity, velocity + nv);
    }
  });
  return digest;
}

NetMembers SortedMembers::of(const EpsilonNet& net) {
  if (net.size() != known_ || (known_ > 0 && net.index().back() != last_)) {
    known_ = net.size();
    last_ = known_ > 0 ? net.index().back() : 0;
    point_.clear();
  }
  if (known_ > 0 && point_.empty()) {
    const Eigen::MatrixXd& metric = net.metric();
    metric_.clear();
    for (Eigen::Index i = 0; i < metric.size(); ++i) {
      metric_.push_back(metric(i / metric.cols(), i % metric.cols()));
    }
    const auto nv = static_cast<std::size_t>(net.velocity_rows().cols());
    const NetPoints points = to_points(metric, nv, net.velocity());
    const std::size_t axis = widest_axis(points);
    std::vector<std::size_t> order(known_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return points[a][axis] < points[b][axis]; });
    axis_ = static_cast<int>(axis);
    for (const std::size_t i : order) point_.insert(point_.end(), points[i], points[i] + nv);
    version_ = next_version();
  }
  return {.metric = metric_.empty() ? nullptr : metric_.data(),
          .point = point_.data(),
          .size = static_cast<std::uint32_t>(known_),
          .axis = axis_,
          .epsilon = net.epsilon(),
          .version = version_};
}

SampleDigest digest_of(const ImpactProblem& problem, std::uint64_t first, const RowDigest& rows) {
  Summary counted;
  counted.trajectories = rows.rows;
  std::copy_n(rows.sum + status_sum, status_count, counted.status_counts.begin());
  counted.lcp_histogram = rows.lcp_histogram;
  for (std::size_t count = 0; count < rows.lcp_histogram.size(); ++count) {
    counted.lcps += count * rows.lcp_histogram[count];
    if (rows.lcp_histogram[count] > 0) counted.max_lcps = count;
  }
  counted.final_steps = rows.sum[final_step_sum];
  counted.pivots = rows.sum[pivot_sum];
  counted.retries = rows.sum[retry_sum];
  counted.table_hits = rows.sum[table_hit_sum];
  std::copy_n(rows.sum + solution_sum, solution_bins, counted.solution_steps.begin());
  counted.energy_before = kinetic_energy(problem, problem.pre_impact_velocity);
  counted.energy_units = {rows.energy.low, rows.energy.high};
  counted.energy = {rows.least[0], rows.greatest[0]};
  const auto m = static_cast<std::size_t>(problem.contacts());
  for (std::size_t i = 1; i < rows.least.size(); ++i) {
    auto& ranges = i <= m ? counted.normal_velocity : counted.tangential_velocity;
    ranges.push_back({rows.least[i], rows.greatest[i]});
  }
  counted.checksum = rows.sum[checksum_sum];

  SampleDigest digest;
  digest.summary.join(counted);
  const auto nv = static_cast<std::ptrdiff_t>(problem.velocities());
  auto velocity = rows.mode_velocity.begin();
  for (const RowDigest::Mode& mode : rows.modes) {
    digest.modes.push_back({.contacts = contact_modes({mode.code}, m),
                            .count = mode.count,
                            .example = first + mode.first_row,
                            .example_velocity = {velocity, velocity + nv}});
    velocity += nv;
  }
  for (const std::uint64_t row : rows.open_row) digest.open_index.push_back(first + row);
  digest.open_velocity = rows.open_velocity;
  return digest;
}

DigestRequest::DigestRequest(const ImpactProblem& problem, const ProblemShape& shape, int max_steps,
                             bool counts_solutions) {
  for (const Eigen::MatrixXd* jacobian : {&problem.normal_jacobian, &problem.tangent_jacobian}) {
    for (Eigen::Index i = 0; i < jacobian->rows(); ++i) {
      for (Eigen::Index j = 0; j < jacobian->cols(); ++j) {
        contact_rows_.push_back((*jacobian)(i, j));
      }
    }
  }
  plan_.shape = shape;
  plan_.contact_rows = contact_rows_.data();
  plan_.energy_units_per_joule =
      energy_units_per_joule(kinetic_energy(problem, problem.pre_impact_velocity));
  plan_.rest_speed = OutcomeModes(problem).tolerance();
  plan_.lcp_bins = max_steps + 1;
  plan_.mode_slots = mode_slots_for(shape.contacts);
  plan_.counts_solutions = counts_solutions;
}

const DigestPlan& DigestRequest::plan(const EpsilonNet& net) {
  plan_.members = members_.of(net);
  return plan_;
}

RowDigest DigestSampler::count(std::uint64_t first, std::uint64_t count, const EpsilonNet& net) {
  if (!on_device_) return {};
  return Sampler::State::of(sampler_).cuda->digest(first, std::min(count, sampler_.chunk()),
                                                   request_.plan(net), false, threads_);
}

DigestSampler::DigestSampler(const ImpactProblem& problem, const SamplingOptions& options,
                             const Sampler& sampler)
    : problem_(problem),
      sampler_(sampler),
      threads_(options.threads),
      on_device_(Sampler::State::of(sampler).cuda &&
                 can_digest(Sampler::State::of(sampler).plan())),
      request_(problem, Sampler::State::of(sampler).plan().shape,
               Sampler::State::of(sampler).plan().max_steps,
               Sampler::State::of(sampler).plan().rows.counts_solutions) {}

SampleDigest DigestSampler::sample(std::uint64_t first, std::uint64_t count,
                                   const EpsilonNet& net) {
  std::uint64_t some = std::min(count, sampler_.chunk());
  if (on_device_) {
    const RowDigest rows =
        Sampler::State::of(sampler_).cuda->digest(first, some, request_.plan(net), true, threads_);
    if (rows.rows > 0 && rows.whole) return digest_of(problem_, first, rows);
    if (rows.rows > 0) some = rows.rows;
  }
  return sample_rows(first, some, net, rows_);
}

SampleDigest DigestSampler::sample_rows(std::uint64_t first, std::uint64_t count,
                                        const EpsilonNet& net, SampleSet& rows) const {
  sampler_.sample(first, count, rows);
  return digest_rows(problem_, rows, net, threads_);
}

}  // namespace carom
