#pragma once

#include <string>

#include "python/bindings/batch_arguments.hpp"

namespace carom::python {

/// Arrays in the memory of a CUDA device, row-major in one piece, of whatever has `__dlpack__` or
/// `__cuda_array_interface__`. Nothing is copied or converted.
class ArraysOfADevice final : public ArrayReader {
 public:
  explicit ArraysOfADevice(int device) : device_(device) {}

  /// @throws InputError unless the array has float64 numbers and lies on the device
  ArrayArgument<double> numbers(const char* name, nb::handle value) const override;
  /// The same for uint8 or bool.
  ArrayArgument<std::uint8_t> flags(const char* name, nb::handle value) const override;
  bool sees_numbers() const override { return false; }

  /// An array that the caller wants to have written. @throws InputError as above
  ArrayArgument<double> target(const char* name, nb::handle value) const;

 private:
  int device_;
};

}  // namespace carom::python
