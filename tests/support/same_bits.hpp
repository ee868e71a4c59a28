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

inline void expect_same_bits(const SampleSet& a, const SampleSet& b) {
  EXPECT_TRUE(same_bits(a.velocity, b.velocity));
  EXPECT_TRUE(same_bits(a.impulse, b.impulse));
  EXPECT_TRUE(same_bits(a.energy, b.energy));
  EXPECT_TRUE(same_bits(a.status, b.status));
  EXPECT_TRUE(same_bits(a.lcp_count, b.lcp_count));
  EXPECT_TRUE(same_bits(a.final_step, b.final_step));
  EXPECT_TRUE(same_bits(a.pivot_count, b.pivot_count));
  EXPECT_TRUE(same_bits(a.retry_count, b.retry_count));
  EXPECT_TRUE(same_bits(a.table_count, b.table_count));
  EXPECT_EQ(checksum(a), checksum(b));
}

}  // namespace carom::test
