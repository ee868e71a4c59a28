#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "carom/result_io.hpp"

namespace carom {

/// One of the two result files of a comparison.
struct ComparedResult {
  explicit ComparedResult(const std::filesystem::path& result_file);

  std::filesystem::path file;
  Result result;
  std::uint64_t stored_rows = 0;
  std::vector<double> outcomes;  ///< rows x nv: outcomes of the stored rows, if compared

  const ImpactProblem& problem() const { return result.scenario.problem; }
  const OutcomeModes& modes() const { return result.set.modes; }
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
  ResultComparison(const std::filesystem::path& file_a, const std::filesystem::path& file_b)
      : a(file_a), b(file_b) {}

  ComparedResult a, b;
  std::vector<std::string> differences;  ///< of friction, pre-impact velocity and other inputs
  double epsilon_a = 0.0;  ///< of the nets, in A's norm (an upper bound if B's differs)
  double epsilon_b = 0.0;
  ComparedDistances nets;
  /// Every outcome of a run lies within this distance of the other net: distance of the nets +
  /// epsilon.
  ComparedDistances outcomes_to_net;
  /// Between the stored outcomes; nothing if a file stores none, or there are too many.
  std::optional<ComparedDistances> outcomes;
  bool too_many_rows = false;
  std::vector<ComparedMode> modes;  ///< modes of either run, the largest share first
};

/// @throws InputError if a file is no result, or the two results differ in nv, m, d, mass matrix or
/// Jacobians (beyond 1e-12 relative): then velocities cannot be compared.
ResultComparison compare_results(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace carom
