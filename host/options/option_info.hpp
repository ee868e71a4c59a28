#pragma once

#include <cstdint>
#include <limits>

namespace carom {

/// An option as users see it: the key in TOML and JSON, the keyword in Python and, with dashes
/// instead of underscores, the flag.
struct OptionInfo {
  /// A word for a value outside the range.
  struct Word {
    const char* text = nullptr;
    std::int64_t number = 0;
  };
  static constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();

  const char* name;
  const char* argument;  ///< the value's placeholder in usage texts
  const char* help;
  /// Range of an integer; `any` is the greatest value that its type and a file can hold.
  std::uint64_t least = 0;
  std::uint64_t greatest = any;
  /// Range of a real number.
  enum class Sign { any, positive, not_negative } sign = Sign::any;
  const char* unit = "";
  /// The key of [problem] whose value the option replaces where it is stated.
  const char* replaces = "";
  Word words[2] = {};
  bool is_machine = false;  ///< how a run is computed; results do not depend on it
};

}  // namespace carom
