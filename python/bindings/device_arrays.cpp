#include "python/bindings/device_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "carom/error.hpp"

namespace carom::python {
namespace {

[[noreturn]] void fail(const char* name, const std::string& found, const std::string& rule) {
  throw InputError(fmt::format("{} {} (must {})", name, found, rule));
}

void require_device(const char* name, int found, int device) {
  if (found == device) return;
  fail(name, fmt::format("lies on device {}", found), fmt::format("lie on device {}", device));
}

/// Takes an array that speaks DLPack; false if `value` does not.
template <class Stored, class Number>
bool take_dlpack(const char* name, nb::handle value, int device, ArrayArgument<Number>& argument) {
  nb::ndarray<Stored, nb::c_contig> array;
  constexpr bool convert = false;
  if (!nb::ndarray_check(value) || !nb::try_cast(value, array, convert)) return false;
  constexpr int managed = 13;  // kDLCUDAManaged
  if (array.device_type() != nb::device::cuda::value && array.device_type() != managed) {
    fail(name, "does not lie on a CUDA device", "lie there: carom.ImpactLaw takes arrays of the CPU");
  }
  require_device(name, array.device_id(), device);
  argument.array = nb::borrow(value);
  argument.data = reinterpret_cast<const Number*>(array.data());
  for (std::size_t i = 0; i < array.ndim(); ++i) argument.shape.push_back(array.shape(i));
  return true;
}

/// Whether the strides of an array interface are those of rows in one piece.
bool in_one_piece(const nb::dict& interface, const std::vector<std::size_t>& shape,
                  std::size_t bytes) {
  if (!interface.contains("strides") || interface["strides"].is_none()) return true;
  const nb::tuple strides(interface["strides"]);
  if (strides.size() != shape.size()) return false;
  for (std::size_t i = shape.size(); i-- > 0; bytes *= shape[i]) {
    if (shape[i] != 1 && nb::cast<std::size_t>(strides[i]) != bytes) return false;
  }
  return true;
}

/// Takes an array with the CUDA array interface; false if `value` has none, or other numbers.
template <class Number>
bool take_interface(const char* name, nb::handle value, std::string_view type, bool writes,
                    ArrayArgument<Number>& argument) {
  const nb::object found = nb::getattr(value, "__cuda_array_interface__", nb::none());
  if (!nb::isinstance<nb::dict>(found)) return false;
  const auto interface = nb::borrow<nb::dict>(found);
  if (nb::cast<std::string>(interface["typestr"]) != type) return false;
  for (const nb::handle extent : nb::tuple(interface["shape"])) {
    argument.shape.push_back(nb::cast<std::size_t>(extent));
  }
  if (!in_one_piece(interface, argument.shape, sizeof(Number))) {
    fail(name, "has strides", "lie row by row in one piece");
  }
  const nb::tuple data(interface["data"]);
  if (writes && nb::cast<bool>(data[1])) fail(name, "is read-only", "be writable");
  argument.data = reinterpret_cast<const Number*>(nb::cast<std::uintptr_t>(data[0]));
  argument.array = nb::borrow(value);
  return true;
}

[[noreturn]] void fail_type(const char* name, nb::handle value, const char* types) {
  fail(name, fmt::format("is {}", nb::cast<std::string>(nb::str(value.type().attr("__name__")))),
       fmt::format("be an array of {} on a CUDA device, row by row in one piece", types));
}

}  // namespace

ArrayArgument<double> ArraysOfADevice::numbers(const char* name, nb::handle value) const {
  require_no_gradients(name, value);
  ArrayArgument<double> argument;
  if (take_dlpack<const double>(name, value, device_, argument) ||
      take_interface(name, value, "<f8", false, argument)) {
    return argument;
  }
  fail_type(name, value, "float64");
}

ArrayArgument<std::uint8_t> ArraysOfADevice::flags(const char* name, nb::handle value) const {
  ArrayArgument<std::uint8_t> argument;
  if (take_dlpack<const bool>(name, value, device_, argument) ||
      take_dlpack<const std::uint8_t>(name, value, device_, argument) ||
      take_interface(name, value, "|b1", false, argument) ||
      take_interface(name, value, "|u1", false, argument)) {
    return argument;
  }
  fail_type(name, value, "bool or uint8");
}

ArrayArgument<double> ArraysOfADevice::target(const char* name, nb::handle value) const {
  require_no_gradients(name, value);
  ArrayArgument<double> argument;
  if (take_dlpack<double>(name, value, device_, argument) ||
      take_interface(name, value, "<f8", true, argument)) {
    return argument;
  }
  fail_type(name, value, "float64, writable,");
}

}  // namespace carom::python
