#pragma once

#include <functional>
#include <vector>

#include "carom/epsilon_net.hpp"

namespace carom {

/// The distance of each member of a net to another net, in the metric of `by`; infinity if that is
/// empty.
/// @param threads 0: all
/// @param heed called again and again; what it throws is passed on
std::vector<double> distances_of(const EpsilonNet& of, const EpsilonNet& by, int threads = 0,
                                 const std::function<void()>& heed = {});

/// How much of one net lies in another.
struct Coverage {
  double share = 0.0;     ///< of the members, within the other's epsilon of one of its members
  double farthest = 0.0;  ///< greatest distance of a member to the other; infinity if that is empty
};

/// The coverage of the members of `of` by the net `by`, in the metric of `by`; 0 without members.
Coverage coverage_of(const EpsilonNet& of, const EpsilonNet& by, int threads = 0);

}  // namespace carom
