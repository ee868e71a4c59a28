#pragma once

#include <string>
#include <vector>

#include "carom/carom.hpp"

namespace carom::peers {

struct PeerProblem {
  std::string name;
  ImpactProblem problem;  ///< validated
  SamplingOptions sampling;
  int lcps = 0;  ///< how many of its LCPs are dumped
};

/// The built-in systems, and two problems of 12 contacts (n = 60): a pyramid of six disks, whose
/// contacts are redundant as the disk stack's are, and a random one.
std::vector<PeerProblem> peer_problems();

}  // namespace carom::peers
