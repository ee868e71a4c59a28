#include "host/set/row_counts.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <utility>

#include "host/problem/contact_speeds.hpp"

namespace carom {
namespace {

/// Counts ranges of rows: a body of parallel_reduce.
class RowCounter {
 public:
  using Range = oneapi::tbb::blocked_range<std::size_t>;

  RowCounter(const SampleSet& samples, const ContactSpeeds& contact_speeds, double units_per_joule,
             std::optional<double> rest_speed)
      : samples_(samples),
        contact_speeds_(contact_speeds),
        units_per_joule_(units_per_joule),
        rest_speed_(rest_speed),
        speed_(contact_speeds.padded_size()) {
    counts_.speeds = Extremes(contact_speeds.padded_size());
  }
  RowCounter(const RowCounter& other, oneapi::tbb::split)
      : RowCounter(other.samples_, other.contact_speeds_, other.units_per_joule_,
                   other.rest_speed_) {}

  void operator()(const Range& rows) {
    for (std::size_t row = rows.begin(); row < rows.end(); ++row) {
      const Status status = samples_.status[row];
      if (status == Status::bad_input) continue;  // no trajectory
      const std::uint32_t steps = step_counts(samples_)[row];
      if (counts_.sums.lcp_histogram.size() <= steps)
        counts_.sums.lcp_histogram.resize(steps + 1, 0);
      ++counts_.sums.lcp_histogram[steps];
      ++counts_.sums.status_counts[static_cast<std::size_t>(status)];
      if (status == Status::separated) add_outcome(row);
    }
    add_sums(rows);
  }
  void join(const RowCounter& other) { counts_.join(other.counts_); }
  RowCounts& counts() { return counts_; }

 private:
  void add_outcome(std::size_t row) {
    const double energy = samples_.energy[row];
    counts_.energy.include(&energy, &energy);
    const WideSum units = in_energy_units(energy, units_per_joule_);
    counts_.sums.energy_units.add({units.low, units.high});
    contact_speeds_(&samples_.velocity[row * static_cast<std::size_t>(samples_.velocities)],
                    speed_.data());
    counts_.speeds.include(speed_.data(), speed_.data());
    if (!rest_speed_) return;
    counts_.modes.add(
        mode_codes(speed_.data(), samples_.contacts, samples_.tangent_dimension, *rest_speed_), 1,
        row);
  }

  /// Columns in which rows without a trajectory have zeros.
  void add_sums(const Range& rows) {
    const auto sum = [&](const auto& column) {
      std::uint64_t all = 0;
      if (column.empty()) return all;
      for (std::size_t row = rows.begin(); row < rows.end(); ++row) all += column[row];
      return all;
    };
    counts_.sums.pivots += sum(samples_.pivot_count);
    counts_.sums.retries += sum(samples_.retry_count);
    counts_.sums.table_hits += sum(samples_.table_count);
    counts_.sums.final_steps += sum(samples_.final_step);
    if (samples_.solution_count.empty()) return;
    for (std::size_t row = rows.begin(); row < rows.end(); ++row) {
      for (std::size_t bin = 0; bin < solution_bins; ++bin) {
        counts_.sums.solution_steps[bin] += samples_.solution_count[row * solution_bins + bin];
      }
    }
  }

  const SampleSet& samples_;
  const ContactSpeeds& contact_speeds_;
  double units_per_joule_;
  std::optional<double> rest_speed_;
  std::vector<double> speed_;
  RowCounts counts_;
};

}  // namespace

std::uint32_t ModeCounts::find(const ModeCodes& codes) {
  const auto [known, is_new] =
      places_.try_emplace(codes, static_cast<std::uint32_t>(entries_.size()));
  if (is_new) entries_.push_back({codes});
  return known->second;
}

void RowCounts::join(const RowCounts& other) {
  sums.join(other.sums);
  energy.include(other.energy.least.data(), other.energy.greatest.data());
  speeds.include(other.speeds.least.data(), other.speeds.greatest.data());
  for (const ModeCounts::Entry& entry : other.modes.entries()) {
    modes.add(entry.codes, entry.count, entry.first_row);
  }
}

RowCounts count_rows(const SampleSet& samples, const Eigen::MatrixXd& normal_jacobian,
                     const Eigen::MatrixXd& tangent_jacobian, double units_per_joule,
                     std::optional<double> rest_speed) {
  const ContactSpeeds speeds(normal_jacobian, tangent_jacobian);
  RowCounter counter(samples, speeds, units_per_joule, rest_speed);
  constexpr std::size_t grain = 4096;  // rows: about 0.1 ms
  oneapi::tbb::parallel_reduce(RowCounter::Range(0, samples.size(), grain), counter);
  return std::move(counter.counts());
}

}  // namespace carom
