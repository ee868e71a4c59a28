#pragma once

#include <string>
#include <vector>

#include "carom/post_impact_set.hpp"
#include "carom/sample_set.hpp"
#include "carom/scenario.hpp"
#include "host/files/hdf5_tools.hpp"

/// The layout that writer and reader of result files share (docs/result_file.md).
namespace carom::layout {

/// The HDF5 enumeration of carom::Status.
hdf5::Handle make_status_type();

/// @throws hdf5::Error for an unknown name.
Backend backend_named(const std::string& name);

/// Calls visit(name, column, row shape) for each dataset of /samples for rows of a shape, with its
/// column of `rows`.
template <class AnyRows, class Visit>
void for_each_dataset(const RowShape& shape, AnyRows& rows, const Visit& visit) {
  for_each_column(
      [&](const ColumnInfo& info, auto& column) {
        const hsize_t numbers = shape.numbers(info.shape);
        if (numbers == 0) return;
        if (info.shape == ColumnShape::impulse) {
          visit(info.name, column,
                hdf5::Shape{static_cast<hsize_t>(shape.contacts),
                            static_cast<hsize_t>(1 + shape.tangent_dimension)});
        } else if (info.shape == ColumnShape::velocity ||
                   info.shape == ColumnShape::solution_count) {
          visit(info.name, column, hdf5::Shape{numbers});
        } else {
          visit(info.name, column, hdf5::Shape{});
        }
      },
      rows);
}

/// The type of the elements of a column, a pointer or a vector; `status_type` if they are Status.
template <class Column>
hid_t element_type(const Column& column, hid_t status_type) {
  using T = std::remove_cvref_t<decltype(column[0])>;
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
  visit("table_hits", summary.table_hits);
  visit("checksum", summary.checksum);
  visit("energy_before", summary.energy_before);
  visit("energy_sum", summary.energy_sum);
  visit("seconds", summary.seconds);
}

/// Shape of the rows of a scenario's run.
RowShape row_shape(const Scenario& scenario);

/// N + 2: the pre-impact velocity, N steps and the final step.
hsize_t path_length(const SamplingOptions& options);

}  // namespace carom::layout
