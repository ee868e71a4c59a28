#include "host/scenario/toml_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace carom {
namespace {

constexpr int max_key_parts = 64;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// End of the one-line string that starts at `at`: after its closing quote, or at the line's end.
std::size_t string_end(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == quote) return at + 1;
    if (quote == '"' && text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n') ++at;
  }
  return at;
}

}  // namespace

std::optional<TomlRefusal> find_unsafe_toml(const std::string& whole) {
  std::string_view text = whole;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  int line = 1;
  int dots = 0;  // since the last character that is not part of a key
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      if (text.substr(at, 3) == std::string(3, c)) {
        return TomlRefusal{line, "multi-line strings are not supported (use a one-line string)"};
      }
      at = string_end(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (static_cast<unsigned char>(c) >= 0x80) {
      return TomlRefusal{line, "character outside ASCII (only strings and comments may have one)"};
    }
    if (c == '.' && ++dots >= max_key_parts) {
      return TomlRefusal{line,
                         fmt::format("key has too many parts (must be at most {})", max_key_parts)};
    }
    if (std::string_view("[]{},=\n").find(c) != std::string_view::npos) dots = 0;
    if (c == '\n') ++line;
    ++at;
  }
  return std::nullopt;
}

}  // namespace carom
