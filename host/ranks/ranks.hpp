#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"
#include "host/ranks/bytes.hpp"

namespace carom {

/// The place of a rank on its machine.
struct Place {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  ///< among the ranks of this machine
  int threads = 0;     ///< the rank's share of the cores available to the ranks of this machine
};

/// The options for a rank: one GPU per rank of a machine, and the rank's share of the cores.
SamplingOptions at_place(SamplingOptions options, const Place& place);

/// A problem and its options as the text of a scenario, from which each rank reads the same
/// numbers.
std::string scenario_text(const ImpactProblem& problem, const SamplingOptions& options);

/// The processes of a run and their collective operations: all ranks call the same operations in
/// the same order, from one thread each.
class Ranks {
 public:
  Ranks() = default;
  virtual ~Ranks() = default;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  virtual const Place& place() const = 0;
  /// Replaces `bytes` on every rank by those of rank 0.
  virtual void broadcast(Bytes& bytes) = 0;
  /// On rank 0, the bytes of each rank, in the order of the ranks; on other ranks, nothing. Rank 0
  /// stops waiting when it is interrupted(), since a dead rank never answers. It then returns
  /// nothing, and the next call receives and drops the late answers.
  virtual std::optional<std::vector<Bytes>> gather(Bytes bytes) = 0;
};

/// The ranks that a launcher (mpirun, srun) started; null for a single process. In the destructor,
/// all ranks wait for one another.
/// @throws InputError if a launcher started several processes of a build without MPI.
std::unique_ptr<Ranks> start_ranks(int& argc, char**& argv);

}  // namespace carom
