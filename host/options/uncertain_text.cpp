#include "host/options/uncertain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "carom/error.hpp"
#include "carom/numbers.hpp"
#include "host/base/field_error.hpp"
#include "host/base/trimmed.hpp"
#include "host/options/option_text.hpp"

namespace carom {
namespace {

/// The parts between commas that are not within braces.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char c : text) {
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

[[noreturn]] void fail(const std::string& place, const std::string& text) {
  throw InputError(fmt::format(
      "{} is {} (must be a number, {{min = ..., max = ...}} or {{mean = ..., deviation = ...}})",
      place, text));
}

/// "min = 0.1" or, as Python writes it, "'min': 0.1"
std::pair<std::string, double> entry_of(const std::string& place, const std::string& whole,
                                        const std::string& text) {
  const std::size_t sign = text.find_first_of("=:");
  if (sign == std::string::npos) fail(place, whole);
  const std::string key(trimmed(text.substr(0, sign), " '\""));
  return {key, parse_real(place + "." + key, std::string(trimmed(text.substr(sign + 1), " ")))};
}

Uncertain parse(const std::string& place, const std::string& text) {
  if (!text.starts_with('{') || !text.ends_with('}')) return parse_real(place, text);
  const std::vector<std::string> parts = parts_of(text.substr(1, text.size() - 2));
  if (parts.size() != 2) fail(place, text);
  return distribution(place, entry_of(place, text, parts[0]), entry_of(place, text, parts[1]));
}

}  // namespace

std::pair<const char*, const char*> keys_of(Uncertain::Kind kind) {
  if (kind == Uncertain::Kind::even) return {"min", "max"};
  return {"mean", "deviation"};
}

Uncertain distribution(const std::string& place, const std::pair<std::string, double>& one,
                       const std::pair<std::string, double>& other) {
  for (const auto kind : {Uncertain::Kind::even, Uncertain::Kind::normal}) {
    const auto [first, second] = keys_of(kind);
    const bool swapped = one.first == second && other.first == first;
    if (!swapped && !(one.first == first && other.first == second)) continue;
    const double a = swapped ? other.second : one.second;
    const double b = swapped ? one.second : other.second;
    return kind == Uncertain::Kind::even ? Uncertain::even(a, b) : Uncertain::normal(a, b);
  }
  fail(place,
       fmt::format("{{{} = {}, {} = {}}}", one.first, one.second, other.first, other.second));
}

std::string option_text(const OptionInfo&, const Uncertain& value) {
  if (!value.is_drawn()) return fmt::format("{}", value.first());
  const auto [first, second] = keys_of(value.kind());
  return fmt::format("{{{} = {}, {} = {}}}", first, value.first(), second, value.second());
}

std::string option_text(const OptionInfo& info, const std::vector<Uncertain>& values) {
  std::string text;
  for (const Uncertain& value : values)
    text += (text.empty() ? "" : ",") + option_text(info, value);
  return values.empty() ? auto_word : text;
}

void parse_option(const OptionInfo&, const std::string& text, const std::string& place,
                  Uncertain& value) {
  value = parse(place, std::string(trimmed(text, " ")));
}

void parse_option(const OptionInfo&, const std::string& text, const std::string& place,
                  std::vector<Uncertain>& values) {
  values.clear();
  if (text == auto_word) return;
  const bool bracketed = text.starts_with('[') && text.ends_with(']');  // as Python writes lists
  for (const std::string& part : parts_of(bracketed ? text.substr(1, text.size() - 2) : text)) {
    values.push_back(parse(place, std::string(trimmed(part, " "))));
  }
}

void check_range(const char* table, const OptionInfo& info, const Uncertain& value) {
  if (!value.is_drawn()) return check_range(table, info, value.first());
  const bool even = value.kind() == Uncertain::Kind::even;
  const auto [first, second] = keys_of(value.kind());
  OptionInfo part = info;
  const std::string first_name = fmt::format("{}.{}", info.name, first);
  part.name = first_name.c_str();
  check_range(table, part, value.first());
  const std::string second_name = fmt::format("{}.{}", info.name, second);
  part.name = second_name.c_str();
  if (!even) part.sign = OptionInfo::Sign::positive;
  check_range(table, part, value.second());
  if (!even || value.first() <= value.second()) return;
  throw FieldError(
      fmt::format("{}.{}", table, first_name),
      fmt::format("{} is {} (must be <= max = {})", first_name, value.first(), value.second()));
}

}  // namespace carom
