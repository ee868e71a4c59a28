#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carom {

// Numbers from the text of flags and Python arguments. @throws InputError with `name` and the rule

/// A finite number.
double parse_real(const std::string& name, const std::string& text);
/// An integer in [least, greatest]; a form such as 1e6 is allowed.
std::uint64_t parse_integer(const std::string& name, const std::string& text, std::uint64_t least,
                            std::uint64_t greatest);
/// Comma-separated numbers.
std::vector<double> parse_reals(const std::string& name, const std::string& text);

}  // namespace carom
