#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "carom/sample_set.hpp"

namespace carom::test {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// In every column.
inline void expect_same_bits(const SampleSet& a, const SampleSet& b) {
  EXPECT_EQ(a.first, b.first);
  EXPECT_EQ(static_cast<const RowShape&>(a), static_cast<const RowShape&>(b));
  for_each_column([](const ColumnInfo& info, const auto& one,
                     const auto& other) { EXPECT_TRUE(same_bits(one, other)) << info.name; },
                  a, b);
  EXPECT_EQ(checksum(a), checksum(b));
}

/// Rows `rows` of `samples`, in that order, as trajectories `first`, ...
template <class Rows>
SampleSet rows_of(const SampleSet& samples, const Rows& rows, std::uint64_t first) {
  SampleSet some;
  some.first = first;
  static_cast<RowShape&>(some) = samples;
  for_each_column(
      [&](const ColumnInfo& info, const auto& from, auto& to) {
        const std::size_t width = samples.numbers(info.shape);
        for (const std::size_t row : rows) {
          const auto* const start = from.data() + row * width;
          to.insert(to.end(), start, start + width);
        }
      },
      samples, some);
  return some;
}

}  // namespace carom::test
