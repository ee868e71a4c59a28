#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "carom/note.hpp"
#include "carom/problem_family.hpp"

namespace carom {

/// How the outcomes of a problem are chosen among those of its trajectories.
enum class OutcomeChoice {
  iid,       ///< the first outcomes: independent draws from the distribution of outcomes
  net,       ///< the members of the epsilon-net, evenly spread over the set; of a larger net, each
             ///< the farthest from those before
  farthest,  ///< each the farthest from those before: the most even choice of this size
};

/// Name of a choice in specifications and data sets.
constexpr const char* choice_name(OutcomeChoice choice) {
  constexpr const char* names[] = {"iid", "net", "farthest"};
  return names[static_cast<int>(choice)];
}

/// What a data set stores for every problem.
struct DatasetContent {
  std::uint64_t outcomes = 64;  ///< K, the most outcomes per problem
  OutcomeChoice choice = OutcomeChoice::iid;
  bool modes = true;        ///< what each contact does after the impact
  bool energies = true;     ///< kinetic energy, J
  bool impulses = false;    ///< per contact, N·s
  bool comparison = false;  ///< outcomes of the simultaneous and the sequential law
};

/// A data set for learning: a family of problems, and rows of each problem: outcomes of its impact,
/// or rollouts.
struct DatasetSpec : FamilySpec {
  DatasetContent content = {};          ///< of outcomes
  bool rolled = false;                  ///< rows are rollouts, as the scenario's [roll] says
  std::uint64_t shard_problems = 1024;  ///< members per file
  double validation = 0.1;              ///< share of the problems
  double test = 0.1;                    ///< share of the problems; the rest is for training

  /// The most rows per problem: K, or its rollouts.
  std::uint64_t rows_per_problem() const;
  /// Number of files. The last file may hold fewer members.
  std::uint64_t shards() const;
};

/// Checks sizes, shares and options. @throws InputError naming the key and the rule.
void validate(const DatasetSpec& spec);

/// As that of every family; leaves a specification of rollouts as it is.
void resolve(DatasetSpec& spec, const StageObserver& pilots = {});

/// Reads a specification (docs/datasets.md) and gives it to resolve(). @throws InputError
/// "file:line: ..."
DatasetSpec read_dataset_spec(const std::filesystem::path& file, const StageObserver& pilots = {});

/// One file of a data set.
struct ShardInfo {
  std::uint64_t number = 0;
  std::uint64_t problems = 0;
  std::uint64_t outcomes = 0;  ///< rows
  std::uint64_t skipped = 0;   ///< members that broke a rule, or where no contact approaches
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;  ///< CRC-32, as in the file's seal
};

/// Progress of a data set.
struct DatasetProgress {
  std::uint64_t members = 0;  ///< finished members, those of the current shard included
  std::uint64_t total = 0;
  std::uint64_t shards = 0;   ///< finished shards
  std::uint64_t found = 0;    ///< finished shards that existed already
  std::uint64_t damaged = 0;  ///< files of shards that are made again, since they are damaged
};

/// Called from time to time; returns false to stop and discard the current shard.
using DatasetObserver = std::function<bool(const DatasetProgress& progress)>;

/// The counts of a data set's datasheet.
struct DatasetSummary {
  bool complete =
      false;  ///< false: stopped by the observer; only shards, found and damaged are known
  std::uint64_t shards = 0;
  std::uint64_t found = 0;    ///< shards that existed already
  std::uint64_t damaged = 0;  ///< files of shards that were damaged, and made again
  std::uint64_t problems = 0;
  std::uint64_t skipped = 0;
  std::uint64_t outcomes = 0;        ///< rows: outcomes, or rollouts that are whole
  std::uint64_t short_problems = 0;  ///< problems with fewer than rows_per_problem()
  std::uint64_t train = 0;           ///< problems
  std::uint64_t validation = 0;
  std::uint64_t test = 0;
  std::uint64_t bytes = 0;
  /// How many trajectories, or rollouts, ended in which status.
  std::vector<std::pair<std::string, std::uint64_t>> ends = {};
  std::vector<FamilyNote> notes = {};  ///< on the problems
};

/// Makes the data set in `folder`, or continues it: complete shards are kept. The files are those
/// of an uninterrupted run, however often the run was interrupted.
/// @throws InputError if the folder holds another data set, cannot be written, or is in use by
/// another process; RunError if the disk is full. Finished shards are kept.
DatasetSummary generate_dataset(const DatasetSpec& spec, const std::filesystem::path& folder,
                                const DatasetObserver& observer = {});

// The same in steps, for many processes: one process prepares the data set, each process writes its
// own shards, and one process finishes the data set.

/// Makes the folder and writes spec.json, or compares an existing spec.json with `spec`. @throws as
/// generate_dataset
void prepare_dataset(const DatasetSpec& spec, const std::filesystem::path& folder);
/// The finished shard, or none if it is missing or damaged.
std::optional<ShardInfo> find_shard(const DatasetSpec& spec, std::uint64_t number,
                                    const std::filesystem::path& folder);
/// Samples the members of a shard and puts the file in place. The bytes depend on spec and number
/// only. @return none if the observer stopped the shard
/// @throws InputError if a member breaks a rule and the spec does not allow skipping; RunError if
/// the disk is full or the device fails
std::optional<ShardInfo> write_shard(
    const DatasetSpec& spec, std::uint64_t number, const std::filesystem::path& folder,
    const std::function<bool(std::uint64_t members)>& observer = {});
/// Writes index.json, datasheet.json and README.md. @throws RunError if a shard is missing
DatasetSummary finish_dataset(const DatasetSpec& spec, const std::filesystem::path& folder);

}  // namespace carom
