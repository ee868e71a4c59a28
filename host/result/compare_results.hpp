#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "carom/epsilon_net.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/scenario.hpp"

namespace carom {

/// One of the two files of a comparison: a result of sampling, or an exploration.
struct ComparedResult {
  std::filesystem::path file;
  Scenario scenario;
  EpsilonNet net;
  bool explored = false;  ///< an exploration: it stores no rows, and its outcomes have no shares
  bool complete = false;
  std::uint64_t trajectories = 0;
  std::uint64_t outcome_count = 0;
  std::uint64_t stored_rows = 0;
  std::uint64_t searched = 0;         ///< members of the search beyond the trajectories
  OutcomeModes modes = {};            ///< none of an exploration
  std::vector<double> outcomes = {};  ///< rows x nv: of the search, and of stored rows if compared

  const ImpactProblem& problem() const { return scenario.problem; }
};

/// Directed Hausdorff distances between two sets of velocities.
struct ComparedDistances {
  double a_to_b = 0.0;  ///< greatest distance from a point of A to the nearest point of B
  double b_to_a = 0.0;
};

struct ComparedMode {
  std::vector<ContactMode> contacts;
  std::uint64_t a = 0;  ///< outcomes
  std::uint64_t b = 0;
};

/// Distances between two results of one mechanism, in the norm of the first.
struct ResultComparison {
  ComparedResult a, b;
  std::vector<std::string> differences = {};  ///< of friction, pre-impact velocity and other inputs
  double epsilon_a = 0.0;  ///< of the nets, in A's norm (an upper bound if B's differs)
  double epsilon_b = 0.0;
  ComparedDistances nets = {};
  /// Every outcome of a run lies within this distance of the other net: distance of the nets +
  /// epsilon.
  ComparedDistances outcomes_to_net = {};
  /// Between the outcomes of stored rows and searches; nothing if a file stores none, or there are
  /// too many.
  std::optional<ComparedDistances> outcomes = {};
  bool too_many_rows = false;
  /// Modes of either run, the largest share first; none if a file is an exploration's.
  std::vector<ComparedMode> modes = {};
};

/// @throws InputError if a file is neither a result nor an exploration, or the two results differ
/// in nv, m, d, mass matrix or Jacobians (beyond 1e-12 relative): then velocities cannot be
/// compared.
ResultComparison compare_results(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace carom
