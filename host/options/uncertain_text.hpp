#pragma once

#include <string>
#include <utility>

#include "carom/uncertain.hpp"

namespace carom {

/// The keys of the numbers of a distribution, as of the axes of data sets: {"min", "max"} or
/// {"mean", "deviation"}.
std::pair<const char*, const char*> keys_of(Uncertain::Kind kind);

/// The distribution with these numbers, by key.
/// @throws InputError that names `place` and the rule if they are not those of a distribution
Uncertain distribution(const std::string& place, const std::pair<std::string, double>& one,
                       const std::pair<std::string, double>& other);

}  // namespace carom
