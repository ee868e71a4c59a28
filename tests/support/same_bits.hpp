#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "carom/sample_set.hpp"

namespace carom::test {

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

/// In every column.
inline void expect_same_bits(const SampleSet& a, const SampleSet& b) {
  for_each_column([](const ColumnInfo& info, const auto& one,
                     const auto& other) { EXPECT_TRUE(same_bits(one, other)) << info.name; },
                  a, b);
  EXPECT_EQ(checksum(a), checksum(b));
}

}  // namespace carom::test
