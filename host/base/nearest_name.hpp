#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// The known name that a name is the last part of, as "x" of "box.x", or the other way round; else
/// the one closest to a misspelt one (edit distance, adjacent swaps count once); empty if no name
/// is close enough.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

/// `; did you mean "friction"?`, or nothing if no known name is near.
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

/// The same, or ` (must be one of ...)` with all known names if none is near.
std::string suggestion_or_all(std::string_view name, const std::vector<std::string>& known);

/// "A, B, C, D and 3 more".
std::string first_names(const std::vector<std::string>& names);

}  // namespace carom
