#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "carom/dataset.hpp"

namespace carom {

/// Counts over the problems in a data set's files.
struct DatasetCounts {
  std::array<std::uint64_t, 3> split{};       ///< problems by Split
  std::vector<std::uint64_t> ends;            ///< of trajectories or rollouts, by status
  std::uint64_t least_outcomes = UINT64_MAX;  ///< of a problem
  std::uint64_t most_outcomes = 0;
  std::uint64_t short_problems = 0;  ///< problems with fewer than rows_per_problem()
  std::uint64_t skipped = 0;
  double greatest_cover = 0.0;     ///< of choices `farthest` and `net`
  std::uint64_t greatest_net = 0;  ///< of choice `net`
  std::vector<FamilyNote> notes;
  std::vector<std::pair<double, double>> ranges;  ///< least and greatest of each value

  static constexpr std::size_t most_listed = 100;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> short_list;  ///< member, outcomes
  std::vector<std::pair<std::uint64_t, std::string>> skipped_list;  ///< member, reason
};

/// Reads the problems of all shards. @throws RunError
DatasetCounts count_shards(const DatasetSpec& spec, const std::filesystem::path& folder);

}  // namespace carom
