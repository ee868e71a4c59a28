#pragma once

#include <optional>
#include <utility>

#include "carom/error.hpp"

namespace carom {

/// The value of an option that Carom chooses where none is stated ("auto"): resolved() does so.
/// Reads like the value itself.
template <class T>
class Choice {
 public:
  Choice() = default;                                           // NOLINT: "auto"
  Choice(T value) : value_(std::move(value)), stated_(true) {}  // NOLINT: a stated value
  /// A value that a system brings along for its own impact: it counts as stated for that alone.
  static Choice preset(T value) {
    Choice choice(std::move(value));
    choice.preset_ = true;
    return choice;
  }

  /// Whether the value is the user's, not Carom's.
  bool is_stated() const { return stated_; }
  /// Whether the value is a system's own, not the user's.
  bool is_preset() const { return preset_; }
  /// False until a value is stated or chosen.
  bool has_value() const { return value_.has_value(); }

  /// @throws InputError if no value is stated or chosen yet
  const T& value() const {
    if (!value_) throw InputError("an option is auto (must be resolved() for its problem first)");
    return *value_;
  }
  const T& operator*() const { return value(); }
  const T* operator->() const { return &value(); }
  operator const T&() const { return value(); }  // NOLINT: reads like the value
  /// The value, or `other` if there is none.
  T value_or(T other) const { return value_ ? *value_ : std::move(other); }

  /// Sets the value if none is there yet; it does not count as stated.
  void choose(T value) {
    if (!value_) value_ = std::move(value);
  }
  /// The value is one that Carom chose in an earlier run.
  void mark_chosen() { stated_ = false; }

  /// Whether both have the same value, or none.
  friend bool operator==(const Choice& one, const Choice& other) {
    return one.value_ == other.value_;
  }
  template <class U>
  friend bool operator==(const Choice& one, const U& value) {
    return one.value() == static_cast<T>(value);
  }

 private:
  std::optional<T> value_;
  bool stated_ = false;
  bool preset_ = false;
};

}  // namespace carom
