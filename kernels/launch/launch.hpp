#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "carom/row_columns.hpp"
#include "kernels/launch/device_rows.hpp"
#include "kernels/launch/launch_digest.hpp"
#include "kernels/laws/plan_list.hpp"
#include "kernels/trajectory/sample_view.hpp"

namespace carom {

/// Rows whose columns are vectors, say of a SampleSet, as a view.
template <template <class> class Vector>
SampleView view_of(RowColumns<Vector>& rows) {
  SampleView view;
  for_each_column([](const ColumnInfo&, auto& pointer,
                     auto& column) { pointer = column.empty() ? nullptr : column.data(); },
                  view, rows);
  return view;
}

/// Runs work items [first, first + count) on `threads` CPU threads (0 = all).
void launch_cpu(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                const SampleView& out, int threads);

/// Repeats the rows that hold `undecided`, in double-double precision where needed.
void repeat_undecided(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                      const SampleView& out, int threads);

/// Runs items first + rows[0], first + rows[1], ... into rows 0, 1, ... of `out`, likewise.
void repeat_listed(const SamplingPlan& plan, std::uint64_t first,
                   std::span<const std::uint32_t> rows, const SampleView& out, int threads);

/// Told how many items of a launch are done; returns false to stop.
using LaunchObserver = std::function<bool(std::uint64_t done)>;

/// Threads to use where a user asked for `threads`: no more than the processor has; 0 = all.
int usable_threads(int threads);

/// The processor's name, for reports.
std::string cpu_name();

/// A CUDA device with a plan's problems in its memory. Built without CUDA, the constructor throws.
class CudaLauncher {
 public:
  /// What the plan of `problems` problems points to is copied to the device.
  /// @throws RunError if the device fails; InputError if there is no such device.
  CudaLauncher(int device, const SamplingPlan& plan, std::size_t problems);
  ~CudaLauncher();

  /// Runs work items [first, first + count); what double precision cannot decide is repeated on
  /// the CPU, so that every bit is the CPU's. One call at a time.
  void launch(std::uint64_t first, std::uint64_t count, const SampleView& out, int threads);

  /// The same into memory of the device, where the rows stay; fewer where `observer` stops it.
  /// @throws RunError if the device fails, or has no room for them
  std::unique_ptr<DeviceRows> launch_resident(std::uint64_t first, std::uint64_t count, int threads,
                                              const LaunchObserver& observer);

  /// The same, and keeps of the rows what `plan` (pointers into host memory) asks for, on the
  /// device: of the first rows only, or of none, where there is no room for all of them.
  /// @param with_velocities see DeviceDigester. @throws RunError if the device fails
  RowDigest digest(std::uint64_t first, std::uint64_t count, const DigestPlan& plan,
                   bool with_velocities, int threads);

  const std::string& device_name() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// CUDA devices that can be used; 0 without CUDA, with the reason in `note`.
int count_cuda_devices(std::string& note);

}  // namespace carom
