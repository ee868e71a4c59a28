#include "host/run/epsilon_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "carom/epsilon_net.hpp"
#include "carom/outputs.hpp"
#include "carom/sampler.hpp"
#include "host/base/nearest_name.hpp"
#include "host/base/note_list.hpp"
#include "host/problem/dual_norms.hpp"

namespace carom {
namespace {

/// Distances of the set in the net's norm.
class Spread {
 public:
  Spread(const ImpactProblem& problem, const SamplingOptions& options)
      : problem_(problem), options_(options), metric_(net_metric(problem, options.norm)) {}

  /// Largest distance of two outcomes of a small part of the run.
  double of_outcomes() const {
    constexpr std::uint64_t part = 256;
    SamplingOptions pilot = options_;
    pilot.trajectories = std::min(part, *options_.trajectories);
    pilot.backend = Backend::cpu;
    const Eigen::MatrixXd points = in_norm(sample(problem_, pilot).outcomes());
    double largest = 0.0;
    for (Eigen::Index i = 1; i < points.cols(); ++i)
      largest = std::max(largest, squared(points, i));
    return std::sqrt(largest);
  }

  /// The median of members' distances to the nearest other member.
  double of_neighbours(const EpsilonNet& net) const {
    constexpr Eigen::Index most = 1 << 13;
    constexpr Eigen::Index most_asked = 256;
    const Eigen::MatrixXd members =
        in_norm(net.velocity_rows().topRows(std::min(most, static_cast<Eigen::Index>(net.size()))));
    std::vector<double> nearest;
    for (Eigen::Index i = 0; i < std::min(most_asked, members.cols()); ++i) {
      Eigen::VectorXd distances =
          (members.colwise() - members.col(i)).colwise().squaredNorm().transpose();
      distances(i) = std::numeric_limits<double>::infinity();
      nearest.push_back(std::sqrt(distances.minCoeff()));
    }
    const auto median = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
    std::nth_element(nearest.begin(), median, nearest.end());
    return *median;
  }

  double of_pre_impact_velocity() const {
    return in_norm(problem_.pre_impact_velocity.transpose()).norm();
  }

 private:
  /// Velocities (rows) as columns whose Euclidean norm is the net's.
  Eigen::MatrixXd in_norm(const RowMatrix& velocities) const {
    if (metric_.size() == 0) return velocities.transpose();
    return metric_ * velocities.transpose();
  }
  static double squared(const Eigen::MatrixXd& points, Eigen::Index last) {
    return (points.leftCols(last).colwise() - points.col(last)).colwise().squaredNorm().maxCoeff();
  }

  const ImpactProblem& problem_;
  const SamplingOptions& options_;
  Eigen::MatrixXd metric_;
};

/// Notes on an epsilon that does not fit the set.
void add_epsilon(const ImpactProblem& problem, const SamplingOptions& options, PostImpactSet& set) {
  constexpr std::size_t few = 16;       // members that make it worth to measure the set
  constexpr double coarse = 1.0 / 3.0;  // of the set's diameter
  constexpr double fitting = 0.01;      // of the set's diameter: what Carom chooses
  constexpr double rounding = 1e-6;     // of the pre-impact speed: the set is a point
  constexpr std::uint64_t many = 256;   // outcomes that a net should join
  const double epsilon = *options.epsilon;
  const Spread spread(problem, options);
  if (options.epsilon.is_stated() && set.net.size() < few && set.summary.outcomes() > 1) {
    const double diameter = spread.of_outcomes();
    if (epsilon > coarse * diameter && diameter > rounding * spread.of_pre_impact_velocity()) {
      set.notes.push_back(make_note(
          "coarse_epsilon",
          fmt::format("epsilon is {:.10g}, but outcomes are only {:.2g} apart; epsilon = {:.2g} "
                      "shows the set",
                      epsilon, diameter, fitting * diameter)));
    }
  }
  if (set.summary.outcomes() >= many && set.net.size() == set.summary.outcomes()) {
    set.notes.push_back(make_note(
        "fine_epsilon",
        fmt::format("epsilon is {:.10g}, and each of the {} outcomes is a member of the net: it "
                    "joins none; half of them have another one within {:.2g}",
                    epsilon, set.net.size(), spread.of_neighbours(set.net))));
  }
}

/// Contact speeds that move too little within the set for epsilon to tell them apart.
void add_unresolved(const ImpactProblem& problem, const SamplingOptions& options,
                    PostImpactSet& set) {
  constexpr double noticed = 1e-3;  // of the fastest contact before the impact
  if (set.net.size() < 2) return;
  const Eigen::VectorXd before = problem.normal_jacobian * problem.pre_impact_velocity;
  const double least = noticed * before.cwiseAbs().maxCoeff();
  const int d = problem.tangent_dimension();
  std::vector<std::string> speeds;
  const auto look_at = [&](const Eigen::MatrixXd& rows, const std::vector<Range>& ranges, int first,
                           int axes) {
    const Eigen::VectorXd finest = *options.epsilon * dual_norms(problem, options.norm, rows);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const double width = ranges[i].empty() ? 0.0 : ranges[i].greatest - ranges[i].least;
      if (width <= least || width >= finest(static_cast<Eigen::Index>(i))) continue;
      const int contact = static_cast<int>(i) / axes;
      speeds.push_back(fmt::format(
          "{} {} ({:.2g} {})", problem.contact_names[static_cast<std::size_t>(contact)],
          axis_name(d, first + static_cast<int>(i) % axes), width, speed_unit(problem, contact)));
    }
  };
  look_at(problem.normal_jacobian, set.summary.normal_velocity, 0, 1);
  look_at(problem.tangent_jacobian, set.summary.tangential_velocity, 1, d);
  if (speeds.empty()) return;
  set.notes.push_back(make_note(
      "unresolved_speeds",
      fmt::format(
          "velocities that are epsilon = {:.2g} apart ({} norm) can differ by more than all of the "
          "set along {}: the net may not resolve {}; {}a smaller epsilon does",
          *options.epsilon, norm_name(options.norm), first_names(speeds),
          speeds.size() == 1 ? "it" : "these",
          options.norm == Norm::euclidean ? "norm = \"kinetic\" may, " : "")));
}

}  // namespace

void note_epsilon(const ImpactProblem& problem, const SamplingOptions& options,
                  PostImpactSet& set) {
  add_epsilon(problem, options, set);
  add_unresolved(problem, options, set);
}

}  // namespace carom
