#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "carom/bounds.hpp"

namespace carom {

/// Thrown where a proof has cost as much as it may, or shall stop.
struct OutOfWork {};

/// What a proof may still cost, on all threads together: products of words, so that it ends at the
/// same place on every machine.
class ProofWork {
 public:
  /// @param stops asked at each use, by any thread, whether to end the work; once it has said so,
  /// it must say so again
  explicit ProofWork(std::int64_t most, std::function<bool()> stops = {})
      : left_(most), stops_(std::move(stops)) {}

  /// @throws OutOfWork
  void spend(std::int64_t products) {
    if ((stops_ && stops_()) || left_.fetch_sub(products) < products) throw OutOfWork{};
  }
  void renew(std::int64_t most) { left_ = most; }

 private:
  std::atomic<std::int64_t> left_;
  std::function<bool()> stops_;
};

/// outer_bound() by the calling thread, and those of its arena that have nothing else to do.
/// @param stops asked often, by any of them, whether to end the work
/// @throws OutOfWork if it says so
OuterBound outer_bound_here(const ImpactProblem& problem, const BoundOptions& options,
                            const Law& law, const std::function<bool()>& stops);

}  // namespace carom
