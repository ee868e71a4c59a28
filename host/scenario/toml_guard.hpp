#pragma once

#include <optional>
#include <string>

namespace carom {

/// A line of TOML text, and the reason why it must not reach the parser.
struct TomlRefusal {
  int line;
  std::string reason;
};

/// Finds the first place where toml++ 3.3 would have undefined behaviour: it frees nested tables by
/// unlimited recursion (a key of a hundred thousand parts overflows the stack), and falls off a
/// switch on most non-ASCII characters where white space is allowed. A scenario needs neither a key
/// of many parts nor such a character outside strings and comments. Multi-line strings are refused,
/// too, so that this check need not know their rules.
std::optional<TomlRefusal> find_unsafe_toml(const std::string& text);

}  // namespace carom
