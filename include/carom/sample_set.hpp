#pragma once

#include <cstdint>
#include <vector>

#include "carom/row_columns.hpp"

namespace carom {

template <class T>
using ColumnVector = std::vector<T>;

/// Trajectories [first, first + size()) of a run, one row each. With several problems, row r is
/// trajectory (first + r) % M of problem (first + r) / M.
struct SampleSet : RowShape, RowColumns<ColumnVector> {
  std::uint64_t first = 0;

  std::size_t size() const { return status.size(); }
  /// Gives every column `size` rows.
  void resize(std::size_t size);
  /// The same, of another shape.
  void resize(const RowShape& shape, std::size_t size);
};

/// Order-independent checksum of rows: a sum of one 64-bit hash per trajectory, modulo 2^64.
/// Sums over disjoint ranges add up, so any chunking of a run gives the same number.
std::uint64_t checksum(const SampleSet& samples);

}  // namespace carom
