#pragma once

#include <cstdint>
#include <optional>

#include "carom/bounds.hpp"
#include "carom/choice.hpp"
#include "carom/outputs.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// What to compute after the trajectories: evidence of how much of the set the net covers.
struct EvidenceOptions {
  /// K fresh trajectories that test the net; 0: no certificate. Auto: 4,096, but at most M / 2
  /// where Carom chose M.
  Choice<std::uint64_t> hold_out = {};
  double confidence = 0.999;           ///< 1 - delta of the certificate
  double miss = 0.0;                   ///< > 0: the run grows until the miss bound is at most this
  std::uint64_t max_trajectories = 0;  ///< budget of a growing run; 0: 2^26
  double max_seconds = 0.0;            ///< budget of a growing run; 0: none
  std::uint64_t net_size = 0;  ///< > 0: select this many outcomes by farthest-point selection
  int seek_extremes = -1;      ///< >= 0: search the set's ends, with this many random directions
  /// Explore the set beyond the trajectories; off where a law or its caps leave nothing to search.
  bool search = true;
  bool verify_net = false;  ///< sample again, and measure the distance of each outcome to the net
  Outputs outputs = {};  ///< directions whose ends are wanted; searched, too, if seek_extremes >= 0
  std::optional<BoundOptions> bound = {};  ///< stated: bound the outcomes, and compare all of them
  bool comparison = true;  ///< also compute the outcomes of the simultaneous and the sequential law
};

/// The options with a value for each Choice, for sampling options that are resolved().
EvidenceOptions resolved(EvidenceOptions options, const SamplingOptions& sampling);

/// Checks the options. @throws InputError naming the option and the rule.
void validate(const EvidenceOptions& options);

}  // namespace carom
