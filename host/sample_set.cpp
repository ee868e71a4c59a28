#include "carom/sample_set.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <functional>

#include <xxhash.h>

namespace carom {

void SampleSet::resize(std::size_t size) {
  const auto rows_of = [size](int width) { return size * static_cast<std::size_t>(width); };
  velocity.resize(rows_of(velocities));
  status.resize(size);
  lcp_count.resize(size);
  final_step.resize(size);
  energy.resize(size);
  impulse.resize(rows_of(contacts * (1 + tangent_dimension)));
  pivot_count.resize(size);
  retry_count.resize(size);
  table_count.resize(size);
}

namespace {

std::uint64_t row_hash(const SampleSet& samples, std::size_t row) {
  const std::size_t nv = static_cast<std::size_t>(samples.velocities);
  const std::size_t width = static_cast<std::size_t>(samples.contacts) *
                            static_cast<std::size_t>(1 + samples.tangent_dimension);
  const std::uint64_t head[2] = {samples.first + row,
                                 (std::uint64_t{samples.lcp_count[row]} << 16) |
                                     (static_cast<std::uint64_t>(samples.final_step[row]) << 8) |
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
