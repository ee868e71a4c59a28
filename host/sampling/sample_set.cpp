#include "carom/sample_set.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <algorithm>
#include <functional>

#include <xxhash.h>

namespace carom {

void SampleSet::resize(std::size_t size) {
  constexpr std::size_t most = std::size_t{1} << 40;  // beyond any memory; more would overflow
  if (size > most) throw std::bad_alloc();
  for_each_column(
      [&](const ColumnInfo& info, auto& column) { column.resize(size * numbers(info.shape)); },
      *this);
}

void SampleSet::resize(const RowShape& shape, std::size_t size) {
  static_cast<RowShape&>(*this) = shape;
  resize(size);
}

RowMatrix SampleSet::outcomes() const {
  RowMatrix found(std::count(status.begin(), status.end(), Status::separated), velocities);
  Eigen::Index next = 0;
  for (Eigen::Index row = 0; next < found.rows(); ++row) {
    if (status[static_cast<std::size_t>(row)] != Status::separated) continue;
    found.row(next++) = velocity_rows().row(row);
  }
  return found;
}

namespace {

std::uint64_t row_hash(const SampleSet& samples, std::size_t row) {
  const std::size_t nv = samples.numbers(ColumnShape::velocity);
  const std::size_t width = samples.numbers(ColumnShape::impulse);
  const std::uint8_t final_step = samples.final_step.empty() ? 0 : samples.final_step[row];
  const std::uint64_t head[2] = {samples.first + row,
                                 (std::uint64_t{step_counts(samples)[row]} << 16) |
                                     (static_cast<std::uint64_t>(final_step) << 8) |
                                     static_cast<std::uint64_t>(samples.status[row])};
  std::uint64_t hash = XXH3_64bits(head, sizeof head);
  hash = XXH3_64bits_withSeed(&samples.velocity[row * nv], nv * sizeof(double), hash);
  return XXH3_64bits_withSeed(&samples.impulse[row * width], width * sizeof(double), hash);
}

}  // namespace

std::uint64_t checksum(const SampleSet& samples) {
  constexpr std::size_t grain = 4096;
  return oneapi::tbb::parallel_reduce(
      oneapi::tbb::blocked_range<std::size_t>(0, samples.size(), grain), std::uint64_t{0},
      [&](const auto& range, std::uint64_t sum) {
        for (std::size_t row = range.begin(); row < range.end(); ++row) {
          sum += row_hash(samples, row);
        }
        return sum;
      },
      std::plus<>());
}

}  // namespace carom
