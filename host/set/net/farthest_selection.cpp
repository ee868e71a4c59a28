#include "host/set/net/farthest_selection.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <cmath>

#include "host/sampling/observed_stages.hpp"

namespace carom {

FarthestSelection::FarthestSelection(const Eigen::MatrixXd& metric, std::size_t dimension)
    : metric_(metric) {
  points_.dimension = dimension;
}

void FarthestSelection::reserve(std::size_t candidates) {
  points_.coordinates.reserve(candidates * points_.dimension);
}

void FarthestSelection::add(const double* velocity) {
  const std::size_t at = points_.coordinates.size();
  points_.coordinates.resize(at + points_.dimension);
  to_coordinates(metric_, points_.dimension, velocity, &points_.coordinates[at]);
}

FarthestSelection::Farthest FarthestSelection::choose(std::size_t candidate) {
  if (chosen_.empty()) {
    squared_.assign(size(), NearestPoint::unbounded);
    owner_.assign(size(), 0);
  }
  const double* const newest = points_[candidate];
  quarter_gap_.clear();
  for (const std::size_t other : chosen_) {
    constexpr double quarter = 0.25;
    quarter_gap_.push_back(quarter * points_.squared_distance(other, newest));
  }
  const auto newest_owner = static_cast<std::uint32_t>(chosen_.size());
  chosen_.push_back(candidate);
  quarter_gap_.push_back(0.0);

  constexpr std::size_t grain = 16384;  // candidates: about 0.1 ms
  // If a candidate's distance to its owner is at most half of the owner's distance to the newest,
  // the newest is not nearer. The margin excludes rounding effects, so that every distance is the
  // least one to the last bit.
  constexpr double margin = 1.0 + 1e-9;
  return oneapi::tbb::parallel_reduce(
      oneapi::tbb::blocked_range<std::size_t>(0, size(), grain), Farthest{},
      [&](const auto& range, Farthest farthest) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          if (!(squared_[i] * margin <= quarter_gap_[owner_[i]])) {
            const double squared = points_.squared_distance(i, newest);
            if (squared < squared_[i]) {
              squared_[i] = squared;
              owner_[i] = newest_owner;
            }
          }
          if (squared_[i] > farthest.squared) farthest = {squared_[i], i};
        }
        return farthest;
      },
      [](const Farthest& one, const Farthest& other) {
        return other.squared > one.squared ? other : one;
      });
}

FarthestSelection::Choice FarthestSelection::choose_first(std::uint64_t count,
                                                          const SampleObserver& observer) {
  Choice choice;
  Farthest next;
  next.squared = size() == 0 ? 0.0 : NearestPoint::unbounded;
  while (choice.candidates.size() < count && next.squared > 0.0) {
    report(observer, choice.candidates.size(), count);
    choice.candidates.push_back(next.candidate);
    next = choose(next.candidate);
  }
  choice.cover = std::sqrt(next.squared);
  return choice;
}

}  // namespace carom
