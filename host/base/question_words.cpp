#include "host/base/question_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numbers>
#include <sstream>
#include <string_view>

#include "carom/numbers.hpp"
#include "host/base/field_error.hpp"
#include "host/base/trimmed.hpp"

namespace carom {
namespace {

/// The length of the number that a word begins with.
std::size_t number_size(const std::string& word) {
  double number = 0.0;
  const char* const begin = word.data();
  const char* const end = std::from_chars(begin, begin + word.size(), number).ptr;
  return static_cast<std::size_t>(end - begin);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace

QuestionWords::QuestionWords(const char* field, const char* form, const std::string& text)
    : field_(field), form_(form), text_(text) {
  // Names may have such signs, values have none.
  const std::size_t sign = std::min(text.find_last_of("<>"), text.size());
  quantity_ = trimmed(std::string_view(text).substr(0, sign));
  if (sign == text.size()) return;
  words_.emplace_back(1, text[sign]);
  for (const std::string& word : words_of(text.substr(sign + 1))) {
    const std::size_t size = number_size(word);
    if (size > 0) words_.push_back(word.substr(0, size));
    if (size < word.size()) words_.push_back(word.substr(size));
  }
}

Inequality QuestionWords::inequality(std::initializer_list<const char*> units) {
  constexpr double half_turn = 180.0;
  if (quantity_.empty()) fail("which begins without its quantity");
  Inequality its{.text = text_, .quantity = quantity_};
  its.absolute = quantity_.size() > 2 && quantity_.front() == '|' && quantity_.back() == '|';
  if (its.absolute) {
    its.quantity = trimmed(std::string_view(quantity_).substr(1, quantity_.size() - 2));
  }
  its.greater = take_if(">");
  if (!its.greater && !take_if("<")) fail("without > or < after its quantity");
  its.value = number("value");
  its.unit = unit("value", units);
  if (its.unit.starts_with("deg")) its.value *= std::numbers::pi / half_turn;
  return its;
}

double QuestionWords::number(const char* what) {
  const std::string word = take(what);
  if (word.starts_with('=')) fail("with >= or <= (must be > or <)");
  try {
    return parse_real(what, word);
  } catch (const InputError&) {
    fail(fmt::format("whose {} is {}", what, word));
  }
}

std::string QuestionWords::unit(const char* what, std::initializer_list<const char*> units) {
  if (at_end() || words_[next_] == "by" || words_[next_] == "at") return "";
  for (const char* const its : units) {
    if (take_if(its)) return its;
  }
  fail(fmt::format("whose {} is followed by {}, not by a unit ({})", what, words_[next_],
                   fmt::join(units, ", ")));
}

bool QuestionWords::take_if(const char* word) {
  if (at_end() || words_[next_] != word) return false;
  ++next_;
  return true;
}

void QuestionWords::require_end() const {
  if (!at_end()) fail("which goes on after its end");
}

void QuestionWords::fail(const std::string& why) const {
  throw FieldError(field_, fmt::format("ask has \"{}\", {} ({})", text_, why, form_));
}

std::string QuestionWords::take(const char* what) {
  if (at_end()) fail(fmt::format("which ends before its {}", what));
  return words_[next_++];
}

}  // namespace carom
