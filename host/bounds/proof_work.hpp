#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "carom/bounds.hpp"

namespace carom {

/// Thrown where a proof has cost as much as it may, or shall stop.
struct OutOfWork {};

/// What watches a proof, from other threads.
struct ProofWatch {
  /// Asked at each use of work, by any thread, whether to end it; once it has said so, it must say
  /// so again.
  std::function<bool()> stops = {};
  /// Told the share of the proof that is done, where that is known.
  std::function<void(double)> told = {};
};

/// What a proof may still cost, on all threads together: products of words, so that it ends at the
/// same place on every machine.
class ProofWork {
 public:
  explicit ProofWork(std::int64_t most, ProofWatch watch = {})
      : left_(most), watch_(std::move(watch)) {}

  /// @throws OutOfWork
  void spend(std::int64_t products) {
    if ((watch_.stops && watch_.stops()) || left_.fetch_sub(products) < products) throw OutOfWork{};
  }
  void renew(std::int64_t most) { left_ = most; }
  /// @param share of the proof that is done
  void tell(double share) {
    if (watch_.told) watch_.told(share);
  }

 private:
  std::atomic<std::int64_t> left_;
  ProofWatch watch_;
};

/// outer_bound() by the calling thread, and those of its arena that have nothing else to do.
/// @throws OutOfWork if the watch stops it
OuterBound outer_bound_here(const ImpactProblem& problem, const BoundOptions& options,
                            const Law& law, ProofWatch watch);

}  // namespace carom
