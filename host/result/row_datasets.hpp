#pragma once

#include <cstdint>
#include <vector>

#include "carom/sample_set.hpp"
#include "host/files/hdf5_tools.hpp"
#include "host/result/result_layout.hpp"

namespace carom {

/// The datasets of /samples, to which rows are appended.
class RowDatasets {
 public:
  RowDatasets() = default;
  /// @param expected_rows determines the chunk size
  static RowDatasets create(hid_t group, const RowShape& shape, std::uint64_t expected_rows);
  static RowDatasets open(hid_t group, const RowShape& shape);

  std::uint64_t rows() const { return columns_.front().rows(); }
  /// Bytes on disk of `rows` rows.
  double bytes_for(std::uint64_t rows) const;
  /// Appends rows [first, first + count) of `samples`.
  void append(const SampleSet& samples, std::size_t first, std::size_t count);

  /// Reads rows [first, first + count) of a group of these datasets into rows from `at` on.
  static void read(hid_t group, std::uint64_t first, std::uint64_t count, SampleSet& samples,
                   std::uint64_t at);

 private:
  template <class Make>
  static RowDatasets make(const RowShape& shape, const Make& make_dataset);

  hdf5::Handle status_type_;
  RowShape shape_;
  std::vector<hdf5::RowDataset> columns_;  // in the order of for_each_dataset
};

}  // namespace carom
