#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "carom/post_impact_set.hpp"
#include "carom/scenario.hpp"

namespace carom {

/// Format version of written files; a reader refuses a larger one.
inline constexpr int result_format_version = 1;

/// Writes a result file (docs/result_file.md). Everything goes to `FILE.part`, which becomes FILE
/// in finish(). A writer destroyed before finish() removes `FILE.part`. So FILE is always whole:
/// the old file or the new one.
class ResultWriter {
 public:
  /// Starts a new file.
  /// @throws InputError if the folder is missing or not writable, or the file is in use by another
  /// run; RunError if the disk is too small
  ResultWriter(const std::filesystem::path& file, const Scenario& scenario);
  /// Continues a copy of `file` (carom resume) with scenario's larger trajectory count. The copy
  /// becomes `target`, or replaces `file` if `target` is empty.
  /// @throws InputError if `file` holds another run, or was written by another version of Carom.
  static ResultWriter resume(const std::filesystem::path& file, const Scenario& scenario,
                             const std::filesystem::path& target = {});
  ~ResultWriter();
  ResultWriter(ResultWriter&&) noexcept;
  ResultWriter& operator=(ResultWriter&&) noexcept;

  /// Changes the scenario's number of trajectories, for a run that grows.
  /// @throws InputError if more trajectories were appended already; RunError if the disk is too
  /// small.
  void set_trajectories(std::uint64_t trajectories);
  /// Appends the rows that scenario.storage selects; calls must be in order without gaps.
  /// @throws RunError if the disk is full.
  void append(const SampleSet& samples);
  /// Skips trajectories whose rows the scenario does not store, or that another process has written
  /// to a shard. @throws RunError if the scenario stores the rows and there is no such shard
  void skip(std::uint64_t trajectories);
  /// Writes a checkpoint: makes FILE what an interrupt now would leave, and continues. Returns
  /// false, and leaves FILE unchanged, if the disk has no space for a copy. @throws RunError if
  /// FILE.part cannot be written.
  bool checkpoint(const PostImpactSet& so_far);
  /// Stores the velocities along trajectory `index` (row-major, a multiple of nv numbers).
  /// @throws RunError if the disk is full, or the file already has this path
  void add_path(std::uint64_t index, const std::vector<double>& velocities);
  /// The file that is being written.
  const std::filesystem::path& file() const;
  /// Writes net, summary and attributes (complete = set.complete) and puts the file in place.
  /// @throws RunError if the disk is full
  void finish(const PostImpactSet& set);

 private:
  struct State;
  explicit ResultWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Contents of a result file except its rows.
struct Result {
  Scenario scenario;    ///< complete with every default
  PostImpactSet set;    ///< net, summary, modes and evidence
  std::string version;  ///< version of Carom that wrote the file
};

/// Reads a result file's scenario, net and summary.
/// @throws InputError if the file is missing, no result file, damaged, or of a newer format.
Result read_result(const std::filesystem::path& file);

/// Reads rows [first, first + count) of /samples.
/// @throws InputError as read_result, or if the file does not hold these rows
SampleSet read_samples(const std::filesystem::path& file, std::uint64_t first, std::uint64_t count);

}  // namespace carom
