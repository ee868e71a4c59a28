#pragma once

#include <vector>

#include "carom/impact_batch.hpp"
#include "python/bindings/arrays.hpp"

namespace carom::python {

/// Reads the arrays of a call, which lie on one processor.
class ArrayReader {
 public:
  virtual ~ArrayReader() = default;
  /// @throws InputError naming the argument
  virtual ArrayArgument<double> numbers(const char* name, nb::handle value) const = 0;
  virtual ArrayArgument<std::uint8_t> flags(const char* name, nb::handle value) const = 0;
  /// Whether this process can read the numbers themselves.
  virtual bool sees_numbers() const = 0;
};

class ArraysOfTheCpu final : public ArrayReader {
 public:
  ArrayArgument<double> numbers(const char* name, nb::handle value) const override {
    return read_array(name, value);
  }
  ArrayArgument<std::uint8_t> flags(const char* name, nb::handle value) const override {
    return read_flags(name, value);
  }
  bool sees_numbers() const override { return true; }
};

/// Coefficients of contacts.
struct CoefficientArguments {
  ArrayArgument<double> given;
  std::vector<double> repeated;  ///< of each contact, where one number is given, or one per problem

  const double* data() const { return repeated.empty() ? given.data : repeated.data(); }
};

/// The arrays of a call; `batch` points into them.
struct BatchArguments {
  ArrayArgument<double> mass_matrix, normal_jacobian, tangent_jacobian, velocity, steps;
  ArrayArgument<std::uint8_t> active;
  CoefficientArguments friction, restitution;
  ImpactBatch batch;
};

/// The problems of a call of an impact law, with shapes that fit one another.
/// @throws InputError naming the argument and the rule
BatchArguments read_batch(const ArrayReader& read, nb::handle mass_matrix,
                          nb::handle normal_jacobian, nb::handle tangent_jacobian,
                          nb::handle friction, nb::handle velocity, nb::handle restitution,
                          nb::handle active, nb::handle impulse_step,
                          nb::handle friction_directions);

}  // namespace carom::python
