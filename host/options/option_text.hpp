#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "carom/bounds.hpp"
#include "carom/caps_distribution.hpp"
#include "carom/choice.hpp"
#include "carom/law.hpp"
#include "carom/roll_options.hpp"
#include "carom/sampling_options.hpp"
#include "carom/selection.hpp"
#include "carom/uncertain.hpp"
#include "host/options/option_info.hpp"

namespace carom {

template <class T>
concept OptionInteger = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept OptionChoice = std::is_enum_v<T>;

/// The word for a value that Carom chooses.
inline constexpr const char* auto_word = "auto";
/// A value that a system brings along.
inline constexpr const char* preset_word = "preset";
/// NAME_asked = "auto" beside NAME = value, in TOML: Carom chose the value; "preset": the system
/// has it for its own impact. JSON has what was asked for under the same name.
inline constexpr const char* asked_suffix = "_asked";

template <class T>
inline constexpr bool is_choice = false;
template <class T>
inline constexpr bool is_choice<Choice<T>> = true;

/// The greatest value that an option of type Integer may have; `any` if only the type limits the
/// value.
template <OptionInteger Integer>
constexpr std::uint64_t greatest_of(const OptionInfo& info) {
  return std::min<std::uint64_t>(info.greatest, std::numeric_limits<Integer>::max());
}

/// The option's own word for this value; null if there is none.
const OptionInfo::Word* word_of(const OptionInfo& info, std::int64_t number);

/// All words of an option whose values are words, in the order of its enum.
const std::vector<std::string>& words_of(Norm);
const std::vector<std::string>& words_of(Backend);
const std::vector<std::string>& words_of(Solutions);
const std::vector<std::string>& words_of(BoundScope);
const std::vector<std::string>& words_of(Plastic);
const std::vector<std::string>& words_of(ContactKind);
const std::vector<std::string>& words_of(Crossing);

/// The text of an option's value.
std::string option_text(const OptionInfo& info, double value);
std::string option_text(const OptionInfo& info, bool value);
std::string option_text(const OptionInfo& info, const CapsDistribution& caps);
/// "0.3,0.4"; "auto" if there are none.
std::string option_text(const OptionInfo& info, const std::vector<double>& numbers);
/// "0.3", "{min = 0.1, max = 0.3}", "{mean = 0.2, deviation = 0.05}"
std::string option_text(const OptionInfo& info, const Uncertain& value);
/// The same with commas between; "auto" if there are none.
std::string option_text(const OptionInfo& info, const std::vector<Uncertain>& values);
inline std::string option_text(const OptionInfo&, const std::string& text) { return text; }
std::string option_text(const OptionInfo&, OptionChoice auto choice) {
  return words_of(choice)[static_cast<std::size_t>(choice)];
}
std::string option_text(const OptionInfo& info, OptionInteger auto value) {
  const OptionInfo::Word* word = word_of(info, static_cast<std::int64_t>(value));
  return word != nullptr ? word->text : std::to_string(value);
}
/// "auto" if there is no value.
template <class T>
std::string option_text(const OptionInfo& info, const Choice<T>& value) {
  return value.has_value() ? option_text(info, *value) : auto_word;
}

namespace detail {
std::size_t word_number(const std::vector<std::string>& words, const std::string& text,
                        const std::string& place);
std::uint64_t integer_of(const OptionInfo& info, const std::string& text, const std::string& place,
                         std::uint64_t greatest);
/// @param value negative here for an unsigned value above INT64_MAX
void check_integer(const char* table, const OptionInfo& info, std::int64_t value,
                   const std::string& text);
void check_word(const char* table, const OptionInfo& info, std::size_t number,
                const std::vector<std::string>& words);
}  // namespace detail

/// An option's value from its text. @param place the option's name in messages
/// @throws InputError naming place and rule
void parse_option(const OptionInfo& info, const std::string& text, const std::string& place,
                  double& value);
void parse_option(const OptionInfo& info, const std::string& text, const std::string& place,
                  bool& value);
void parse_option(const OptionInfo& info, const std::string& text, const std::string& place,
                  CapsDistribution& caps);
void parse_option(const OptionInfo& info, const std::string& text, const std::string& place,
                  std::vector<double>& numbers);
void parse_option(const OptionInfo& info, const std::string& text, const std::string& place,
                  Uncertain& value);
void parse_option(const OptionInfo& info, const std::string& text, const std::string& place,
                  std::vector<Uncertain>& values);
void parse_option(const OptionInfo&, const std::string& text, const std::string& place,
                  OptionChoice auto& choice) {
  using Choice = std::remove_reference_t<decltype(choice)>;
  choice = static_cast<Choice>(detail::word_number(words_of(choice), text, place));
}
void parse_option(const OptionInfo& info, const std::string& text, const std::string& place,
                  OptionInteger auto& value) {
  using Whole = std::remove_reference_t<decltype(value)>;
  value = static_cast<Whole>(detail::integer_of(info, text, place, greatest_of<Whole>(info)));
}
template <class T>
void parse_option(const OptionInfo& info, const std::string& text, const std::string& place,
                  Choice<T>& value) {
  value = {};
  if constexpr (OptionChoice<T>) {
    std::vector<std::string> words = words_of(T{});
    words.insert(words.begin(), auto_word);
    const std::size_t number = detail::word_number(words, text, place);
    if (number > 0) value = static_cast<T>(number - 1);
  } else if (text != auto_word) {
    T stated{};
    parse_option(info, text, place, stated);
    value = std::move(stated);
  }
}

/// Checks the range of a number. @throws FieldError with the field TABLE.NAME
void check_range(const char* table, const OptionInfo& info, double value);
/// Checks the numbers of a distribution, too: {min, mean, max} of the number's range, min <= max,
/// deviation > 0.
void check_range(const char* table, const OptionInfo& info, const Uncertain& value);
void check_range(const char* table, const OptionInfo& info, OptionInteger auto value) {
  detail::check_integer(table, info, static_cast<std::int64_t>(value), std::to_string(value));
}
/// Checks that an enum has one of its values.
void check_range(const char* table, const OptionInfo& info, OptionChoice auto value) {
  detail::check_word(table, info, static_cast<std::size_t>(value), words_of(value));
}
template <class Other>
requires(!OptionInteger<Other> &&
         !OptionChoice<Other>) void check_range(const char*, const OptionInfo&, const Other&) {}
template <class T>
void check_range(const char* table, const OptionInfo& info, const Choice<T>& value) {
  if (value.has_value()) check_range(table, info, *value);
}

}  // namespace carom
