#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

namespace carom {

/// How questions begin: "|angle| > 30 deg".
struct Inequality {
  std::string text;      ///< of the whole question
  std::string quantity;  ///< without the bars of its absolute value
  bool absolute = false;
  bool greater = true;    ///< than the value, or less
  double value = 0.0;     ///< of angles in rad
  std::string unit = {};  ///< as stated; nothing if none was
};

/// The words of a question, read one after the other: "z<-0.1m by 1s" has those of "z < -0.1 m by
/// 1 s". A quantity may have blanks.
class QuestionWords {
 public:
  /// @param field of a scenario, for errors @param form what questions must be like
  QuestionWords(const char* field, const char* form, const std::string& text);

  /// Takes an inequality; its unit is one of `units`. @throws InputError
  Inequality inequality(std::initializer_list<const char*> units);
  /// Takes a number. @throws InputError
  double number(const char* what);
  /// Takes the unit of what was read last; none: empty. @throws InputError
  std::string unit(const char* what, std::initializer_list<const char*> units);
  /// Takes the next word if it is this one.
  bool take_if(const char* word);
  /// @throws InputError if a word is left
  void require_end() const;
  /// @throws InputError "ask has "...", " and this
  [[noreturn]] void fail(const std::string& why) const;

 private:
  std::string take(const char* what);
  bool at_end() const { return next_ == words_.size(); }

  const char* field_;
  const char* form_;
  std::string text_;
  std::string quantity_;
  std::vector<std::string> words_;  // after the quantity
  std::size_t next_ = 0;
};

}  // namespace carom
