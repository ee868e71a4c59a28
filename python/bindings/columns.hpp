#pragma once

#include <fmt/format.h>

#include <string_view>
#include <type_traits>
#include <vector>

#include "carom/row_columns.hpp"
#include "python/bindings/arrays.hpp"

namespace carom::python {

/// Shape of a column's array.
inline std::vector<std::size_t> array_shape(ColumnShape column, const RowShape& shape,
                                            std::size_t rows) {
  using enum ColumnShape;
  if (column == number || column == lcp_number || column == impact_number ||
      column == interval_number) {
    return {rows};
  }
  if (column == impulse) {
    return {rows, static_cast<std::size_t>(shape.contacts),
            static_cast<std::size_t>(1 + shape.tangent_dimension)};
  }
  return {rows, shape.numbers(column)};
}

inline std::string column_doc(const ColumnInfo& info) {
  constexpr const char* shapes[] = {"(rows,)", "(rows, nv)", "(rows, m, 1 + d)", "(rows, 10)",
                                    "(rows,), None unless steps are LCPs",
                                    "(rows,), None unless steps are impacts",
                                    "(rows,), None unless steps are intervals"};
  return fmt::format("{}: {}", shapes[static_cast<std::size_t>(info.shape)], info.text);
}

/// Gives `type` a property per column: what `view(self, numbers, shape)` makes of the column of
/// `columns_of(self)`, or None where the rows, whose shape is `shape_of(self)`, lack it.
template <class Samples, class ColumnsOf, class ShapeOf, class View>
void bind_columns(nb::class_<Samples>& type, ColumnsOf columns_of, ShapeOf shape_of, View view) {
  for_each_column([&](const ColumnInfo& bound) {
    const auto get = [=, wanted = std::string_view(bound.name)](nb::handle self) {
      auto& samples = nb::cast<Samples&>(self);
      const RowShape& shape = shape_of(samples);
      nb::object found = nb::none();
      for_each_column(
          [&](const ColumnInfo& info, auto&& column) {
            if (wanted != info.name || shape.numbers(info.shape) == 0) return;
            auto* numbers = &column[0];
            const auto extents = array_shape(info.shape, shape, samples.size());
            if constexpr (std::is_same_v<decltype(numbers), Status*>) {
              found = view(self, reinterpret_cast<std::uint8_t*>(numbers), extents);
            } else {
              found = view(self, numbers, extents);
            }
          },
          columns_of(samples));
      return found;
    };
    type.def_prop_ro(bound.name, get, column_doc(bound).c_str());
  });
}

}  // namespace carom::python
