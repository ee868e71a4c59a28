#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "carom/roll.hpp"
#include "carom/roll_options.hpp"
#include "host/base/question_words.hpp"

namespace carom {

/// A question to rollouts, such as "|block.angle| > 30 deg by 0.5 s".
struct RollQuestion : Inequality {  // its quantity: a coordinate, "end_time" or "impacts"
  bool ever = false;                ///< ever until the time, or at it
  std::optional<double> time = {};  ///< s; nothing for "end_time" and "impacts"
};

/// The questions of the options.
/// @throws InputError naming the question and the rule it breaks
std::vector<RollQuestion> parse_questions(const RollOptions& options);

/// The number of the coordinate that a question with a time is about.
/// @throws InputError if there is none of this name
std::size_t coordinate_of(const std::vector<std::string>& names, const RollQuestion& question);

/// @throws InputError if a question is not understood, about no coordinate of the system, about the
/// sign of a quaternion, or has the unit of another
void check_questions(const RollOptions& options, const RolledSystem& system);

}  // namespace carom
