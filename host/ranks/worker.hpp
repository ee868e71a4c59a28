#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "host/ranks/job.hpp"

namespace carom {

/// What rank 0 tells a worker, and what a worker tells rank 0. Each message begins with its kind
/// and the number of the round that it belongs to: results of a round that was given up are
/// dropped.
enum class Word : std::uint8_t {
  begin,        ///< a job: its name, its setup
  order,        ///< one order
  cancel,       ///< drop the orders that were not begun
  quit,         ///< no more will come
  ready,        ///< StartedJob::ready
  result,       ///< of one order
  bad_input,    ///< an InputError: its text
  failure,      ///< any other: its text
  gone,         ///< nothing more will come
  interrupted,  ///< this rank was asked to stop by a signal
};

/// A worker's way to rank 0.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual void send(Bytes message) = 0;
  /// The next message, waiting for it no longer than this.
  virtual std::optional<Bytes> receive(std::chrono::milliseconds patience) = 0;
};

/// Does what rank 0 orders until it says quit.
void serve(Channel& channel, const Jobs& jobs, const Place& place);

/// What ranks other than 0 do: serve() over `ranks`. Their signals are passed to rank 0.
void serve(Ranks& ranks, const Jobs& jobs);

/// How long a thread sleeps that waits for messages: well below a chunk's time, and few wake-ups.
inline constexpr auto poll_interval = std::chrono::microseconds(100);

}  // namespace carom
