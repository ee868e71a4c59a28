#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "carom/post_impact_set.hpp"

namespace carom {

/// The outcomes of one law, for a comparison of laws on one problem.
struct LawSet {
  ImpactProblem problem;     ///< with the restitution of this set
  SamplingOptions sampling;  ///< the law and its options, resolved unless the law is refused
  /// Of the contacts (m); nothing if the law has no restitution.
  std::optional<Eigen::VectorXd> restitution = {};
  std::optional<PostImpactSet> set = {};  ///< nothing if the law cannot take the problem
  std::string refusal = {};               ///< why the law cannot take the problem, or ""
};

struct LawSets {
  std::vector<LawSet> laws;
  /// Row i, column j: share of the net members of law i within the epsilon of law j of one of its
  /// members; not a number where one of them has no outcome.
  Eigen::MatrixXd inside;
  /// Row i, column j: greatest distance of a member of law i to the net of law j, in the net's
  /// norm.
  Eigen::MatrixXd farthest;
};

/// Samples one problem under every law that can take it. Without a stated epsilon, each law has
/// that which it chooses: their sets differ in size. Laws with restitution are sampled for each of
/// `restitutions`; if that is empty, for that of the problem and for 0, and if the problem states
/// none, for 0, 0.5 and 1. Options of `sampling` that belong to one law serve that law only. Where
/// the friction cones are not pointed, a law of which none of the first 64 trajectories ends has a
/// set of these alone.
/// @param progress called before each law, and after each part of its trajectories, with the law's
/// place and the number of laws, and in the pilots before the first one; returns false to stop.
/// Then the laws that are left have no set.
/// @throws InputError if problem or options break a rule that holds for all laws
LawSets sets_of_laws(const ImpactProblem& problem, const SamplingOptions& sampling,
                     const std::vector<double>& restitutions = {},
                     const std::function<bool(std::size_t done, std::size_t all)>& progress = {});

}  // namespace carom
