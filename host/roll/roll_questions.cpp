#include "host/roll/roll_questions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/field_error.hpp"
#include "host/base/nearest_name.hpp"

namespace carom {
namespace {

constexpr const char* form =
    "must be like \"angle > 30 deg by 0.5 s\", \"|x| < 0.1 m at 1 s\", \"end_time > 0.2 s\" or "
    "\"impacts > 5\"";

constexpr const char* field = "roll.ask";

[[noreturn]] void fail_question(const std::string& text, const std::string& why) {
  QuestionWords(field, form, text).fail(why);
}

RollQuestion parse(const std::string& text) {
  QuestionWords words(field, form, text);
  RollQuestion question{words.inequality({"deg", "rad", "m", "s"})};
  if (question.quantity != "end_time" && question.quantity != "impacts") {
    question.ever = words.take_if("by");
    if (!question.ever && !words.take_if("at")) words.fail("without \"by\" or \"at\" and a time");
    question.time = words.number("time");
    words.unit("time", {"s"});
  }
  words.require_end();
  return question;
}

}  // namespace

std::size_t coordinate_of(const std::vector<std::string>& names, const RollQuestion& question) {
  const auto place = std::ranges::find(names, question.quantity);
  if (place != names.end()) return static_cast<std::size_t>(place - names.begin());
  throw FieldError(field,
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
