#include "host/result/path_section.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace carom {
namespace {

using hdf5::check;
using hdf5::Handle;
using hdf5::number_type;
using hdf5::Shape;

constexpr std::size_t axes = 3;
// Most paths are shorter; the rest of a chunk after a path wastes disk space.
constexpr hsize_t chunk_steps = 16;
// One path after the other is written: few paths per chunk if a path crosses many chunks.
constexpr hsize_t chunk_paths_if_long = 32;
constexpr hsize_t chunk_paths = 256;
constexpr hsize_t chunk_numbers = 32 * 1024;  // 256 KiB

double in_whole_chunks(hsize_t extent, hsize_t chunk) {
  return static_cast<double>((extent / chunk + (extent % chunk != 0 ? 1 : 0)) * chunk);
}

}  // namespace

PathSection PathSection::create(hid_t file, hsize_t velocities, hsize_t longest, hsize_t expected) {
  const Handle group = hdf5::create_group(file, "paths");
  PathSection paths;
  paths.index_ =
      hdf5::RowDataset::create(group, "index", number_type<std::uint64_t>(), {}, expected);
  paths.count_ =
      hdf5::RowDataset::create(group, "count", number_type<std::uint32_t>(), {}, expected);

  const hsize_t steps = std::min(longest, chunk_steps);
  const hsize_t fitting = std::max<hsize_t>(chunk_numbers / (steps * velocities), 1);
  const hsize_t wanted = longest > steps ? chunk_paths_if_long : chunk_paths;
  paths.shape_ = {0, 0, velocities};
  paths.chunk_ = {std::min(fitting, wanted), steps, velocities};
  const Shape greatest = {H5S_UNLIMITED, longest, velocities};
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), "create properties");
  check(H5Pset_obj_track_times(properties, false), "switch time stamps off");
  check(H5Pset_chunk(properties, static_cast<int>(axes), paths.chunk_.data()),
        "set the chunks of the paths");
  const Handle space(H5Screate_simple(static_cast<int>(axes), paths.shape_.data(), greatest.data()),
                     "create a dataspace");
  paths.velocity_ = Handle(H5Dcreate2(group, "velocity", number_type<double>(), space, H5P_DEFAULT,
                                      properties, H5P_DEFAULT),
                           "create dataset velocity of the paths");
  return paths;
}

PathSection PathSection::open(hid_t file, hsize_t velocities, hsize_t longest) {
  const Handle group = hdf5::open_group(file, "paths");
  PathSection paths;
  paths.index_ = hdf5::RowDataset::open(group, "index", number_type<std::uint64_t>(), {});
  paths.count_ = hdf5::RowDataset::open(group, "count", number_type<std::uint32_t>(), {});
  paths.shape_ = hdf5::array_shape(group, "velocity");
  const hsize_t size = paths.index_.rows();
  if (paths.shape_.size() != axes || paths.shape_[0] != size || paths.count_.rows() != size ||
      paths.shape_[1] > longest || paths.shape_[2] != velocities) {
    throw hdf5::Error(fmt::format(
        "the datasets of /paths do not fit together, or not {} velocities", velocities));
  }
  paths.velocity_ =
      Handle(H5Dopen2(group, "velocity", H5P_DEFAULT), "open dataset velocity of the paths");
  const Handle properties(H5Dget_create_plist(paths.velocity_), "read the properties of the paths");
  paths.chunk_.resize(axes);
  check(H5Pget_chunk(properties, static_cast<int>(axes), paths.chunk_.data()),
        "read the chunks of the paths");
  if (size > 0) {
    paths.index_.read(size - 1, 1, &paths.next_);
    ++paths.next_;
  }
  return paths;
}

double PathSection::bytes_for(std::uint64_t paths) const {
  double bytes = sizeof(double) * in_whole_chunks(paths, chunk_[0]) *
                 in_whole_chunks(std::max<hsize_t>(shape_[1], 1), chunk_[1]);
  bytes *= in_whole_chunks(shape_[2], chunk_[2]);
  return bytes + index_.bytes_for(paths) + count_.bytes_for(paths);
}

void PathSection::append(std::uint64_t trajectory, const std::vector<double>& velocities) {
  const hsize_t row = shape_[0];
  const hsize_t length = velocities.size() / shape_[2];
  if (length > shape_[1]) shorter_ = row;
  resize(row + 1, std::max(length, shape_[1]));
  std::vector<double> padded = velocities;
  while (padded.size() < shape_[1] * shape_[2]) {
    padded.push_back(padded[padded.size() - shape_[2]]);
  }
  transfer(Direction::write, row, 1, padded.data());
  const auto count = static_cast<std::uint32_t>(length);
  index_.append(&trajectory, 1);
  count_.append(&count, 1);
  next_ = trajectory + 1;
}

void PathSection::pad() {
  const hsize_t nv = shape_[2];
  const hsize_t path_numbers = shape_[1] * nv;
  for (hsize_t first = 0; first < shorter_;) {
    const hsize_t count = std::min(chunk_[0], shorter_ - first);
    std::vector<double> velocities(count * path_numbers);
    std::vector<std::uint32_t> lengths(count);
    transfer(Direction::read, first, count, velocities.data());
    count_.read(first, count, lengths.data());
    for (hsize_t path = 0; path < count; ++path) {
      double* const numbers = &velocities[path * path_numbers];
      for (hsize_t at = std::max<hsize_t>(lengths[path], 1) * nv; at < path_numbers; ++at) {
        numbers[at] = numbers[at - nv];
      }
    }
    transfer(Direction::write, first, count, velocities.data());
    first += count;
  }
  shorter_ = 0;
}

void PathSection::resize(hsize_t paths, hsize_t length) {
  shape_[0] = paths;
  shape_[1] = length;
  check(H5Dset_extent(velocity_, shape_.data()), "extend dataset velocity of the paths");
}

void PathSection::transfer(Direction direction, hsize_t first, hsize_t count, double* data) const {
  const Shape start = {first, 0, 0};
  const Shape extent = {count, shape_[1], shape_[2]};
  const Handle in_file(H5Dget_space(velocity_), "ask for the shape of the paths");
  check(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
        "select paths");
  const Handle in_memory(H5Screate_simple(static_cast<int>(axes), extent.data(), nullptr),
                         "create a dataspace");
  const hid_t type = number_type<double>();
  if (direction == Direction::read) {
    check(H5Dread(velocity_, type, in_memory, in_file, H5P_DEFAULT, data), "read the paths");
  } else {
    check(H5Dwrite(velocity_, type, in_memory, in_file, H5P_DEFAULT, data), "write the paths");
  }
}

}  // namespace carom
