#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/ranks/bytes.hpp"

namespace carom {

/// Where a rank runs.
struct Place {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  ///< among the ranks of this machine
  int threads = 0;     ///< its share of the cores that the ranks of this machine may use
  std::string host;

  /// "rank 3 on node07"
  std::string name() const { return "rank " + std::to_string(rank) + " on " + host; }
};

/// The processes of a run and the way from one to another. One thread of each uses it.
class Ranks {
 public:
  struct Message {
    int from = 0;
    Bytes bytes;
  };

  Ranks() = default;
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual const Place& place() const = 0;
  /// Starts to send; returns at once. Messages of one rank to another arrive in their order.
  virtual void send(int to, Bytes message) = 0;
  /// Waits until all that was sent has left.
  virtual void flush() = 0;
  /// A message that has arrived, if there is one; moves sent messages on.
  virtual std::optional<Message> receive() = 0;
};

/// The ranks that a launcher (mpirun, srun) started; null where it started one process, or none.
/// Ended in the destructor, where all ranks wait for one another.
/// @throws InputError where a launcher started several processes of a build without MPI.
std::unique_ptr<Ranks> start_ranks(int& argc, char**& argv);

}  // namespace carom
