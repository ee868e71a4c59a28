#include "carom/numbers.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "carom/error.hpp"

namespace carom {
namespace {

template <typename Number>
std::optional<Number> parse_whole(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

constexpr double exact_limit = 9007199254740992.0;  // 2^53

/// 1e6 as an integer; beyond 2^53 a double may differ from the given number.
std::optional<std::uint64_t> parse_power(const std::string& text) {
  const std::optional<double> real = parse_whole<double>(text);
  if (!real || !(*real >= 0.0) || *real > exact_limit || std::floor(*real) != *real) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(*real);
}

std::string integer_rule(std::uint64_t least, std::uint64_t greatest) {
  if (greatest == std::numeric_limits<std::uint64_t>::max()) {
    return fmt::format("must be an integer >= {}", least);
  }
  return fmt::format("must be an integer from {} to {}", least, greatest);
}

}  // namespace

double parse_real(const std::string& name, const std::string& text) {
  const std::optional<double> value = parse_whole<double>(text);
  if (!value) throw InputError(fmt::format("{} is \"{}\" (must be a number)", name, text));
  if (!std::isfinite(*value)) {
    throw InputError(fmt::format("{} is {} (must be finite)", name, text));
  }
  return *value;
}

std::uint64_t parse_integer(const std::string& name, const std::string& text, std::uint64_t least,
                            std::uint64_t greatest) {
  std::optional<std::uint64_t> value = parse_whole<std::uint64_t>(text);
  if (!value) value = parse_power(text);
  if (!value || *value < least || *value > greatest) {
    const std::optional<double> real = parse_whole<double>(text);
    constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
    const bool too_large = greatest == any && real && *real >= static_cast<double>(any);
    const bool needs_digits = !value && real && *real > exact_limit && std::isfinite(*real) &&
                              *real <= static_cast<double>(greatest);
    throw InputError(fmt::format("{} is {} ({}{})", name, real ? text : "\"" + text + "\"",
                                 integer_rule(least, greatest),
                                 too_large      ? fmt::format(" and <= {}", greatest)
                                 : needs_digits ? "; above 2^53, all digits and no exponent"
                                                : ""));
  }
  return *value;
}

std::vector<double> parse_reals(const std::string& name, const std::string& text) {
  std::vector<double> values;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = text.find(',', begin);
    std::string item = text.substr(begin, comma == std::string::npos ? comma : comma - begin);
    item.erase(0, item.find_first_not_of(' '));
    item.erase(item.find_last_not_of(' ') + 1);
    values.push_back(parse_real(name, item));
    if (comma == std::string::npos) return values;
    begin = comma + 1;
  }
}

}  // namespace carom
