#include "host/options/option_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "carom/error.hpp"
#include "carom/numbers.hpp"
#include "host/base/field_error.hpp"
#include "host/base/nearest_name.hpp"

namespace carom {
namespace {

/// "all, none or an integer"
std::string words_and_integers(const OptionInfo& info) {
  std::string text;
  for (const OptionInfo::Word& word : info.words) {
    if (word.text != nullptr) text += (text.empty() ? "" : ", ") + std::string(word.text);
  }
  return text + " or an integer";
}

bool looks_like_a_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.e+-") == std::string::npos;
}

}  // namespace

const OptionInfo::Word* word_of(const OptionInfo& info, std::int64_t number) {
  for (const OptionInfo::Word& word : info.words) {
    if (word.text != nullptr && word.number == number) return &word;
  }
  return nullptr;
}

const std::vector<std::string>& words_of(Norm) {
  static const std::vector<std::string> words = {norm_name(Norm::euclidean),
                                                 norm_name(Norm::kinetic)};
  return words;
}

const std::vector<std::string>& words_of(Backend) {
  static const std::vector<std::string> words = {
      backend_name(Backend::automatic), backend_name(Backend::cpu), backend_name(Backend::cuda)};
  return words;
}

const std::vector<std::string>& words_of(Solutions) {
  static const std::vector<std::string> words = {
      solutions_name(Solutions::first), solutions_name(Solutions::cover),
      solutions_name(Solutions::all), solutions_name(Solutions::table)};
  return words;
}

const std::vector<std::string>& words_of(BoundScope) {
  static const std::vector<std::string> words = {scope_name(BoundScope::any_h),
                                                 scope_name(BoundScope::inclusion)};
  return words;
}

const std::vector<std::string>& words_of(Plastic) {
  static const std::vector<std::string> words = {plastic_name(Plastic::unilateral),
                                                 plastic_name(Plastic::projection)};
  return words;
}

const std::vector<std::string>& words_of(ContactKind) {
  static const std::vector<std::string> words = {contact_kind_name(ContactKind::rigid),
                                                 contact_kind_name(ContactKind::compliant)};
  return words;
}

const std::vector<std::string>& words_of(Crossing) {
  static const std::vector<std::string> words = {crossing_name(Crossing::fast),
                                                 crossing_name(Crossing::safe),
                                                 crossing_name(Crossing::projection)};
  return words;
}

std::string option_text(const OptionInfo&, double value) { return fmt::format("{}", value); }
std::string option_text(const OptionInfo&, bool value) { return value ? "true" : "false"; }
std::string option_text(const OptionInfo&, const CapsDistribution& caps) { return to_text(caps); }
std::string option_text(const OptionInfo&, const std::vector<double>& numbers) {
  return numbers.empty() ? auto_word : fmt::format("{}", fmt::join(numbers, ","));
}

void parse_option(const OptionInfo&, const std::string& text, const std::string& place,
                  double& value) {
  value = parse_real(place, text);
}

void parse_option(const OptionInfo&, const std::string& text, const std::string& place,
                  bool& value) {
  if (text != "true" && text != "false") {
    throw InputError(fmt::format("{} is {} (must be true or false)", place, text));
  }
  value = text == "true";
}

void parse_option(const OptionInfo& info, const std::string& text, const std::string& place,
                  CapsDistribution& caps) {
  try {
    caps = parse_caps(text);
  } catch (const InputError& error) {  // "caps ..."
    const std::string message = error.what();
    if (place == info.name || !message.starts_with(info.name)) throw;
    throw InputError(place + message.substr(std::string(info.name).size()));
  }
}

void parse_option(const OptionInfo&, const std::string& text, const std::string& place,
                  std::vector<double>& numbers) {
  const bool bracketed = text.starts_with('[') && text.ends_with(']');  // as Python writes lists
  numbers = text == auto_word
                ? std::vector<double>()
                : parse_reals(place, bracketed ? text.substr(1, text.size() - 2) : text);
}

void check_range(const char* table, const OptionInfo& info, double value) {
  const bool fits = info.sign == OptionInfo::Sign::positive       ? value > 0.0
                    : info.sign == OptionInfo::Sign::not_negative ? value >= 0.0
                                                                  : true;
  if (fits && std::isfinite(value)) return;
  const char* const rule = info.sign == OptionInfo::Sign::positive       ? "> 0 and finite"
                           : info.sign == OptionInfo::Sign::not_negative ? ">= 0 and finite"
                                                                         : "finite";
  const std::string unit = *info.unit == '\0' ? "" : fmt::format(", in {}", info.unit);
  throw FieldError(fmt::format("{}.{}", table, info.name),
                   fmt::format("{} is {} (must be {}{})", info.name, value, rule, unit));
}

namespace detail {

std::size_t word_number(const std::vector<std::string>& words, const std::string& text,
                        const std::string& place) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (text == words[i]) return i;
  }
  throw InputError(fmt::format("{} is \"{}\" (must be {} or {}){}", place, text,
                               fmt::join(words.begin(), words.end() - 1, ", "), words.back(),
                               suggestion(text, words)));
}

std::uint64_t integer_of(const OptionInfo& info, const std::string& text, const std::string& place,
                         std::uint64_t greatest) {
  for (const OptionInfo::Word& word : info.words) {
    if (word.text != nullptr && text == word.text) return static_cast<std::uint64_t>(word.number);
  }
  if (info.words[0].text != nullptr && !looks_like_a_number(text)) {
    throw InputError(
        fmt::format("{} is \"{}\" (must be {})", place, text, words_and_integers(info)));
  }
  return parse_integer(place, text, info.least, greatest);
}

void check_integer(const char* table, const OptionInfo& info, std::int64_t value,
                   const std::string& text) {
  // TOML and HDF5 attributes store counts as signed 64-bit integers.
  const std::uint64_t greatest = std::min<std::uint64_t>(info.greatest, INT64_MAX);
  const auto whole = static_cast<std::uint64_t>(value);
  const bool low = text.starts_with('-') || whole < info.least;
  if ((!low && whole <= greatest) || word_of(info, value) != nullptr) return;
  const std::string rule = info.greatest != OptionInfo::any
                               ? fmt::format(">= {} and <= {}", info.least, greatest)
                           : low ? fmt::format(">= {}", info.least)
                                 : fmt::format("<= {}", greatest);
  throw FieldError(fmt::format("{}.{}", table, info.name),
                   fmt::format("{} is {} (must be {})", info.name, text, rule));
}

void check_word(const char* table, const OptionInfo& info, std::size_t number,
                const std::vector<std::string>& words) {
  if (number < words.size()) return;
  throw FieldError(fmt::format("{}.{}", table, info.name),
                   fmt::format("{} is value {} of its enum (must be one of {})", info.name,
                               static_cast<std::int64_t>(number), fmt::join(words, ", ")));
}

}  // namespace detail
}  // namespace carom
