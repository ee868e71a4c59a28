#include "host/result/row_columns.hpp"

namespace carom {

using hdf5::RowDataset;

RowColumns RowColumns::create(hid_t group, const SampleSet& shape, std::uint64_t expected_rows) {
  RowColumns made;
  made.status_type_ = layout::make_status_type();
  layout::for_each_column(shape, [&](const char* name, const auto& data, const auto& row_shape) {
    const hid_t type = layout::element_type(data, made.status_type_);
    made.columns_.push_back(RowDataset::create(group, name, type, row_shape, expected_rows));
  });
  return made;
}

RowColumns RowColumns::open(hid_t group, const SampleSet& shape) {
  RowColumns found;
  found.status_type_ = layout::make_status_type();
  layout::for_each_column(shape, [&](const char* name, const auto& data, const auto& row_shape) {
    const hid_t type = layout::element_type(data, found.status_type_);
    found.columns_.push_back(RowDataset::open(group, name, type, row_shape));
  });
  return found;
}

double RowColumns::bytes_for(std::uint64_t rows) const {
  double bytes = 0.0;
  for (const RowDataset& column : columns_) bytes += column.bytes_for(rows);
  return bytes;
}

void RowColumns::append(const SampleSet& samples, std::size_t first, std::size_t count) {
  std::size_t column = 0;
  layout::for_each_column(samples, [&](const char*, const auto& data, const hdf5::Shape& shape) {
    std::size_t numbers = 1;  // per row
    for (const hsize_t extent : shape) numbers *= extent;
    columns_[column++].append(data.data() + first * numbers, count);
  });
}

}  // namespace carom
