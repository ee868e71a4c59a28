#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/digest/digest_plan.hpp"
#include "kernels/trajectory/sample_view.hpp"

namespace carom {

struct Stream;

/// What is kept of rows that never leave a device.
struct RowDigest {
  /// Outcomes of one combination of contact modes.
  struct Mode {
    ModeCode code = 0;
    std::uint64_t count = 0;
    std::uint64_t first_row = 0;
  };

  std::uint64_t rows = 0;  ///< digested, the first ones; 0: the device has no room for any
  bool whole = true;       ///< false: they have too many modes for the device, some are missing
  std::uint64_t sum[digest_sums] = {};
  WideSum energy;                            ///< of outcomes, in energy units
  std::vector<std::uint64_t> lcp_histogram;  ///< lcp_bins
  std::vector<double> least;                 ///< 1 + m (1 + d), of outcomes: J, then m/s; and
  std::vector<double> greatest;              ///< least > greatest without any
  std::vector<Mode> modes;                   ///< by their first rows
  std::vector<double> mode_velocity;         ///< of the first rows, modes x nv
  std::uint64_t open = 0;                    ///< outcomes that no member covers
  std::vector<std::uint64_t> open_row;       ///< their rows, ascending
  std::vector<double> open_velocity;         ///< as many x nv
  double sampling_seconds = 0.0;             ///< of kernels, by the device's clock
  double digest_seconds = 0.0;
};

/// Counts rows in the memory of a device, and lists those whose outcomes a net does not cover.
class DeviceDigester {
 public:
  /// @param rows the most of a call. @throws RunError if the device fails
  explicit DeviceDigester(std::size_t rows);
  ~DeviceDigester();

  /// @param rows on the device, written by what is on `stream` before this
  /// @param first trajectory of the first row; @param count 1 at least
  /// @param plan pointers into host memory
  /// @param with_velocities false: without the open rows, but for their number, and velocities
  /// @throws RunError if the device fails
  RowDigest digest(const SampleView& rows, std::uint64_t first, std::uint64_t count,
                   const DigestPlan& plan, bool with_velocities, const Stream& stream);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carom
