#include "host/result/row_columns.hpp"

namespace carom {

using hdf5::RowDataset;

namespace {

/// Numbers per row.
std::size_t width(const hdf5::Shape& shape) {
  std::size_t numbers = 1;
  for (const hsize_t extent : shape) numbers *= extent;
  return numbers;
}

}  // namespace

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

void RowColumns::read(hid_t group, std::uint64_t first, std::uint64_t count, SampleSet& samples,
                      std::uint64_t at) {
  const hdf5::Handle status_type = layout::make_status_type();
  layout::for_each_column(samples, [&](const char* name, auto& data, const hdf5::Shape& shape) {
    const bool newer = std::string(name) == layout::table_count_name;
    if (newer && H5Lexists(group, name, H5P_DEFAULT) <= 0) return;
    const hid_t type = layout::element_type(data, status_type);
    RowDataset::open(group, name, type, shape).read(first, count, data.data() + at * width(shape));
  });
}

double RowColumns::bytes_for(std::uint64_t rows) const {
  double bytes = 0.0;
  for (const RowDataset& column : columns_) bytes += column.bytes_for(rows);
  return bytes;
}

void RowColumns::append(const SampleSet& samples, std::size_t first, std::size_t count) {
  std::size_t column = 0;
  layout::for_each_column(samples, [&](const char*, const auto& data, const hdf5::Shape& shape) {
    columns_[column++].append(data.data() + first * width(shape), count);
  });
}

}  // namespace carom
