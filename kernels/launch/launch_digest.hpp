#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/digest/digest_plan.hpp"
#include "kernels/trajectory/sample_view.hpp"

namespace carom {

struct Stream;

/// The digest of rows that never leave a device.
struct RowDigest {
  /// Outcomes of one combination of contact modes.
  struct Mode {
    ModeCode code = 0;
    std::uint64_t count = 0;
    std::uint64_t first_row = 0;
  };

  std::uint64_t rows = 0;  ///< number of digested rows, the first ones; 0: too little device memory
  bool whole = true;  ///< false: the rows have too many modes for the device, and some are missing
  std::uint64_t sum[digest_sums] = {};
  WideSum energy;                            ///< of outcomes, in energy units
  std::vector<std::uint64_t> lcp_histogram;  ///< lcp_bins
  std::vector<double> least;                 ///< 1 + m (1 + d), of outcomes: J, then m/s;
  std::vector<double> greatest;              ///< least > greatest without outcomes
  std::vector<Mode> modes;                   ///< ordered by their first rows
  std::vector<double> mode_velocity;         ///< of the first rows, modes x nv
  std::uint64_t open = 0;                    ///< outcomes that no member covers
  std::vector<std::uint64_t> open_row;       ///< rows of these outcomes, ascending
  std::vector<double> open_velocity;         ///< open x nv
  double sampling_seconds = 0.0;             ///< of kernels, by the device's clock
  double digest_seconds = 0.0;
};

/// Counts rows in the memory of a device, and lists those whose outcomes a net does not cover.
class DeviceDigester {
 public:
  /// @param rows greatest number of rows of a call. @throws RunError if the device fails
  explicit DeviceDigester(std::size_t rows);
  ~DeviceDigester();

  /// @param rows on the device, written by earlier work on `stream`
  /// @param first trajectory of the first row; @param count 1 at least
  /// @param plan pointers into host memory
  /// @param with_velocities false: leaves out velocities and open rows, but not the number of open
  /// rows
  /// @throws RunError if the device fails
  RowDigest digest(const SampleView& rows, std::uint64_t first, std::uint64_t count,
                   const DigestPlan& plan, bool with_velocities, const Stream& stream);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carom
