#pragma once

#include <cstddef>
#include <cstdint>

#include "carom/selection.hpp"
#include "carom/status.hpp"

namespace carom {

/// What one row of a column holds.
enum class ColumnShape : std::uint8_t {
  number,           ///< one number
  velocity,         ///< nv numbers
  impulse,          ///< m x (1 + d) numbers
  solution_count,   ///< solution_bins numbers, or none: see RowShape
  lcp_number,       ///< one number where steps are LCPs, else none
  impact_number,    ///< one number where steps are impacts, else none
  interval_number,  ///< one number where steps are intervals, else none
};

/// What a law's step is.
enum class StepKind : std::uint8_t {
  lcp,
  impact,    ///< of one contact
  interval,  ///< of a round of compression and expansion
};

/// Singular of a kind of step, for reports.
constexpr const char* step_name(StepKind kind) {
  constexpr const char* names[] = {"LCP", "impact", "interval"};
  return names[static_cast<int>(kind)];
}

/// Sizes of a run's rows.
struct RowShape {
  int velocities = 0;             ///< nv
  int contacts = 0;               ///< m
  int tangent_dimension = 1;      ///< d
  bool counts_solutions = false;  ///< whether rows have a solution_count
  StepKind step = StepKind::lcp;

  /// Numbers of a column per row; 0 where the rows lack the column.
  constexpr std::size_t numbers(ColumnShape shape) const {
    switch (shape) {
      case ColumnShape::number:
        break;
      case ColumnShape::velocity:
        return static_cast<std::size_t>(velocities);
      case ColumnShape::impulse:
        return static_cast<std::size_t>(contacts) * static_cast<std::size_t>(1 + tangent_dimension);
      case ColumnShape::solution_count:
        return counts_solutions ? std::size_t{solution_bins} : 0;
      case ColumnShape::lcp_number:
        return step == StepKind::lcp ? 1 : 0;
      case ColumnShape::impact_number:
        return step == StepKind::impact ? 1 : 0;
      case ColumnShape::interval_number:
        return step == StepKind::interval ? 1 : 0;
    }
    return 1;
  }
  friend constexpr bool operator==(const RowShape&, const RowShape&) = default;
};

/// The columns of the rows of a run, one row per trajectory: Column<T> stores a column of numbers
/// of type T, for example as a vector or a pointer. for_each_column below lists the same columns.
template <template <class> class Column>
struct RowColumns {
  Column<double> velocity{};  ///< nv: the outcome or, if there is none, the last velocity, m/s
  Column<Status> status{};    ///< how the trajectory ended
  Column<std::uint32_t> lcp_count{};       ///< steps, each an LCP (without the final step)
  Column<std::uint8_t> final_step{};       ///< 1 where Algorithm 2's final step was needed
  Column<std::uint32_t> impacts{};         ///< steps, each an impact of one contact
  Column<std::uint32_t> intervals{};       ///< steps, each an interval of a round
  Column<std::uint32_t> rounds{};          ///< of compression and expansion
  Column<double> energy{};                 ///< kinetic energy of `velocity`, J
  Column<double> impulse{};                ///< m x (1 + d): total normal, net tangential, N·s
  Column<std::uint32_t> pivot_count{};     ///< Lemke pivots, all attempts
  Column<std::uint32_t> retry_count{};     ///< LCPs that double precision could not decide
  Column<std::uint32_t> table_count{};     ///< LCPs, final step included, solved by a table
  Column<std::uint16_t> solution_count{};  ///< solution_bins: steps by their number of solutions
};

/// Name of a column in files, in Python and in messages.
struct ColumnInfo {
  const char* name;
  ColumnShape shape;
  const char* text;  ///< short description
};

/// Calls visit(info, column of each of `rows`...) for every column, in the order of files: the only
/// list, used by buffers, copies, files, arrays and tests.
template <class Visit, class... AnyRows>
[[gnu::always_inline]] constexpr void for_each_column(Visit&& visit, AnyRows&&... rows) {
  using enum ColumnShape;
  visit(ColumnInfo{"velocity", velocity, "the outcome, or where there is none the last velocity"},
        rows.velocity...);
  visit(ColumnInfo{"status", number,
                   "0 an outcome, 1 dropped at the step limit, 2 to 6 failed, 7 a "
                   "problem that breaks a rule (`carom.STATUS` has the names)"},
        rows.status...);
  visit(ColumnInfo{"lcp_count", lcp_number, "LCPs, without the final step"}, rows.lcp_count...);
  visit(ColumnInfo{"final_step", lcp_number, "1 where Algorithm 2's final step was needed"},
        rows.final_step...);
  visit(ColumnInfo{"impacts", impact_number, "impacts of one contact"}, rows.impacts...);
  visit(ColumnInfo{"intervals", interval_number, "intervals of all rounds"}, rows.intervals...);
  visit(ColumnInfo{"rounds", interval_number, "rounds of compression and expansion"},
        rows.rounds...);
  visit(ColumnInfo{"energy", number, "kinetic energy of `velocity`, J"}, rows.energy...);
  visit(ColumnInfo{"impulse", impulse, "total normal and net tangential impulse per contact, N·s"},
        rows.impulse...);
  visit(ColumnInfo{"pivot_count", lcp_number, "pivots of Lemke's method, all attempts"},
        rows.pivot_count...);
  visit(ColumnInfo{"retry_count", lcp_number, "LCPs that double precision could not decide"},
        rows.retry_count...);
  visit(ColumnInfo{"table_count", lcp_number, "LCPs that a table served"}, rows.table_count...);
  visit(ColumnInfo{"solution_count", ColumnShape::solution_count,
                   "steps by their number of solutions; None unless all are found"},
        rows.solution_count...);
}

/// The column with the number of steps of each row, of pointers or of vectors that are not empty.
template <class AnyRows>
constexpr auto& step_counts(AnyRows& rows) {
  const auto lacks = [](const auto& column) {
    if constexpr (requires { column.empty(); }) {
      return column.empty();
    } else {
      return column == nullptr;
    }
  };
  return !lacks(rows.impacts)     ? rows.impacts
         : !lacks(rows.intervals) ? rows.intervals
                                  : rows.lcp_count;
}

/// Columns as pointers into host or device memory; null for a column that the rows lack.
template <class T>
using ColumnPointer = T*;
using RowPointers = RowColumns<ColumnPointer>;

/// Bytes of the numbers of one row.
constexpr std::size_t row_bytes(const RowShape& shape) {
  std::size_t bytes = 0;
  for_each_column(
      [&]<class T>(const ColumnInfo& info, T*) { bytes += shape.numbers(info.shape) * sizeof(T); },
      RowPointers{});
  return bytes;
}

namespace detail {
constexpr std::size_t listed_columns() {
  std::size_t count = 0;
  for_each_column([&](const ColumnInfo&) { ++count; });
  return count;
}
}  // namespace detail
static_assert(detail::listed_columns() * sizeof(void*) == sizeof(RowPointers),
              "for_each_column must list every member of RowColumns");

}  // namespace carom
