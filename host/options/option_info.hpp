#pragma once

#include <cstdint>
#include <limits>

namespace carom {

/// An option as users meet it: the key in TOML and JSON, the keyword in Python, and, with dashes
/// for underscores, the flag.
struct OptionInfo {
  /// A word for a number that none of the range is.
  struct Word {
    const char* text = nullptr;
    std::int64_t number = 0;
  };
  static constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();

  const char* name;
  const char* argument;  ///< what the usage shows for its value
  const char* help;
  /// Of an integer; `any` is the greatest that its type and a file can hold.
  std::uint64_t least = 0;
  std::uint64_t greatest = any;
  /// Of a real number.
  enum class Sign { any, positive, not_negative } sign = Sign::any;
  const char* unit = "";
  Word words[2] = {};
  bool is_machine = false;  ///< it says how a run is made and changes no bit of it
};

}  // namespace carom
