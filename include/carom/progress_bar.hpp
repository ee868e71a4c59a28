#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace carom {

/// The progress of a long computation on standard error: on a terminal a bar, redrawn in place a
/// few times per second and erased by the destructor; elsewhere a line after 5 s, 10 s, 20 s and so
/// on. An observer of the computation can update the bar.
class ProgressBar {
 public:
  /// @param done the part of `total` that an earlier run had finished
  /// @param shown false: nothing is said
  /// @param stage name of the stage, drawn at once; empty: trajectories, with the number of
  /// outcomes
  ProgressBar(std::uint64_t done, std::uint64_t total, bool shown, std::string stage = {});
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// @param done the finished part of `total`, that of an earlier run included
  void update(std::uint64_t done, std::uint64_t outcomes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carom
