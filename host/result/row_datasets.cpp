#include "host/result/row_datasets.hpp"

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

RowDatasets RowDatasets::create(hid_t group, const RowShape& shape, std::uint64_t expected_rows) {
  return make(shape, [&](const char* name, hid_t type, const hdf5::Shape& row) {
    return RowDataset::create(group, name, type, row, expected_rows);
  });
}

RowDatasets RowDatasets::open(hid_t group, const RowShape& shape) {
  return make(shape, [&](const char* name, hid_t type, const hdf5::Shape& row) {
    return RowDataset::open(group, name, type, row);
  });
}

template <class Make>
RowDatasets RowDatasets::make(const RowShape& shape, const Make& make_dataset) {
  RowDatasets made;
  made.shape_ = shape;
  made.status_type_ = layout::make_status_type();
  const RowPointers none;
  layout::for_each_dataset(
      shape, none, [&](const char* name, const auto& column, const hdf5::Shape& row) {
        made.columns_.push_back(
            make_dataset(name, layout::element_type(column, made.status_type_), row));
      });
  return made;
}

void RowDatasets::read(hid_t group, std::uint64_t first, std::uint64_t count, SampleSet& samples,
                       std::uint64_t at) {
  const hdf5::Handle status_type = layout::make_status_type();
  layout::for_each_dataset(samples, samples,
                           [&](const char* name, auto& data, const hdf5::Shape& shape) {
                             const hid_t type = layout::element_type(data, status_type);
                             RowDataset::open(group, name, type, shape)
                                 .read(first, count, data.data() + at * width(shape));
                           });
}

double RowDatasets::bytes_for(std::uint64_t rows) const {
  double bytes = 0.0;
  for (const RowDataset& column : columns_) bytes += column.bytes_for(rows);
  return bytes;
}

void RowDatasets::append(const SampleSet& samples, std::size_t first, std::size_t count) {
  std::size_t column = 0;
  layout::for_each_dataset(shape_, samples,
                           [&](const char*, const auto& data, const hdf5::Shape& shape) {
                             columns_[column++].append(data.data() + first * width(shape), count);
                           });
}

}  // namespace carom
