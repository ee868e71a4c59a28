#pragma once

#include <cstddef>
#include <string_view>

namespace carom {

/// A text without some letters at its ends. The view is into the text.
inline std::string_view trimmed(std::string_view text, std::string_view edges = " \t") {
  const std::size_t first = text.find_first_not_of(edges);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(edges) - first + 1);
}

}  // namespace carom
