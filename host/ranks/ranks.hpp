#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "carom/sampling_options.hpp"
#include "host/ranks/bytes.hpp"

namespace carom {

/// Where a rank runs.
struct Place {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  ///< among the ranks of this machine
  int threads = 0;     ///< its share of the cores that the ranks of this machine may use
};

/// Options as a rank shall take them: one GPU per rank of a machine, and its share of the cores.
SamplingOptions at_place(SamplingOptions options, const Place& place);

/// The processes of a run and what they do together: all call the same in the same order. One
/// thread of each uses it.
class Ranks {
 public:
  Ranks() = default;
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual const Place& place() const = 0;
  /// Makes `bytes` those of rank 0 everywhere.
  virtual void broadcast(Bytes& bytes) = 0;
  /// On rank 0, what each rank gave, in the order of the ranks; elsewhere, nothing. Rank 0 waits no
  /// longer than until it is interrupted(): a rank that died never gives anything. It has nothing
  /// then; what comes later is taken and dropped by the next call.
  virtual std::optional<std::vector<Bytes>> gather(Bytes bytes) = 0;
};

/// The ranks that a launcher (mpirun, srun) started; null where it started one process, or none.
/// Ended in the destructor, where all ranks wait for one another.
/// @throws InputError where a launcher started several processes of a build without MPI.
std::unique_ptr<Ranks> start_ranks(int& argc, char**& argv);

}  // namespace carom
