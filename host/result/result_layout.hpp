#pragma once

#include <string>
#include <vector>

#include "carom/post_impact_set.hpp"
#include "carom/sample_set.hpp"
#include "carom/scenario.hpp"
#include "host/result/hdf5_tools.hpp"

/// What writer and reader of result files agree on (docs/result_file.md).
namespace carom::layout {

/// The HDF5 enumeration of carom::Status.
hdf5::Handle make_status_type();

const char* name_of(Norm norm);
const char* name_of(Backend backend);
/// @throws hdf5::Error for a name that is none.
Backend backend_named(const std::string& name);

/// The one column that files from before there were tables lack; it is all zeros then.
inline constexpr const char* table_count_name = "table_count";

/// Calls visit(name, data, row shape) for each dataset of /samples with the vector that holds it.
template <class Samples, class Visit>
void for_each_column(Samples& samples, const Visit& visit) {
  const auto nv = static_cast<hsize_t>(samples.velocities);
  const auto contacts = static_cast<hsize_t>(samples.contacts);
  const auto parts = static_cast<hsize_t>(1 + samples.tangent_dimension);
  visit("velocity", samples.velocity, hdf5::Shape{nv});
  visit("status", samples.status, hdf5::Shape{});
  visit("lcp_count", samples.lcp_count, hdf5::Shape{});
  visit("final_step", samples.final_step, hdf5::Shape{});
  visit("energy", samples.energy, hdf5::Shape{});
  visit("impulse", samples.impulse, hdf5::Shape{contacts, parts});
  visit("pivot_count", samples.pivot_count, hdf5::Shape{});
  visit("retry_count", samples.retry_count, hdf5::Shape{});
  visit(table_count_name, samples.table_count, hdf5::Shape{});
}

/// Of /summary: EnergyUnits, low and high. Files from before they were counted lack them.
inline constexpr const char* energy_units_name = "energy_units";

/// The type of a column's elements; `status_type` where they are Status.
template <class T>
hid_t element_type(const std::vector<T>&, hid_t status_type) {
  if constexpr (std::is_same_v<T, Status>) {
    return status_type;
  } else {
    return hdf5::number_type<T>();
  }
}

/// Calls visit(name, count) for each count of a summary that is one number; `summary` may be const.
template <class AnySummary, class Visit>
void for_each_count(AnySummary& summary, const Visit& visit) {
  visit("trajectories", summary.trajectories);
  visit("final_steps", summary.final_steps);
  visit("lcps", summary.lcps);
  visit("max_lcps", summary.max_lcps);
  visit("pivots", summary.pivots);
  visit("retries", summary.retries);
  visit("checksum", summary.checksum);
  visit("energy_before", summary.energy_before);
  visit("energy_sum", summary.energy_sum);
  visit("seconds", summary.seconds);
}

/// A sample set without rows, of a problem's shape.
SampleSet empty_samples(const ImpactProblem& problem);

/// Bytes of the numbers of one row.
double row_bytes(const SampleSet& shape);

/// N + 2: the pre-impact velocity, N steps and the final step.
hsize_t path_length(const SamplingOptions& options);

}  // namespace carom::layout
