#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace carom {

/// Called with the progress of a long computation (stage, done, total); returning false stops it.
using StageObserver =
    std::function<bool(const std::string& stage, std::uint64_t done, std::uint64_t total)>;

}  // namespace carom
