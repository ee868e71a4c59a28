#pragma once

#include <atomic>
#include <cstdint>

namespace carom {

/// Thrown where a proof has cost as much as it may, or shall stop.
struct OutOfWork {};

/// What a proof may still cost, on all threads together: products of words, so that it ends at the
/// same place on every machine.
class ProofWork {
 public:
  explicit ProofWork(std::int64_t most) : left_(most) {}

  /// @throws OutOfWork
  void spend(std::int64_t products) {
    if (left_.fetch_sub(products) < products || stopped_) throw OutOfWork{};
  }
  void renew(std::int64_t most) { left_ = most; }
  /// Ends the work of all threads, whatever is left.
  void stop() { stopped_ = true; }

 private:
  std::atomic<std::int64_t> left_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace carom
