#pragma once

#include <string>

#include "carom/caps_distribution.hpp"
#include "carom/selection.hpp"

namespace carom {

/// An option as users meet it: the key in TOML and JSON, the keyword in Python, and, with dashes
/// for underscores, the flag.
struct OptionInfo {
  const char* name;
  const char* argument;  ///< what the usage shows for its value
  const char* help;
};

// The text of an option's value, and its value from the text; `place` is what messages call it.
// @throws InputError naming place and rule

inline std::string option_text(const CapsDistribution& caps) { return to_text(caps); }
inline std::string option_text(Solutions solutions) { return solutions_name(solutions); }

void parse_option(const std::string& text, const std::string& place, CapsDistribution& caps);
void parse_option(const std::string& text, const std::string& place, Solutions& solutions);

}  // namespace carom
