#pragma once

#include <optional>

#include "host/coupling/mechanics.hpp"

namespace carom {

/// A state in time with the derivative of the state by the one at the start.
struct FlowState {
  double time = 0.0;
  Contacts closed = {};
  Eigen::VectorXd state = {};       ///< 2n
  Eigen::MatrixXd derivative = {};  ///< 2n x 2n
};

/// Moves on until contacts close, and gives these; nothing at `end`. Contacts that would have to
/// pull are let go on the way, which has no derivative of its own.
/// @throws InputError if a contact grazes, or closes at `end`
std::optional<Contacts> flow(const Mechanics& mechanics, FlowState& now, double end);

/// The contacts that are touching and approach, of those that are not closed; a graze is refused.
Contacts closing(const Mechanics& mechanics, const FlowState& now);

}  // namespace carom
