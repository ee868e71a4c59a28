#pragma once

#include <nanobind/ndarray.h>

#include <Eigen/Core>
#include <cstring>
#include <string>
#include <vector>

#include "carom/error.hpp"
#include "carom/sample_set.hpp"
#include "python/bindings/bindings.hpp"

namespace carom::python {

/// A NumPy array of `Number`; constant numbers make it read-only.
template <class Number>
using NumpyArray = nb::ndarray<nb::numpy, Number>;

/// A view of `owner`'s memory, which lives as long as the array does. No copy.
template <class Number>
NumpyArray<Number> view_of(nb::handle owner, Number* data, const std::vector<std::size_t>& shape) {
  static std::remove_const_t<Number> none{};  // an empty vector has no memory to point to
  return NumpyArray<Number>(data == nullptr ? &none : data, shape.size(), shape.data(), owner);
}

/// A matrix of Eigen, column-major as it is, read-only.
NumpyArray<const double> view_of(nb::handle owner, const Eigen::MatrixXd& matrix);
NumpyArray<const double> view_of(nb::handle owner, const Eigen::VectorXd& vector);

/// A matrix whose rows lie one after the other, read-only.
inline NumpyArray<const double> view_of(nb::handle owner, const RowMatrixView& rows) {
  return view_of(owner, rows.data(),
                 {static_cast<std::size_t>(rows.rows()), static_cast<std::size_t>(rows.cols())});
}

/// An array that owns the numbers. A property that returns one needs nb::rv_policy::move, or it is
/// taken for a part of the object.
template <class Number>
NumpyArray<Number> own(std::vector<Number> numbers, const std::vector<std::size_t>& shape) {
  auto* const owned = new std::vector<Number>(std::move(numbers));
  const nb::capsule owner(owned,
                          [](void* it) noexcept { delete static_cast<std::vector<Number>*>(it); });
  return view_of(owner, owned->data(), shape);
}

inline NumpyArray<double> own(const Eigen::VectorXd& vector) {
  return own(std::vector<double>(vector.begin(), vector.end()),
             {static_cast<std::size_t>(vector.size())});
}

inline NumpyArray<double> own(const RowMatrix& rows) {
  return own(std::vector<double>(rows.data(), rows.data() + rows.size()),
             {static_cast<std::size_t>(rows.rows()), static_cast<std::size_t>(rows.cols())});
}

/// The bytes of a vector's numbers, for pickle.
template <class Numbers>
nb::bytes bytes_of(const Numbers& numbers) {
  return nb::bytes(static_cast<const void*>(numbers.data()), numbers.size() * sizeof(numbers[0]));
}

/// Makes them a vector again. @throws InputError if they are not whole numbers
template <class Numbers>
void read_bytes(const nb::bytes& bytes, Numbers& numbers) {
  if (bytes.size() % sizeof(numbers[0]) != 0) throw InputError("pickled numbers are damaged");
  numbers.resize(bytes.size() / sizeof(numbers[0]));
  if (!numbers.empty()) {
    std::memcpy(numbers.data(), bytes.c_str(), numbers.size() * sizeof(numbers[0]));
  }
}

/// Numbers of an argument, row-major in one piece; they belong to `array`.
template <class Number>
struct ArrayArgument {
  nb::object array;
  const Number* data = nullptr;
  std::vector<std::size_t> shape;
};

/// Whatever NumPy reads as an array (lists, torch tensors of the CPU, ...). Copied only where its
/// type or layout is another.
/// @throws InputError naming the argument
ArrayArgument<double> read_array(const char* name, nb::handle value);
ArrayArgument<std::uint8_t> read_flags(const char* name, nb::handle value);

/// Refuses a tensor of torch that is part of a graph of derivatives. @throws InputError
void require_no_gradients(const char* name, nb::handle value);

/// The same with one or two dimensions. @throws InputError
Eigen::VectorXd read_vector(const char* name, nb::handle value);
Eigen::MatrixXd read_matrix(const char* name, nb::handle value);

/// "3 x 2", "a number" without dimensions.
std::string shape_text(const std::vector<std::size_t>& shape);

}  // namespace carom::python
