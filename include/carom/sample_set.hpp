#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "carom/eigen_memory.hpp"
#include "carom/row_columns.hpp"

namespace carom {

/// A row-major matrix.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// A row-major view without a copy, valid as long as the numbers are not moved.
using RowMatrixView = Eigen::Map<const RowMatrix>;

/// How a SampleSet holds a column.
template <class T>
using ColumnVector = std::vector<T>;

/// Trajectories [first, first + size()) of a run, one row each. With several problems, row r is
/// trajectory (first + r) % M of problem (first + r) / M.
struct SampleSet : RowShape, RowColumns<ColumnVector> {
  std::uint64_t first = 0;  ///< index of the first row

  /// Number of rows.
  std::size_t size() const { return status.size(); }
  /// `velocity` as a matrix, size x nv.
  RowMatrixView velocity_rows() const {
    return {velocity.data(), static_cast<Eigen::Index>(size()), velocities};
  }
  /// A copy of the velocities of the rows with an outcome (status `separated`), in the order of the
  /// rows, outcomes x nv.
  RowMatrix outcomes() const;
  /// Gives every column `size` rows.
  void resize(std::size_t size);
  /// Gives every column `size` rows of another shape.
  void resize(const RowShape& shape, std::size_t size);
};

/// Order-independent checksum of rows: a sum of one 64-bit hash per trajectory, modulo 2^64.
/// Sums over disjoint ranges add up, so any chunking of a run gives the same number.
std::uint64_t checksum(const SampleSet& samples);

}  // namespace carom
