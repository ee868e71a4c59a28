#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace carom {

/// A progress bar on standard error, redrawn in place a few times per second and erased when it is
/// destroyed: an observer of a long computation can update it.
class ProgressBar {
 public:
  /// @param done what an earlier run had done of `total`
  /// @param shown false: nothing is drawn
  /// @param stage what is done, drawn at once; empty: trajectories, whose outcomes are shown, too
  ProgressBar(std::uint64_t done, std::uint64_t total, bool shown, std::string stage = {});
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// @param done of `total`, with what an earlier run had done
  void update(std::uint64_t done, std::uint64_t outcomes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carom
