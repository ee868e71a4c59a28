#pragma once

#include <cstdint>

#include "carom/impact_problem.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// Whether random caps ever let one contact come first, nearly alone, where several approach.
struct LoneContacts {
  std::uint64_t trajectories = 0;  ///< whose first step was looked at
  bool found = false;              ///< in one of them a contact had most of the normal impulse
};

/// Looks at the first steps of a run until one with a lone contact is found; at none if fewer than
/// two contacts approach.
/// @param options resolved, with the set-valued law
LoneContacts find_lone_contacts(const ImpactProblem& problem, const SamplingOptions& options);

/// The part of a step's normal impulse that makes a contact a lone one.
inline constexpr double lone_share = 0.9;

}  // namespace carom
