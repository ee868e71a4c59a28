#pragma once

#include <cstdint>
#include <vector>

#include "carom/sampler.hpp"
#include "host/set/net/net_points.hpp"

namespace carom {

/// Outcomes, and how far each is from those chosen so far.
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
  /// Chooses a candidate; returns the one that is then farthest from all chosen, of those as far
  /// the first.
  Farthest choose(std::size_t candidate);

  struct Choice {
    std::vector<std::size_t> candidates;  ///< in the order of their choice
    double cover = 0.0;                   ///< every candidate lies within this of one of them
  };
  /// Chooses `count` candidates, from the first on; fewer where fewer are distinct.
  /// @throws StageStopped where the observer stops it
  Choice choose_first(std::uint64_t count, const SampleObserver& observer = {});

 private:
  Eigen::MatrixXd metric_;
  NetPoints points_;
  std::vector<double> squared_;       // distance to the nearest chosen one
  std::vector<std::uint32_t> owner_;  // which of the chosen is nearest
  std::vector<std::size_t> chosen_;
  std::vector<double> quarter_gap_;  // squared distance of the chosen to the newest, / 4
};

}  // namespace carom
