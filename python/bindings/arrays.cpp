#include "python/bindings/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "carom/error.hpp"

namespace carom::python {
namespace {

/// Of an array of the CPU with these numbers, row-major in one piece: no copy and no call of NumPy.
template <class Stored, class Number>
bool view_as_it_is(nb::handle value, ArrayArgument<Number>& argument) {
  nb::ndarray<const Stored, nb::c_contig, nb::device::cpu> view;
  constexpr bool convert = false;
  if (!nb::ndarray_check(value) || !nb::try_cast(value, view, convert)) return false;
  argument.array = nb::borrow(value);
  argument.data = reinterpret_cast<const Number*>(view.data());
  for (std::size_t i = 0; i < view.ndim(); ++i) argument.shape.push_back(view.shape(i));
  return true;
}

/// Whether NumPy would read other things as numbers: texts, times, or None as NaN.
bool holds_no_numbers(nb::handle array, const std::string& kind) {
  if (kind != "O") return std::string("USMm").find(kind) != std::string::npos;
  for (const nb::handle item : nb::iter(array.attr("flat"))) {
    if (item.is_none() || nb::isinstance<nb::str>(item) || nb::isinstance<nb::bytes>(item)) {
      return true;
    }
  }
  return false;
}

template <class Number>
ArrayArgument<Number> read_as(const char* name, nb::handle value, const char* type) {
  ArrayArgument<Number> argument;
  require_no_gradients(name, value);
  if (view_as_it_is<Number>(value, argument)) return argument;
  try {
    const nb::module_ numpy = nb::module_::import_("numpy");
    const nb::object given = numpy.attr("asarray")(value);
    const std::string kind = nb::cast<std::string>(given.attr("dtype").attr("kind"));
    if (kind == "c") {
      throw InputError(fmt::format("{} is complex (must be an array of real numbers)", name));
    }
    if (value.is_none()) {
      throw InputError(fmt::format("{} is None (must be an array of numbers)", name));
    }
    if (holds_no_numbers(given, kind)) {
      const bool of_texts = kind == "U" || kind == "S";  // NumPy's names of those count bits
      throw InputError(fmt::format(
          "{} is {} (must be an array of numbers, not of {})", name,
          nb::cast<std::string>(nb::str(value.type().attr("__name__"))),
          of_texts ? "str" : nb::cast<std::string>(nb::str(given.attr("dtype").attr("name")))));
    }
    argument.array = numpy.attr("ascontiguousarray")(given, nb::arg("dtype") = type);
    // ascontiguousarray makes a row of a number.
    if (nb::cast<int>(numpy.attr("ndim")(given)) == 0) {
      argument.array = argument.array.attr("reshape")(nb::make_tuple());
    }
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError)) throw;
    const std::string why = nb::cast<std::string>(nb::str(error.value()));
    throw InputError(fmt::format("{} is {} (must be an array of numbers: {})", name,
                                 nb::cast<std::string>(nb::str(value.type().attr("__name__"))),
                                 why));
  }
  const auto view = nb::cast<nb::ndarray<const Number, nb::c_contig, nb::device::cpu>>(
      argument.array);
  argument.data = view.data();
  for (std::size_t i = 0; i < view.ndim(); ++i) argument.shape.push_back(view.shape(i));
  return argument;
}

void require_dimensions(const char* name, const ArrayArgument<double>& argument,
                        std::size_t wanted) {
  if (argument.shape.size() == wanted) return;
  throw InputError(fmt::format("{} is {} (must have {} dimension{})", name,
                               shape_text(argument.shape), wanted, wanted == 1 ? "" : "s"));
}

}  // namespace

NumpyArray<const double> view_of(nb::handle owner, const Eigen::MatrixXd& matrix) {
  const auto rows = static_cast<std::size_t>(matrix.rows());
  const auto columns = static_cast<std::size_t>(matrix.cols());
  return NumpyArray<const double>(matrix.data(), {rows, columns}, owner,
                                  {1, static_cast<std::int64_t>(rows)});
}

NumpyArray<const double> view_of(nb::handle owner, const Eigen::VectorXd& vector) {
  return NumpyArray<const double>(vector.data(), {static_cast<std::size_t>(vector.size())}, owner);
}

void require_no_gradients(const char* name, nb::handle value) {
  if (!nb::bool_(nb::getattr(value, "requires_grad", nb::bool_(false)))) return;
  throw InputError(fmt::format("{} requires gradients (must not: an outcome has no derivative that "
                               "torch could follow; give {}.detach())",
                               name, name));
}

ArrayArgument<double> read_array(const char* name, nb::handle value) {
  return read_as<double>(name, value, "float64");
}

ArrayArgument<std::uint8_t> read_flags(const char* name, nb::handle value) {
  ArrayArgument<std::uint8_t> flags;
  if (view_as_it_is<bool>(value, flags)) return flags;
  const ArrayArgument<double> given = read_array(name, value);
  std::size_t size = 1;
  for (const std::size_t extent : given.shape) size *= extent;
  const auto is_flag = [](double number) { return number == 0.0 || number == 1.0; };
  if (!std::all_of(given.data, given.data + size, is_flag)) {
    throw InputError(fmt::format("{} has other entries (must be True or False, 1 or 0)", name));
  }
  return read_as<std::uint8_t>(name, given.array, "uint8");
}

Eigen::VectorXd read_vector(const char* name, nb::handle value) {
  const ArrayArgument<double> argument = read_array(name, value);
  require_dimensions(name, argument, 1);
  return Eigen::Map<const Eigen::VectorXd>(argument.data,
                                           static_cast<Eigen::Index>(argument.shape[0]));
}

Eigen::MatrixXd read_matrix(const char* name, nb::handle value) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const ArrayArgument<double> argument = read_array(name, value);
  require_dimensions(name, argument, 2);
  return Eigen::Map<const RowMajor>(argument.data, static_cast<Eigen::Index>(argument.shape[0]),
                                    static_cast<Eigen::Index>(argument.shape[1]));
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  if (shape.empty()) return "a number";
  return fmt::format("{}", fmt::join(shape, " x ")) + (shape.size() == 1 ? " numbers" : "");
}

}  // namespace carom::python
