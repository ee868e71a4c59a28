#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace carom {

// Numbers as text, of flags and of Python's arguments. The message of the InputError calls the
// number by `name` and says the rule.

double parse_real(const std::string& name, const std::string& text);
/// An integer in [least, greatest]; 1e6 is one too.
std::uint64_t parse_integer(const std::string& name, const std::string& text, std::uint64_t least,
                            std::uint64_t greatest);
/// Comma-separated numbers.
std::vector<double> parse_reals(const std::string& name, const std::string& text);

}  // namespace carom
