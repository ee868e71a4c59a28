#pragma once

#include <optional>
#include <string>

namespace carom {

/// A line of TOML text, and why it must not reach the parser.
struct TomlRefusal {
  int line;
  std::string reason;
};

/// Finds the first place where toml++ 3.3 would leave defined behaviour: it frees nested tables by
/// unlimited recursion (a key of a hundred thousand parts overflows the stack), and falls off a
/// switch on most characters beyond ASCII where white space may stand. Neither a key of many parts
/// nor such a character outside strings and comments has a place in a scenario; nor have multi-line
/// strings, which are refused so that this check need not know their rules.
std::optional<TomlRefusal> find_unsafe_toml(const std::string& text);

}  // namespace carom
