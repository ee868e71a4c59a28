#pragma once

#include <string_view>

namespace carom {

/// Writes to standard error and ignores failures: a closed terminal must not end a program that has
/// a file to finish.
void tell(std::string_view text);

}  // namespace carom
