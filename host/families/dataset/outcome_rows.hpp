#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "carom/dataset.hpp"
#include "carom/epsilon_net.hpp"
#include "carom/sample_set.hpp"
#include "host/families/member_notes.hpp"

namespace carom {

/// Outcomes of one problem, or of many, one row each.
struct OutcomeRows {
  std::vector<std::uint64_t> trajectory;
  std::vector<double> velocity;  ///< rows x nv
  std::vector<double> energy;    ///< J
  std::vector<double> impulse;   ///< rows x m x (1 + d), N·s

  std::size_t size() const { return trajectory.size(); }
  void add(const SampleSet& samples, std::size_t row, std::uint64_t its_trajectory);
  void add(const OutcomeRows& rows, std::size_t row);
};

/// The stored outcomes of one problem, with their numbers.
struct ProblemOutcomes {
  OutcomeRows rows;
  std::uint32_t status_counts[status_count] = {};
  MemberFindings findings = {};
  std::uint64_t net_members = 0;  ///< of choice `net`: size of the whole net
  /// Of choice `farthest`: greatest distance of an outcome to a stored one; of choice `net`, of a
  /// member of the net.
  double cover = 0.0;
};

/// Chooses outcomes of one problem while its trajectories come in order.
class OutcomePicker {
 public:
  OutcomePicker(const ImpactProblem& problem, const DatasetSpec& spec);

  /// Rows [begin, end) of samples are trajectories `first`, ... of the problem.
  void add(const SampleSet& samples, std::size_t begin, std::size_t end, std::uint64_t first);
  ProblemOutcomes finish();

 private:
  /// Offers one outcome to the net; true if it became a member.
  bool joins_net(const SampleSet& samples, std::size_t row, std::uint64_t trajectory);

  DatasetContent content_;
  Eigen::MatrixXd metric_;
  std::optional<EpsilonNet> net_;
  ProblemOutcomes picked_;
};

}  // namespace carom
