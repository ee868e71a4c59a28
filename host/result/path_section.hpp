#pragma once

#include <vector>

#include "host/files/hdf5_tools.hpp"

namespace carom {

/// /paths of a result file that is being written. Paths differ in length: the dataset's second axis
/// grows to the longest path so far, and pad() repeats the last velocity of shorter paths.
class PathSection {
 public:
  PathSection() = default;
  /// @param longest greatest number of velocities of a path
  /// @param expected determines the chunk size; the number of paths is not limited
  static PathSection create(hid_t file, hsize_t velocities, hsize_t longest, hsize_t expected);
  /// @throws hdf5::Error if the datasets do not fit together or the problem.
  static PathSection open(hid_t file, hsize_t velocities, hsize_t longest);

  std::uint64_t size() const { return index_.rows(); }
  /// Least index of the next trajectory.
  std::uint64_t next() const { return next_; }
  /// Bytes on disk of `paths` paths of the greatest length so far, whole chunks.
  double bytes_for(std::uint64_t paths) const;
  /// Adds the path of a trajectory, a multiple of nv numbers.
  void append(std::uint64_t trajectory, const std::vector<double>& velocities);
  /// Extends every path to the length of the longest path.
  void pad();

 private:
  enum class Direction { read, write };
  /// Moves whole rows [first, first + count) between `data` and the file.
  void transfer(Direction direction, hsize_t first, hsize_t count, double* data) const;
  void resize(hsize_t paths, hsize_t length);

  hdf5::RowDataset index_, count_;
  hdf5::Handle velocity_;
  hdf5::Shape shape_;  // of velocity_: paths, length, nv
  hdf5::Shape chunk_;
  hsize_t shorter_ = 0;  // paths written before the dataset had its present length
  std::uint64_t next_ = 0;
};

}  // namespace carom
