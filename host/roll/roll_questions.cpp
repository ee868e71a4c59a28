#include "host/roll/roll_questions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numbers>
#include <sstream>

#include "carom/numbers.hpp"
#include "host/base/field_error.hpp"
#include "host/base/nearest_name.hpp"

namespace carom {
namespace {

constexpr const char* form =
    "must be like \"angle > 30 deg by 0.5 s\", \"|x| < 0.1 m at 1 s\", \"end_time > 0.2 s\" or "
    "\"impacts > 5\"";

[[noreturn]] void fail_question(const std::string& text, const std::string& why) {
  throw FieldError("roll.ask", fmt::format("ask has \"{}\", {} ({})", text, why, form));
}

/// The words of a question, read one after the other: "z<-0.1m by 1s" has those of "z < -0.1 m by
/// 1 s".
class Words {
 public:
  explicit Words(const std::string& text) : text_(text) {
    const std::size_t sign = std::min(text.find_first_of("<>"), text.size());
    words_ = words_of(text.substr(0, sign));
    if (sign == text.size()) return;
    words_.emplace_back(1, text[sign]);
    for (const std::string& word : words_of(text.substr(sign + 1))) {
      const std::size_t size = number_size(word);
      if (size > 0) words_.push_back(word.substr(0, size));
      if (size < word.size()) words_.push_back(word.substr(size));
    }
  }

  bool at_end() const { return next_ == words_.size(); }
  std::string take(const char* what) {
    if (at_end()) fail_question(text_, fmt::format("which ends before its {}", what));
    return words_[next_++];
  }
  double number(const char* what) {
    const std::string word = take(what);
    if (word.starts_with('=')) fail_question(text_, "with >= or <= (must be > or <)");
    try {
      return parse_real(what, word);
    } catch (const InputError&) {
      fail_question(text_, fmt::format("whose {} is {}", what, word));
    }
  }
  /// Takes the unit of what was read last; none: empty.
  std::string unit(const char* what, std::initializer_list<const char*> units) {
    if (at_end() || words_[next_] == "by" || words_[next_] == "at") return "";
    for (const char* const its : units) {
      if (take_if(its)) return its;
    }
    fail_question(text_, fmt::format("whose {} is followed by {}, not by a unit ({}), by or at",
                                     what, words_[next_], fmt::join(units, ", ")));
  }
  /// Takes the next word if it is this one.
  bool take_if(const char* word) {
    if (at_end() || words_[next_] != word) return false;
    ++next_;
    return true;
  }

 private:
  /// Of the number that a word begins with.
  static std::size_t number_size(const std::string& word) {
    double number = 0.0;
    const char* const begin = word.data();
    const char* const end = std::from_chars(begin, begin + word.size(), number).ptr;
    return static_cast<std::size_t>(end - begin);
  }

  static std::vector<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::string>(stream), {}};
  }

  const std::string& text_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

RollQuestion parse(const std::string& text) {
  constexpr double half_turn = 180.0;
  Words words(text);
  RollQuestion question{.text = text, .quantity = words.take("quantity")};
  std::string& name = question.quantity;
  question.absolute = name.size() > 2 && name.front() == '|' && name.back() == '|';
  if (question.absolute) name = name.substr(1, name.size() - 2);
  question.greater = words.take_if(">");
  if (!question.greater && !words.take_if("<"))
    fail_question(text, "without > or < after its quantity");
  question.value = words.number("value");
  question.unit = words.unit("value", {"deg", "rad", "m", "s"});
  if (question.unit == "deg") question.value *= std::numbers::pi / half_turn;
  if (name != "end_time" && name != "impacts") {
    question.ever = words.take_if("by");
    if (!question.ever && !words.take_if("at"))
      fail_question(text, "without \"by\" or \"at\" and a time");
    question.time = words.number("time");
    words.unit("time", {"s"});
  }
  if (!words.at_end()) fail_question(text, "which goes on after its end");
  return question;
}

}  // namespace

std::size_t coordinate_of(const std::vector<std::string>& names, const RollQuestion& question) {
  const auto place = std::ranges::find(names, question.quantity);
  if (place != names.end()) return static_cast<std::size_t>(place - names.begin());
  throw FieldError("roll.ask",
                   fmt::format("ask has \"{}\", which is about {} (must be one of {}, end_time or "
                               "impacts){}",
                               question.text, question.quantity, fmt::join(names, ", "),
                               suggestion(question.quantity, names)));
}

std::vector<RollQuestion> parse_questions(const RollOptions& options) {
  std::vector<RollQuestion> questions;
  for (const std::string& text : options.ask) {
    questions.push_back(parse(text));
    const auto& time = questions.back().time;
    if (time && *time < 0.0) fail_question(text, "whose time is negative");
    if (time && !(*time <= options.duration)) {
      fail_question(
          text, fmt::format("whose time is not from 0 to the duration, {} s; other questions, as "
                            "of --ask, take the place of the scenario's",
                            options.duration));
    }
  }
  return questions;
}

void check_questions(const RollOptions& options, const RolledSystem& system) {
  for (const RollQuestion& question : parse_questions(options)) {
    const bool of_coordinate = question.time.has_value();
    std::string unit = question.quantity == "end_time" ? "s" : "";
    if (of_coordinate) {
      const std::size_t place = coordinate_of(system.coordinates, question);
      unit = system.units[place];
      const bool of_quaternion = std::ranges::any_of(
          system.quaternions,
          [&](const RolledQuaternion& its) { return place >= its.at && place < its.at + 4; });
      if (of_quaternion && !question.absolute) {
        fail_question(question.text,
                      fmt::format("whose sign tells nothing: q and -q are one orientation; |{}|",
                                  question.quantity));
      }
    }
    const bool free = of_coordinate && unit.empty();  // its owner knows the unit
    const std::string stated = question.unit == "deg" ? "rad" : question.unit;
    if (unit == "rad" && stated.empty()) {  // tables have degrees, files radians
      fail_question(question.text, "whose value is an angle without its unit, deg or rad");
    }
    if (free || stated.empty() || stated == unit) continue;
    fail_question(question.text, unit.empty()
                                     ? fmt::format("whose {} have no unit", question.quantity)
                                     : fmt::format("whose {} is in {}", question.quantity,
                                                   unit == "rad" ? "deg or rad" : unit));
  }
}

}  // namespace carom
