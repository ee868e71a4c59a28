#pragma once

#include <cstdint>
#include <vector>

#include "carom/sampler.hpp"
#include "host/set/net/net_points.hpp"

namespace carom {

/// Outcomes, and the distance of each to the nearest chosen one.
class FarthestSelection {
 public:
  /// @param metric of the norm, see EpsilonNet
  FarthestSelection(const Eigen::MatrixXd& metric, std::size_t dimension);

  void reserve(std::size_t candidates);
  /// Adds a candidate before the first choice.
  void add(const double* velocity);
  std::size_t size() const { return points_.size(); }

  struct Farthest {
    double squared = -1.0;
    std::size_t candidate = 0;
  };
  /// Chooses a candidate; returns the candidate that is then farthest from all chosen ones (the
  /// first of equally far ones).
  Farthest choose(std::size_t candidate);

  struct Choice {
    std::vector<std::size_t> candidates;  ///< in the order of their choice
    double cover = 0.0;  ///< every candidate lies within this distance of a chosen one
  };
  /// Chooses `count` candidates, beginning with the first; fewer if fewer are distinct.
  /// @throws StageStopped if the observer stops the selection
  Choice choose_first(std::uint64_t count, const SampleObserver& observer = {});

 private:
  Eigen::MatrixXd metric_;
  NetPoints points_;
  std::vector<double> squared_;       // distance to the nearest chosen one
  std::vector<std::uint32_t> owner_;  // the nearest chosen candidate
  std::vector<std::size_t> chosen_;
  std::vector<double> quarter_gap_;  // squared distance from each chosen one to the newest, / 4
};

}  // namespace carom
