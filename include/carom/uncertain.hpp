#pragma once

#include <cstdint>

namespace carom {

/// A number, or a distribution from which each trajectory draws one.
class Uncertain {
 public:
  enum class Kind : std::uint8_t {
    number,
    even,    ///< evenly between two numbers
    normal,  ///< normal, cut off where a rule of the number demands
  };

  Uncertain(double number = 0.0) : first_(number) {}  // NOLINT: reads like the number
  static Uncertain even(double min, double max) { return {Kind::even, min, max}; }
  static Uncertain normal(double mean, double deviation) { return {Kind::normal, mean, deviation}; }

  Kind kind() const { return kind_; }
  bool is_drawn() const { return kind_ != Kind::number; }
  double first() const { return first_; }    ///< the number, the least or the mean
  double second() const { return second_; }  ///< the greatest or the standard deviation
  /// The number, the mean without its cuts, or half way between least and greatest.
  double middle() const { return kind_ == Kind::even ? 0.5 * first_ + 0.5 * second_ : first_; }

  friend bool operator==(const Uncertain&, const Uncertain&) = default;

 private:
  Uncertain(Kind kind, double first, double second) : kind_(kind), first_(first), second_(second) {}

  Kind kind_ = Kind::number;
  double first_ = 0.0;
  double second_ = 0.0;
};

}  // namespace carom
