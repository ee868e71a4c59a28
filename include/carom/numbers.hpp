#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carom {

// Numbers from text, as flags and Python's arguments have them. @throws InputError that calls the
// number by `name` and says the rule

/// A finite number.
double parse_real(const std::string& name, const std::string& text);
/// An integer in [least, greatest]; 1e6 is one, too.
std::uint64_t parse_integer(const std::string& name, const std::string& text, std::uint64_t least,
                            std::uint64_t greatest);
/// Comma-separated numbers.
std::vector<double> parse_reals(const std::string& name, const std::string& text);

}  // namespace carom
