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

/// A view of rows whose columns are vectors, such as a SampleSet.
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

/// Repeats the rows that hold `undecided`, in double-double precision where needed; returns their
/// number.
std::uint64_t repeat_undecided(const SamplingPlan& plan, std::uint64_t first, std::uint64_t count,
                               const SampleView& out, int threads);

/// Does the same for items first + rows[0], first + rows[1], ... into rows 0, 1, ... of `out`.
void repeat_listed(const SamplingPlan& plan, std::uint64_t first,
                   std::span<const std::uint32_t> rows, const SampleView& out, int threads);

/// Called with the number of finished items of a launch; returns false to stop.
using LaunchObserver = std::function<bool(std::uint64_t done)>;

/// Number of threads to use if the user asked for `threads`: at most those of the processor; 0 =
/// all.
int usable_threads(int threads);

/// The processor's name, for reports.
std::string cpu_name();

/// A CUDA device with a plan's problems in its memory. Built without CUDA, the constructor throws.
class CudaLauncher {
 public:
  /// Copies the arrays of a plan of `problems` problems to the device.
  /// @throws RunError if the device fails; InputError if there is no such device.
  CudaLauncher(int device, const SamplingPlan& plan, std::size_t problems);
  ~CudaLauncher();

  /// Runs work items [first, first + count); rows that double precision cannot decide are repeated
  /// on the CPU, so that all bits are those of the CPU. One call at a time.
  void launch(std::uint64_t first, std::uint64_t count, const SampleView& out, int threads);

  /// The same with rows that stay in device memory; fewer rows if `observer` stops the call.
  /// @throws RunError if the device fails, or has too little memory
  std::unique_ptr<DeviceRows> launch_resident(std::uint64_t first, std::uint64_t count, int threads,
                                              const LaunchObserver& observer);

  /// The same, and digests the rows on the device as `plan` (pointers into host memory) says. If
  /// the device has too little memory for all rows, only the first rows are digested, or none.
  /// @param with_velocities see DeviceDigester. @throws RunError if the device fails
  RowDigest digest(std::uint64_t first, std::uint64_t count, const DigestPlan& plan,
                   bool with_velocities, int threads);

  /// Takes a step of the law in each of `count` rows, from any state.
  /// @param start per row a state, as in RunPlan
  /// @param script per row the numbers of its step, as in RunPlan
  /// @param end as `start`, after the step
  /// @param status `separated` or `step_limit` if the step was taken; `undecided` if double
  /// precision cannot decide. @throws RunError if the device fails
  void take_steps(std::size_t count, const double* start, const double* script, double* end,
                  Status* status);

  const std::string& device_name() const;
  /// Rows that were repeated on the CPU so far.
  std::uint64_t repeated_rows() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Number of usable CUDA devices; 0 without CUDA, with the reason in `note`.
int count_cuda_devices(std::string& note);

}  // namespace carom
