#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "carom/dataset.hpp"

/// The layout that writer and reader of data sets share (docs/datasets.md).
namespace carom {

inline constexpr int dataset_format_version = 2;

inline constexpr std::uint64_t most_candidates = std::uint64_t{1}
                                                 << 20;  ///< of the farthest points
inline constexpr double most_shard_bytes = 2147483648.0;
inline constexpr std::uint64_t most_shards = 100'000;

/// Parts of a data set: for training, validation and test.
enum class Split : std::uint8_t { train = 0, validation = 1, test = 2 };

/// The part that a member belongs to: a function of seed and member.
Split split_of(const DatasetSpec& spec, std::uint64_t member);

/// Members [first, end) of a shard.
struct MemberRange {
  std::uint64_t first;
  std::uint64_t end;
};
MemberRange members_of(const DatasetSpec& spec, std::uint64_t number);

/// How many ways a trajectory, or a rollout, can end, and the name of each.
int end_count(const DatasetSpec& spec);
const char* end_name(const DatasetSpec& spec, int end);

/// `shard-00012.h5`.
std::string shard_name(std::uint64_t number);

/// Bytes of a shard with these numbers of problems and outcomes, in a file or in memory, without
/// the comparison laws and the reasons for skipped members.
double shard_bytes(const DatasetSpec& spec, std::uint64_t problems, std::uint64_t outcomes);

}  // namespace carom
