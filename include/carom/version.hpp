#pragma once

namespace carom {

/// Version of these headers; CMakeLists.txt reads it from here.
inline constexpr const char* version_string = "0.1.0";

/// Version written to result files and printed by `carom --version`.
inline constexpr const char* version() { return version_string; }

}  // namespace carom
