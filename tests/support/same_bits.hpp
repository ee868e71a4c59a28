#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "carom/sample_set.hpp"

namespace carom::test {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// All columns of rows, as references. A column more in SampleSet does not compile here, so that no
/// comparison can leave it out.
template <class Samples>
auto columns_of(Samples& samples) {
  auto& [first, velocities, contacts, tangent_dimension, velocity, status, lcp_count, final_step,
         energy, impulse, pivot_count, retry_count, table_count, solution_count] = samples;
  return std::tie(velocity, status, lcp_count, final_step, energy, impulse, pivot_count,
                  retry_count, table_count, solution_count);
}

/// Calls visit(column of a, the same column of b, its number in columns_of) for every column.
template <class A, class B, class Visit>
void each_column(A& a, B& b, const Visit& visit) {
  const auto from = columns_of(a);
  const auto to = columns_of(b);
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (visit(std::get<i>(from), std::get<i>(to), i), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(from)>>());
}

inline void expect_same_bits(const SampleSet& a, const SampleSet& b) {
  EXPECT_EQ(a.first, b.first);
  EXPECT_EQ(a.velocities, b.velocities);
  EXPECT_EQ(a.contacts, b.contacts);
  EXPECT_EQ(a.tangent_dimension, b.tangent_dimension);
  each_column(a, b, [](const auto& one, const auto& other, std::size_t number) {
    EXPECT_TRUE(same_bits(one, other)) << "column " << number << " of columns_of";
  });
  EXPECT_EQ(checksum(a), checksum(b));
}

/// Rows `rows` of `samples`, in that order, as trajectories `first`, ...
template <class Rows>
SampleSet rows_of(const SampleSet& samples, const Rows& rows, std::uint64_t first) {
  SampleSet some;
  some.first = first;
  some.velocities = samples.velocities;
  some.contacts = samples.contacts;
  some.tangent_dimension = samples.tangent_dimension;
  each_column(samples, some, [&](const auto& from, auto& to, std::size_t) {
    const std::size_t width = from.size() / samples.size();
    for (const std::size_t row : rows) {
      const auto* const start = from.data() + row * width;
      to.insert(to.end(), start, start + width);
    }
  });
  return some;
}

}  // namespace carom::test
