#pragma once

#include <type_traits>
#include <vector>

#include "carom/roll.hpp"
#include "host/files/hdf5_tools.hpp"

/// Rollouts in HDF5: a dataset for each column that they have.
namespace carom {

/// The type of a column's numbers in a file.
template <class T>
hid_t column_type() {
  if constexpr (std::is_enum_v<T>) {
    return hdf5::number_type<std::underlying_type_t<T>>();
  } else {
    return hdf5::number_type<T>();
  }
}

inline hdf5::Shape shape_of(const RolloutColumnInfo& info, const Rollouts& rollouts) {
  hdf5::Shape shape = {rollouts.size()};
  for (const RolloutColumnInfo::Size member : {info.rows, info.columns}) {
    if (member != nullptr) shape.push_back(static_cast<hsize_t>(rollouts.*member));
  }
  return shape;
}

/// Writes each column under the name that name_of(info) gives it.
template <class NameOf>
void write_columns(hid_t place, const Rollouts& rollouts, const NameOf& name_of) {
  for_each_rollout_column(
      [&]<class T>(const RolloutColumnInfo& info, const std::vector<T>& column) {
        if (info.numbers(rollouts) == 0) return;
        hdf5::write_array(place, name_of(info), column_type<T>(), shape_of(info, rollouts),
                          column.data());
      },
      rollouts);
}

}  // namespace carom
