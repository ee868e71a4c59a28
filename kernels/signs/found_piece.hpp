#pragma once

#include <cstdint>

#include "kernels/step/step_lcp_view.hpp"

namespace carom {

// A search over signs for callers that are compiled for another instruction set.

/// A SolutionPiece; arrays as long as the box form has coordinates, valid during the call.
struct FoundPiece {
  int ends;
  int dimensions;
  int orientation;
  const std::uint8_t* sign;
  const double* x[2];
  const double* speed[2];
};

/// Is given the pieces that a search finds. Not through exceptions: code that cleans up after them
/// shares names with the rest of the program, which code for an instruction set must not.
class FoundPieces {
 public:
  /// Whether the piece is accepted.
  virtual bool add(const FoundPiece& piece) noexcept = 0;

 protected:
  ~FoundPieces() = default;
};

/// A step whose solutions are wanted.
struct SearchedStep {
  StepLcpView problem;
  const double* before;      ///< contact speeds, m (1 + d)
  const double* cap;         ///< m, as speeds
  double summed;             ///< see summed_speed()
  bool tries_lines = false;  ///< whether SignLines goes on where the search is given up
};

/// What a search did, see SearchReport.
struct SearchCounts {
  bool complete = true;
  int nodes = 0;
};

}  // namespace carom
