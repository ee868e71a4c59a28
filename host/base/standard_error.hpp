#pragma once

#include <string_view>

namespace carom {

/// Writes as much to standard error as it takes: that a terminal is gone must not end a program
/// that has a file to finish.
void tell(std::string_view text);

}  // namespace carom
