#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/certificate.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/sample_set.hpp"
#include "carom/sampler.hpp"
#include "carom/summary.hpp"
#include "host/ranks/bytes.hpp"

namespace carom {

/// What rank 0 asks of a worker: trajectories [first, first + count), and what the net has grown by
/// since it asked last. All members' trajectories, but sought ones, come before `first`.
struct TrajectoryOrder {
  enum class Kind : std::uint8_t {
    sample,  ///< trajectories of the run; the answer is a TrajectoryDigest
    trial,   ///< trials of a test of the net; the answer is a TrialDigest
  };
  Kind kind = Kind::sample;
  bool with_rows = false;  ///< the file keeps them: they are sent, or written to a shard
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::vector<std::uint64_t> member_index;
  std::vector<double> member_velocity;
};

/// What trajectories add to a set. Its size does not depend on their number, but for the outcomes
/// that may become members of the net and for rows that are stored.
struct TrajectoryDigest {
  std::uint64_t first = 0;
  double seconds = 0.0;  ///< that it took
  bool whole = true;     ///< false: a signal ended it early
  Summary summary;
  std::vector<OutcomeMode> modes;
  std::vector<std::uint64_t> open_index;  ///< outcomes that no known member covers
  std::vector<double> open_velocity;
  SampleSet rows;  ///< none unless they are stored, and not in shards
};

struct TrialDigest {
  std::uint64_t trials = 0;
  std::uint64_t misses = 0;
  std::uint64_t failures = 0;
  double seconds = 0.0;
};

/// What a worker samples with.
struct SamplerInfo {
  Backend backend = Backend::cpu;
  std::string device;
  std::string note;
  TableInfo table;
};

Bytes pack(const TrajectoryOrder& order);
Bytes pack(const TrajectoryDigest& digest);
Bytes pack(const TrialDigest& digest);
Bytes pack(const SamplerInfo& info);
TrajectoryOrder unpack_order(const Bytes& bytes);
TrajectoryDigest unpack_digest(const Bytes& bytes);
TrialDigest unpack_trials(const Bytes& bytes);
SamplerInfo unpack_info(const Bytes& bytes);

/// Bytes of one row on its way to rank 0.
std::uint64_t row_bytes(const ImpactProblem& problem);

}  // namespace carom
